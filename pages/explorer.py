"""The Explorer: point at a GPU and see which ranks it works with, and for what."""

from typing import Any

import streamlit as st

import assets.rank_grid
from assets.text import Words, count
from layout import DENSE_AXES, Axis, Layout, LayoutError
from layout.address import LIGHTS
from layout.nodes import Crossing, crossing, num_nodes
from pages import controls
from pages.figures.palette import MAX_STEPS, Theme, base_colours
from pages.figures.placement import Placement, by_node
from pages.figures.rank_grid import rank_grid
from pages.visit import Visit

MAX_RANKS_DRAWN = 2048


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    try:
        layout = visit.address.layout()
    except LayoutError as error:
        st.markdown(f"# {words('headline.none')}")
        controls.problem(error, visit, words)
        return
    first_words = words.prose("first_words").format(formula=_formula(layout, words))
    st.markdown(f"# {_headline(layout, visit.address.gpn, words)}\n{first_words}")
    if objection := megatron_objects(layout):
        st.info(words(f"controls.order_megatron_{objection}"))
    if layout.world_size > MAX_RANKS_DRAWN:
        st.warning(words("picture.too_many", n=layout.world_size, limit=count(MAX_RANKS_DRAWN)))
    else:
        with st.container(horizontal=True):
            controls.draw(controls.VIEW_CONTROLS, visit)
        st.markdown(words.prose("try"))
        _picture(layout, visit, words)
    with st.container(key="summary"):
        st.markdown(f"## {words('summary.heading')}\n{_summary(layout, visit.address.gpn, words)}")


def _headline(layout: Layout, gpus_per_node: int, words: Words) -> str:
    degrees = {axis: count(layout.degree_of(axis)) for axis in DENSE_AXES}
    nodes = num_nodes(layout.world_size, gpus_per_node=gpus_per_node)
    gpus = words("headline.gpus", n=layout.world_size)
    return words("headline.layout", gpus=gpus, n=nodes, **degrees)


def _formula(layout: Layout, words: Words) -> str:
    """The rank as a sum of coordinate times stride, fastest axis first; axes of degree 1 add nothing."""
    terms = [
        axis if stride == 1 else words("list.term", stride=count(stride), axis=axis)
        for axis in layout.axes
        if layout.degree_of(axis) > 1
        for stride in [layout.stride_of(axis)]
    ]
    return words("headline.formula", terms=words("list.sum").join(terms) or "0")


def megatron_objects(layout: Layout) -> str | None:
    """Which rule about orders Megatron would refuse a dense layout for, or None.

    "needs_tp": it fails where the order leaves out tp, even at TP 1. "refuses": it builds its expert
    grid for dense models too, and while the order does not end in pp it wants expert DP (with EP 1 and
    ETP = TP that is cp x dp) equal to DP. Source: `initialize_model_parallel`, megatron-core 0.19.2.

    >>> megatron_objects(Layout(cp=2, pp=2, order="tp-cp-pp-dp"))
    'refuses'
    """
    if "tp" not in layout.order.split("-"):
        return "needs_tp"
    if layout.cp > 1 and layout.pp > 1 and not layout.order.endswith("pp"):
        return "refuses"
    return None


def _picture(layout: Layout, visit: Visit, words: Words) -> None:
    address = visit.address
    placement = by_node(
        layout.world_size,
        gpus_per_node=address.gpn,
        width=visit.room,
        height=560 if visit.room > 480 else 440,
    )
    shading = None if address.colour == "none" else address.colour
    assets.rank_grid.show(
        rank_grid(layout, placement, colour_by=shading, theme=visit.theme),
        key="rank_grid",
        language=words.language,
        facts={
            "grid": {"axes": layout.axes, "sizes": [layout.degree_of(a) for a in layout.axes]},
            "gpusPerNode": address.gpn,
            "placement": geometry(placement),
            "light": LIGHTS[address.light],
            "legend": _legend(layout, shading, visit.theme),
            "pin": address.pin,
            "heard": visit.heard.get("rank_grid"),
            "look": {"room": visit.room, "theme": visit.theme},
        },
        on_pin_change=lambda: visit.change(pin=visit.take("rank_grid", "pin")["rank"]),
        on_look_change=lambda: visit.set_look(**visit.take("rank_grid", "look")),
    )


def geometry(placement: Placement) -> dict[str, Any]:
    """What the browser needs to draw frames and numbers, and to find the rank under the pointer."""
    return {
        "steps": placement.steps,
        "origin": placement.origin,
        "tile": placement.tile,
        "width": placement.width,
        "height": placement.height,
        "frame": placement.frame,
        "number": placement.number,
        "blockWidth": placement.block_columns * placement.tile + 2 * placement.frame,
        "blockHeight": placement.block_rows * placement.tile + 2 * placement.frame,
    }


def _legend(layout: Layout, shading: Axis | None, theme: Theme) -> dict[str, Any]:
    if shading is None:
        return {"axis": None}
    degree = layout.degree_of(shading)
    colours = base_colours(min(degree, MAX_STEPS), theme=theme)
    return {"axis": shading, "colours": colours, "last": degree - 1}


def _summary(layout: Layout, gpus_per_node: int, words: Words) -> str:
    """Per axis: how many groups, their size and stride, and how many cross a node; as Markdown."""
    columns = ("axis", "groups", "size", "stride", "crossing", "sentence")
    rows = [[words(f"summary.{column}") for column in columns], ["-"] * len(columns)]
    for axis in DENSE_AXES:
        found = crossing(layout, axis, gpus_per_node=gpus_per_node)
        of_all = {"crossing": count(found.num_crossing), "all": count(found.num_groups)}
        rows.append(
            [
                f"**{words(f'axis.{axis}')}**",
                count(found.num_groups),
                count(found.group_size),
                count(layout.stride_of(axis)),
                words("summary.crossing_of", **of_all),
                crossing_in_words(found, words(f"axis.{axis}"), words),
            ]
        )
    return "\n".join(f"|{'|'.join(cells)}|" for cells in rows)


def crossing_in_words(found: Crossing, name: str, words: Words) -> str:
    """One sentence: whether the groups called `name` stay inside nodes.

    >>> crossing_in_words(crossing(Layout(tp=2, dp=8), "tp", gpus_per_node=8), "TP", Words("en"))
    'All 8 TP groups stay inside a node.'
    """
    if found.group_size == 1:
        return words("summary.alone", name=name)
    if found.num_crossing == 0:
        return words("summary.inside_all", name=name, n=found.num_groups)
    same = found.fewest_nodes == found.most_nodes
    nodes = words("summary.nodes" if same else "summary.nodes_range", **_nodes(found))
    if found.num_crossing < found.num_groups:
        of_all = {"n": found.num_crossing, "all": count(found.num_groups)}
        return words("summary.crossing_some", name=name, nodes=nodes, **of_all)
    return words("summary.spans_all", name=name, n=found.num_groups, nodes=nodes)


def _nodes(found: Crossing) -> dict[str, Any]:
    """How many nodes one group touches, as the labels want it."""
    fewest, most = count(found.fewest_nodes), count(found.most_nodes)
    return {"n": found.most_nodes, "fewest": fewest, "most": most}
