"""What a page says where something that the reader set does not work, and the buttons that mend it."""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from assets.text import Words, count
from layout import Layout, LayoutError
from layout.address import Address
from layout.errors import one_line
from pages.visit import Visit

MOST_REMARKS = 5  # parts of a link that are named; of more, how many

_AS_TYPED = ("name", "other", "text", "part", "nearest")  # a host may be called 1000


def layout_or_problem(visit: Visit) -> Layout | None:
    """The layout that the reader has set; where there is none, the page says why, and None."""
    words = visit.words
    try:
        return visit.address.layout()
    except LayoutError as error:
        st.markdown(f"# {words('headline.none')}")
        problem(error, visit, words, place="layout")
        return None


def problem(
    error: LayoutError, visit: Visit, words: Words, *, place: str, kept: str | None = None
) -> None:
    """Says what is wrong, with the numbers, and offers the nearest that works as buttons.

    `kept` is the order that stays in use where one was refused; `place` tells these buttons from the same
    in another place of the page.
    """
    said = error_in_words(error, words)
    st.warning(words("error.order_kept", problem=said, order=kept) if kept else said)
    if not error.fixes:
        return
    st.markdown(words("fix.heading"))
    offer(
        {fix_in_words(fix, words): fix for fix in error.fixes},
        visit,
        place=place,
    )


def error_in_words(error: LayoutError, words: Words) -> str:
    """What is wrong, with its numbers; what the reader typed stands there as typed."""
    numbers = {
        name: plain(number if name in _AS_TYPED else in_thousands(number))
        for name, number in error.numbers.items()
    }
    return words(f"error.{error.reason}", **numbers, **degree_in_words(numbers))


def degree_in_words(numbers: Mapping[str, str]) -> dict[str, str]:
    """The place for a degree in a sentence, where `numbers` have an axis and its value.

    >>> degree_in_words({"axis": "cp", "value": "2"}), degree_in_words({"total": "9"})
    ({'degree': 'CP 2'}, {})
    """
    if "axis" not in numbers or "value" not in numbers:
        return {}
    return {"degree": f"{numbers['axis'].upper()} {numbers['value']}"}


def fix_in_words(fix: Mapping[str, Any], words: Words) -> str:
    """A change as a button says it.

    >>> fix_in_words({"hierarchical_cp": (2, 2), "ep": 4}, Words("en"))
    'CP levels 2 × 2, EP 4'
    """
    said = []
    for name, value in fix.items():
        if value == ():
            said.append(words(f"fix.{name}_none"))
            continue
        if isinstance(value, tuple):
            value = " × ".join(map(str, value))
        if isinstance(value, bool):
            value = words(f"tell.{'on' if value else 'off'}")
        said.append(words(f"fix.{name}", value=in_thousands(str(value))))
    return words("list.separator").join(said)


def offer(changes: Mapping[str, Mapping[str, Any]], visit: Visit, *, place: str) -> None:
    """A button for each of `changes`, by its words; `place` tells apart where the same may be offered."""
    with st.container(horizontal=True):
        for label, change in changes.items():
            st.button(label, key=f"{place} {label}", on_click=visit.hears_click(**change))


def in_thousands(number: str) -> str:
    """A count as people write it; words stay as they are.

    >>> in_thousands("4194304"), in_thousands("tp-cp")
    ('4,194,304', 'tp-cp')
    """
    return count(int(number)) if number.isascii() and number.isdigit() else number


def as_on_screen(number: str) -> str:
    """A number or a product as pages write it; what was typed stays as typed, but is never formatting.

    >>> as_on_screen("etp 2 x ep 3 = 6"), as_on_screen("4096"), as_on_screen("'tp-cp'")
    ('ETP 2 × EP 3 = 6', '4,096', 'tp-cp')
    >>> as_on_screen("2 x 2 = 4")
    '2 × 2 = 4'
    """
    if number.isascii() and number.isdigit():
        return count(int(number))
    if number.startswith("'") and number.endswith("'"):
        return number[1:-1]
    return re.sub(r"\b([a-z]+)(?= \d)", lambda name: name[1].upper(), number.replace(" x ", " × "))


def remarks_in_words(visit: Visit) -> str:
    """One line that names the parts of the link that were ignored."""
    words, layout = visit.words, visit.layout()
    said = []
    for remark in visit.remarks[:MOST_REMARKS]:
        default = getattr(visit.address, remark.name, None)
        kind = "value_alone" if remark.kind == "value" and default in (None, "") else remark.kind
        parts = {
            "name": plain(one_line(remark.name, limit=40)),
            "value": plain(one_line(remark.value, limit=40)),
            "default": default,
            "last": layout.world_size - 1 if layout else None,
            "last_part": _num_parts(visit.address) - 1,
        }
        said.append(words(f"remark.{kind}", **parts))
    if len(visit.remarks) > MOST_REMARKS:
        said.append(words("remark.more", n=len(visit.remarks) - MOST_REMARKS))
    return words("remark.heading", remarks=words("list.separator").join(said))


def _num_parts(address: Address) -> int:
    """How many parts the job has of the kind that is drawn; 1 where all of it is."""
    try:
        part = address.part()
    except LayoutError:
        return 1
    return part.num_parts if part else 1


def plain(text: str) -> str:
    """`text` as Markdown that shows it as it is: what a link or a field holds is never formatting.

    >>> print(plain("[tp](x)"))
    \\[tp\\]\\(x\\)
    """
    return re.sub(r"([\\`*_\[\]()<>!#$:~|{}&./@^=])", r"\\\1", text)
