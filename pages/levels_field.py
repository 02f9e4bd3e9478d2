"""The field for the sizes of CP levels, which two places of the page have."""

from typing import Any

import streamlit as st

from assets.text import Words
from layout.address import read_levels
from layout.errors import one_line
from pages import problems
from pages.visit import Visit, widget


def show(visit: Visit, words: Words, *, name: str, **options: Any) -> None:
    """The field, with what the reader typed, and what is wrong with that; `name` tells the places apart."""
    refused = visit.refused_levels
    widget(
        st.text_input,
        words("levels.field"),
        name=name,
        value=visit.address.hcp if refused is None else refused,
        take=visit.set_levels,
        help=words("levels.help"),
        placeholder=words("tell.unsaid"),
        autocomplete="off",
        **options,
    )
    if refused is not None:
        kept = read_levels(visit.address.hcp)
        using = " × ".join(map(str, kept)) if kept else words("levels.kept_none")
        text = problems.plain(one_line(refused, limit=40))
        st.warning(words("levels.refused", text=text, kept=using))
