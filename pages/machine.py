"""The machine that the job runs on: GPUs per node, and per NVLink domain."""

from functools import partial

import streamlit as st

from assets.text import Words, count
from layout import num_nodes
from layout.errors import MAX_WORLD_SIZE
from pages import problems
from pages.visit import Visit, widget

MACHINES = {"hgx": (8, None), "nvl72": (4, 72)}
"""Well-known machines: GPUs per node and per NVLink domain, which is the node where it is None."""


def show(visit: Visit, words: Words) -> None:
    """The two settings, the well-known pairs of them, and what is odd about a domain that is none."""
    gpn, domain = visit.address.gpn, visit.address.nvlink_domain
    widget(
        st.number_input,
        words("machine.gpn"),
        name="gpn",
        value=gpn,
        take=lambda number: visit.change(gpn=number),
        min_value=1,
        max_value=MAX_WORLD_SIZE,
        step=1,
        help=words("machine.gpn_help"),
    )
    widget(
        partial(st.number_input, value=None),
        words("machine.nvl"),
        name="nvl",
        value=visit.address.nvl,
        take=lambda number: visit.change(nvl=number),
        min_value=1,
        max_value=MAX_WORLD_SIZE,
        step=1,
        placeholder=words("machine.nvl_is_node", gpn=count(gpn)),
        help=words("machine.nvl_help"),
    )
    by_sizes = {(node, nvl or node): name for name, (node, nvl) in MACHINES.items()}
    widget(
        st.segmented_control,
        words("machine.quick"),
        name="machine_quick",
        value=by_sizes.get((gpn, domain)),
        take=lambda name: _set_machine(name, visit),
        options=list(MACHINES),
        format_func=lambda name: words(f"machine.quick_{name}"),
        label_visibility="collapsed",
    )
    if domain % gpn:
        kind = "domain_cuts" if domain < gpn else "domain_uneven"
        st.warning(words(f"machine.{kind}", n=domain, nvl=count(domain), gpn=count(gpn)))
        whole = [size for size in (domain // gpn * gpn, -(-domain // gpn) * gpn) if size]
        offers = {words("machine.set_domain", n=size): {"nvl": size} for size in whole}
        problems.offer(offers, visit, place="machine")


def in_words(world_size: int, gpus_per_node: int, domain: int, words: Words) -> str:
    """What one NVLink domain is, and into how many the job reaches.

    >>> in_words(288, 4, 72, Words("en"))
    'One NVLink domain is 18 nodes of 4, 72 GPUs; the job reaches into 4 domains.'
    """
    numbers = {"gpn": count(gpus_per_node), "gpus": count(domain)}
    if domain == gpus_per_node:
        said = words("machine.domain_node", n=domain)
    elif domain % gpus_per_node:
        said = words("machine.domain_gpus", n=domain)
    else:
        said = words("machine.domain_nodes", n=domain // gpus_per_node, **numbers)
    domains = words("reach.domains", n=num_nodes(world_size, gpus_per_node=domain))
    return words("machine.domain", domain=said, domains=domains)


def _set_machine(name: str | None, visit: Visit) -> None:
    if name:
        gpn, nvl = MACHINES[name]
        visit.change(gpn=gpn, nvl=nvl)
