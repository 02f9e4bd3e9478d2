"""The hall: one visit, the controls, one page. Streamlit runs this file from the top on each change."""

from functools import partial

import streamlit as st

import assets.page
from layout import address
from pages import controls, problems, sentences, visit
from pages.reading_order import PAGES

reader = visit.current()
words = reader.words
# No page_icon: it would travel with every change. The server gives ours where the page asks for one.
st.set_page_config(page_title=words("app.title"), layout="wide")

reader.doors = {
    room.name: st.Page(
        partial(room.show, reader),
        title=words(f"page.{room.name}"),
        url_path=room.name,
        default=room is PAGES[0],
    )
    for room in PAGES
}
page = st.navigation(list(reader.doors.values()), position="hidden")

parameters = address.parameters(reader.address)
layout = reader.layout()
title = sentences.headline(layout, reader.address.gpn, words) if layout else ""


def show_address() -> None:
    """The browser's address, and the panel that gives it."""
    assets.page.show(
        address.write(reader.address),
        path=page.url_path,
        title=title,
        visit=reader.name,
        is_embedded=reader.is_embedded,
        num_pictures=len(reader.address.grids) if page is reader.doors["explorer"] else 1,
        scrolls=page.url_path in ("orders", "placement"),  # tables of any length
        heard=reader.heard.get("page"),
        key="page",
        language=words.language,
        on_link_change=reader.hears("page", "link", lambda told: reader.follow(told["query"])),
    )


if reader.is_embedded:
    show_address()
else:
    with st.sidebar:
        st.markdown(f"# {words('app.title')}")
        with st.container(key="checked"):
            st.page_link(
                reader.doors["checked"], label=words("app.checked"), query_params=parameters
            )
        controls.draw(controls.LAYOUT_CONTROLS, reader)
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        for name, door in reader.doors.items():
            st.page_link(door, label=words(f"page.{name}"), query_params=parameters)
        show_address()
if reader.remarks:
    st.warning(problems.remarks_in_words(reader))
page.run()
