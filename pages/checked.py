"""How it is checked: what the groups on the other pages were compared with."""

import streamlit as st

from pages.visit import Visit

# What tests/golden/ holds; a test counts the entries there and compares.
RECORDED = {"num_configs": 151, "largest_world": "1,024", "num_other": 65}


def show(visit: Visit) -> None:
    """The page, in reading order."""
    st.markdown(visit.words.prose("checked").format(**RECORDED))
