"""The Explorer: point at a GPU and see which ranks it works with, and for what."""

from contextlib import nullcontext, suppress
from typing import Any

import streamlit as st

import assets.rank_grid
from assets.text import Words, count
from layout import (
    DENSE_AXES,
    EXPERT_AXES,
    Grid,
    Layout,
    LayoutError,
    Part,
    address,
)
from layout.grid import HasGrid
from layout.nodes import crossing
from layout.ranks import grid_of
from pages import controls, group_table, problems, sentences, verdict
from pages.figures.placement import Placement, by_coordinate, by_node
from pages.figures.rank_grid import MAX_RANKS_DRAWN, geometry, legend, rank_grid
from pages.grids import ShownGrid, shown_grid
from pages.kinds import in_browser, is_derived, job_of, kinds_shown, name_of
from pages.visit import Visit

# Pixels for the picture's height, less where it has no more than `NARROW` of width. In an embed the card
# below it has to fit into the height of the iframe too (EMBED_HEIGHT in assets/page).
HEIGHT, HEIGHT_WHERE_NARROW, HEIGHT_IN_NARROW_EMBED = 560, 440, 220
NARROW = 480


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    layout = problems.layout_or_problem(visit)
    if layout is None:
        return
    headline = sentences.headline(layout, visit.address.gpn, words)
    if visit.is_embedded:
        st.markdown(f"# {headline}")
        verdict.mark(visit)
        _drawing(layout, visit, words)
        st.markdown(f"[{words('share.open')}](./?{address.write(visit.address)})")
        return
    first_words = words.prose("first_words").format(formula=_formula(layout, words))
    st.markdown(f"# {headline}\n{first_words}")
    verdict.show(visit)
    with st.container(horizontal=True, key="view"):
        controls.draw(controls.VIEW_CONTROLS, visit)
    _drawing(layout, visit, words)
    with st.container(key="summary"):
        st.markdown(f"## {words('summary.heading')}\n{_summary(layout, visit, words)}")
    with st.container(key="groups"):
        group_table.show(visit)


def _drawing(layout: Layout, visit: Visit, words: Words) -> None:
    """One picture, or two beside each other, with a word before them."""
    grids = visit.address.grids
    part = visit.address.part()
    if "dense" in grids and (part.size if part else layout.world_size) > MAX_RANKS_DRAWN:
        _too_many(shown_grid("dense", visit.address), visit, words)
        return
    if "experts" in grids and not visit.is_embedded:
        st.markdown(words("grid.second"))
    if part is None and not visit.is_embedded:
        st.markdown(words.prose("try"))
    with st.container(key="grids"):
        places: Any = st.columns(2) if len(grids) == 2 else [nullcontext()]
        for place, name in zip(places, grids, strict=True):
            with place:
                _one_grid(name, layout, visit, words)


def _one_grid(name: str, layout: Layout, visit: Visit, words: Words) -> None:
    """A picture with a word before it, or why there is none."""
    try:
        shown = shown_grid(name, visit.address)
    except LayoutError as error:
        problems.problem(error, visit, words, place=name)
        return
    if visit.address.grids != ("dense",):
        sizes = {axis: count(shown.setup.grid.size_of(axis)) for axis in shown.axes}
        st.markdown(words(f"grid.said_{name}", **sizes))
    if shown.num_drawn > MAX_RANKS_DRAWN:
        _too_many(shown, visit, words)
        return
    if shown.part:
        st.markdown(_part_in_words(shown, shown.part, visit, words))
    _picture(shown, layout, visit, words)


def _formula(layout: Layout, words: Words) -> str:
    """The rank as a sum of coordinate times stride, fastest axis first; axes of degree 1 add nothing."""
    terms = [
        axis if stride == 1 else words("list.term", stride=count(stride), axis=axis)
        for axis in layout.axes
        if layout.degree_of(axis) > 1
        for stride in [layout.stride_of(axis)]
    ]
    return words("headline.formula", terms=words("list.sum").join(terms) or "0")


def _too_many(shown: ShownGrid, visit: Visit, words: Words) -> None:
    """Says that a picture would be too large, and offers the parts that are not."""
    said = [words("picture.too_many", n=shown.num_drawn, limit=count(MAX_RANKS_DRAWN))]
    if not visit.is_embedded:
        said.append(words("picture.tables_cover"))
    st.warning(words("list.sentences").join(said))
    smaller = {
        words(f"fold.{fold}"): {"fold": fold}
        for fold, axes in shown.folds.items()
        if axes and Part(shown.setup.grid, axes).size <= MAX_RANKS_DRAWN
    }
    if smaller:
        st.markdown(words("picture.too_many_offer"))
        problems.offer(smaller, visit, place="part")


def _part_in_words(shown: ShownGrid, part: Part, visit: Visit, words: Words) -> str:
    """Which part is drawn, and how many like it make the whole."""
    kind = visit.address.fold
    if shown.name == "experts" and kind != "stage":
        kind = "experts"
    return words(
        f"part.said_{kind}",
        n=part.num_parts,
        number=part.number,
        last=part.num_parts - 1,
        size=count(part.size),
        all=count(part.grid.world_size),
    )


def placements(
    layout: Grid | HasGrid,
    part: Part | None,
    *,
    arrange: str,
    gpus_per_node: int,
    width: int,
    height: int,
) -> tuple[Placement, ...]:
    """The picture of `layout`, or of a part of it, as it fits, and closer looks at it.

    >>> placements(
    ...     Layout(tp=2, dp=4), None, arrange="node", gpus_per_node=8, width=700, height=560
    ... )[0].tile
    44
    """
    grid = grid_of(layout)
    if arrange == "coordinate":
        axes, lowest = (part.axes, part.lowest) if part else (grid.axes, 0)
        return by_coordinate(grid, axes=axes, lowest=lowest, width=width, height=height)
    return by_node(
        grid.world_size,
        gpus_per_node=gpus_per_node,
        width=width,
        height=height,
        drawn=part.ranks if part else None,
    )


def _height(visit: Visit) -> int:
    """The most pixels that the picture may be high."""
    if visit.is_embedded and visit.card == "below":
        return HEIGHT_IN_NARROW_EMBED
    return HEIGHT if visit.room > NARROW else HEIGHT_WHERE_NARROW


def _picture(shown: ShownGrid, layout: Layout, visit: Visit, words: Words) -> None:
    chosen, part, grid = visit.address, shown.part, shown.setup.grid
    fit, *closer = placements(
        grid,
        part,
        arrange=chosen.arrange,
        gpus_per_node=chosen.gpn,
        width=visit.room,
        height=_height(visit),
    )
    shading = None if chosen.colour == "none" else chosen.colour
    drawn = part.ranks if part else None
    key = "rank_grid" if shown.name == "dense" else "rank_grid_experts"
    assets.rank_grid.show(
        # Both grids have the same ground, so that what differs between them is what lights up.
        rank_grid(layout, fit, drawn=drawn, colour_by=shading, theme=visit.theme),
        key=key,
        language=words.language,
        facts={
            "grid": {"axes": grid.axes, "sizes": grid.sizes},
            "name": shown.name,
            "axes": shown.axes,
            "sets": shown.on_card,
            "kinds": shown.kinds,
            "also": _also(shown, visit),
            "place": _place(shown, chosen),
            "gpusPerNode": chosen.gpn,
            "nodesPerDomain": _nodes_per_domain(chosen),
            "placements": [geometry(placement) for placement in (fit, *closer)],
            "arrange": chosen.arrange,
            "circle": "explorer",
            "isEmbedded": visit.is_embedded,
            "height": _height(visit),
            "part": {"axes": part.axes, "number": part.number} if part else None,
            "light": shown.lit,
            "legend": legend(layout, shading, visit.theme),
            "pin": chosen.pin,
            "heard": visit.heard.get(key),
            "look": {"room": visit.room, "theme": visit.theme, "card": visit.card},
        },
        on_pin_change=visit.hears(key, "pin", lambda told: visit.change(pin=told["rank"])),
        on_look_change=visit.hears(key, "look", lambda told: visit.set_look(**told)),
    )


def _also(shown: ShownGrid, visit: Visit) -> list[dict[str, Any]]:
    """The kinds of group that have no place of their own on the card, by name, for assets/kinds.js."""
    words, job = visit.words, job_of(visit)
    also = []
    for axes in shown.also:
        key = "-".join(axes)
        also.append({"name": words(f"light.{key}"), **in_browser(shown.setup, key)})
    for kind in kinds_shown(visit):
        is_here = "experts" if kind.grid == "expert" and visit.address.moe == "on" else "dense"
        if is_derived(kind) and is_here == shown.name:
            with suppress(LayoutError):
                also.append({"name": name_of(kind, words), **in_browser(job, kind.key)})
    return also


def _nodes_per_domain(chosen: address.Address) -> int:
    """How many whole nodes an NVLink domain spans; 0 where it is one node, or no multiple of one."""
    whole, rest = divmod(chosen.nvlink_domain, chosen.gpn)
    return whole if whole > 1 and not rest else 0


def _place(shown: ShownGrid, chosen: address.Address) -> str:
    """Which of the pictures it is: "alone", "first" or "second"."""
    if len(chosen.grids) == 1:
        return "alone"
    return ("first", "second")[chosen.grids.index(shown.name)]


def _summary(layout: Layout, visit: Visit, words: Words) -> str:
    """Per axis: how many groups, their size and stride, and how many cross a node; as Markdown."""
    columns = ("axis", "groups", "size", "stride", "crossing", "sentence")
    rows = [[words(f"summary.{column}") for column in columns], ["-"] * len(columns)]
    listed = [(layout.grid, axis) for axis in DENSE_AXES]
    if experts := group_table.experts_of(visit):
        listed += [(experts.grid, axis) for axis in EXPERT_AXES if axis not in DENSE_AXES]
    for grid, axis in listed:
        found = crossing(grid, axis, gpus_per_node=visit.address.gpn)
        of_all = {"crossing": count(found.num_crossing), "all": count(found.num_groups)}
        rows.append(
            [
                f"**{words(f'axis.{axis}')}**",
                count(found.num_groups),
                count(found.group_size),
                count(grid.stride_of(axis)),
                words("summary.crossing_of", **of_all),
                sentences.crossing_in_words(found, words(f"axis.{axis}"), words),
            ]
        )
    return "\n".join(f"|{'|'.join(cells)}|" for cells in rows)
