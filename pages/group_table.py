"""The table of groups: every group of one kind, to page through, to copy and to take along as a file.

What the picture shows to the eye is here in words, for a screen reader and for everyone else.
"""

from functools import partial

import streamlit as st

import assets.group_table
from assets.text import Words
from layout import Layout, report_of
from layout.address import TABLES
from pages.visit import Visit, widget

# Each form that a file can have: the end of its name, and what a server calls it.
FILES = {
    "json": (".json", "application/json"),
    "csv": (".csv", "text/csv"),
    "markdown": (".md", "text/markdown"),
}


def show(layout: Layout, visit: Visit) -> None:
    """The heading, the choice of a kind of group, the table and its files."""
    words, kind = visit.words, visit.address.table
    st.markdown(f"## {words('table.heading')}")
    widget(
        st.selectbox,
        words("table.kind"),
        name="table",
        value=kind,
        take=lambda chosen: visit.change(table=chosen),
        options=TABLES,
        format_func=lambda key: words(f"light.{key}"),
        width=240,
    )
    assets.group_table.show(
        layout.axes,
        [layout.degree_of(axis) for axis in layout.axes],
        kind=kind,
        gpus_per_node=visit.address.gpn,
        pin=visit.address.pin,
        key="group_table",
        language=words.language,
    )
    _files(layout, kind, words)


def _files(layout: Layout, kind: str, words: Words) -> None:
    """One button for each form. The file is made when its button is pressed, and nothing else runs then.

    A change of the layout sends 145 bytes for each button anew, and twice as many more if the file were
    at hand; so what they are for is said by the table, whose words do not travel.
    """
    with st.container(horizontal=True):
        for form, (suffix, media_type) in FILES.items():
            st.download_button(
                words(f"table.{form}"),
                partial(report_of, layout, keys=[kind], form=form),
                file_name=file_name(layout, kind, suffix),
                mime=media_type,
                key=f"table_{form}",
                on_click="ignore",
            )


def file_name(layout: Layout, kind: str, suffix: str) -> str:
    """What a file of groups is called.

    >>> file_name(Layout(tp=2, dp=8), "dp-cp", ".csv")
    'rank-atlas-dp-cp-groups-16-ranks.csv'
    """
    return f"rank-atlas-{kind}-groups-{layout.world_size}-ranks{suffix}"
