"""Would Megatron start this job? One calm line, which opens into what it objects to and what would do."""

import re
from collections.abc import Mapping
from typing import Any

import streamlit as st

from assets.text import Words, count
from layout.megatron import Objection, objections
from pages import problems
from pages.visit import Visit


def show(visit: Visit) -> None:
    """The line, and behind it the objections."""
    words, job = visit.words, visit.address.job()
    found = objections(job)
    line = words("verdict.refuses", n=len(found)) if found else words("verdict.starts")
    with st.expander(line, key="verdict"):
        if not found:
            st.markdown(words("verdict.checked"))
            return
        st.markdown("\n\n".join([words("verdict.arithmetic"), *_listed(found, words)]))
        st.markdown(words("verdict.nearest"))
        problems.offer(
            {fix_in_words(fix, words): visit.address.changes_for(fix) for fix in found[0].fixes},
            visit,
        )


def _listed(found: tuple[Objection, ...], words: Words) -> list[str]:
    """Each objection as an item of a Markdown list: the rule, Megatron's own words, and the source."""
    items = []
    for number, objection in enumerate(found, start=1):
        said = [f"{number}. {in_words(objection, words)}"]
        if objection.quote:
            quote = problems.plain(objection.quote)
            said.append(words("verdict.quote", quote=quote))
        said.append(words("verdict.source", source=problems.plain(objection.source)))
        items.append("  \n".join(said))
    return items


def in_words(objection: Objection, words: Words) -> str:
    """The rule in words, with its numbers.

    >>> from layout import Job
    >>> in_words(objections(Job(world=8, tp=3))[0], Words("en"))
    'TP 3 × CP 1 × PP 1 = 3 does not divide a world of 8 ranks.'
    """
    numbers = {name: as_on_screen(number) for name, number in objection.numbers.items()}
    return words(f"objection.{objection.rule}", **numbers)


def as_on_screen(number: str) -> str:
    """A number or a product as pages write it; what was typed stays as typed, but is never formatting.

    >>> as_on_screen("etp 2 x ep 3 = 6"), as_on_screen("4096"), as_on_screen("'tp-cp'")
    ('ETP 2 × EP 3 = 6', '4,096', 'tp-cp')
    """
    if number.isascii() and number.isdigit():
        return count(int(number))
    if number.startswith("'") and number.endswith("'"):
        return number[1:-1]
    named = re.sub(r"\b([a-z]+)(?= \d)", lambda name: name[1].upper(), number)
    return named.replace(" x ", " × ")


def fix_in_words(fix: Mapping[str, Any], words: Words) -> str:
    """A change as a button says it.

    >>> fix_in_words({"hierarchical_cp": (2, 2), "ep": 4}, Words("en"))
    'CP levels 2 × 2, EP 4'
    """
    said = []
    for name, value in fix.items():
        if isinstance(value, tuple):
            value = " × ".join(map(str, value))
        if isinstance(value, bool):
            value = words(f"tell.{'on' if value else 'off'}")
        said.append(words(f"fix.{name}", value=problems.in_thousands(str(value))))
    return words("list.separator").join(said)
