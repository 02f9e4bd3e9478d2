"""Would Megatron start this job? One calm line, which opens into what it objects to and what would do."""

import streamlit as st

from assets.text import Words
from layout.megatron import Objection, first_objections, objections
from pages import problems
from pages.visit import Visit


def show(visit: Visit) -> None:
    """The line, and behind it the objections."""
    words, job = visit.words, visit.address.job()
    found = objections(job)
    line = words("verdict.refuses", n=len(found)) if found else words("verdict.starts")
    with st.expander(line, key="verdict"):
        if not found:
            said = [words("verdict.checked")]
            if job.tp > 1 and job.sp is None and (job.ep > 1 or (job.num_experts or 0) > 1):
                said.append(words("verdict.checked_experts"))
            st.markdown(words("list.sentences").join(said))
            return
        st.markdown("\n\n".join([words("verdict.arithmetic"), *_listed(found, words)]))
        st.markdown(words("verdict.nearest_dp") if job.world is None else words("verdict.nearest"))
        problems.offer(
            {
                problems.fix_in_words(fix, words): visit.address.changes_for(fix)
                for fix in found[0].fixes
            },
            visit,
            place="verdict",
        )


def mark(visit: Visit) -> None:
    """Where Megatron would not start the job, one line that says so, and nothing else."""
    if any(first_objections(visit.address.job())):
        st.caption(visit.words("verdict.mark"))


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
    numbers = {name: problems.as_on_screen(number) for name, number in objection.numbers.items()}
    if "name" in numbers:  # of a degree
        numbers["name"] = numbers["name"].upper()
    if objection.rule == "non_pp_last_needs_equal_dp" and numbers["order"].lower().endswith("pp"):
        return words("objection.lower_case", **numbers)
    return words(f"objection.{objection.rule}", **numbers)
