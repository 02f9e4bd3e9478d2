"""The Explorer: point at a GPU and see which ranks it works with, and for what."""

import streamlit as st

import assets.rank_grid
from assets.text import Words, count
from layout import DENSE_AXES, Layout, Part, address, objection_to_order
from layout.address import FOLDS, LIGHTS
from layout.nodes import crossing
from pages import controls, group_table, sentences
from pages.figures.placement import Placement, by_coordinate, by_node
from pages.figures.rank_grid import MAX_RANKS_DRAWN, geometry, legend, rank_grid
from pages.visit import Visit

# Pixels for the picture's height, less where it has no more than `NARROW` of width. In an embed the card
# below it has to fit into the height of the iframe too (EMBED_HEIGHT in assets/page).
HEIGHT, HEIGHT_WHERE_NARROW, HEIGHT_IN_NARROW_EMBED = 560, 440, 220
NARROW = 480


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    layout = controls.layout_or_problem(visit)
    if layout is None:
        return
    headline = controls.headline(layout, visit.address.gpn, words)
    if visit.is_embedded:
        st.markdown(f"# {headline}")
        _drawing(layout, visit, words)
        st.markdown(f"[{words('share.open')}](./?{address.write(visit.address)})")
        return
    first_words = words.prose("first_words").format(formula=_formula(layout, words))
    st.markdown(f"# {headline}\n{first_words}")
    if objection := objection_to_order(layout):
        st.info(words(f"controls.order_megatron_{objection}"))
    with st.container(horizontal=True, key="view"):
        controls.draw(controls.VIEW_CONTROLS, visit)
    _drawing(layout, visit, words)
    with st.container(key="summary"):
        st.markdown(f"## {words('summary.heading')}\n{_summary(layout, visit.address.gpn, words)}")
    with st.container(key="groups"):
        group_table.show(layout, visit)


def _drawing(layout: Layout, visit: Visit, words: Words) -> None:
    """The picture with a word before it, or why there is none."""
    part = visit.address.part()
    if (part.size if part else layout.world_size) > MAX_RANKS_DRAWN:
        _too_many(layout, visit, words)
        return
    if part:
        st.markdown(_part_in_words(part, visit, words))
    elif not visit.is_embedded:
        st.markdown(words.prose("try"))
    _picture(layout, part, visit, words)


def _formula(layout: Layout, words: Words) -> str:
    """The rank as a sum of coordinate times stride, fastest axis first; axes of degree 1 add nothing."""
    terms = [
        axis if stride == 1 else words("list.term", stride=count(stride), axis=axis)
        for axis in layout.axes
        if layout.degree_of(axis) > 1
        for stride in [layout.stride_of(axis)]
    ]
    return words("headline.formula", terms=words("list.sum").join(terms) or "0")


def _too_many(layout: Layout, visit: Visit, words: Words) -> None:
    """Says that a picture would be too large, and offers the parts that are not."""
    asked = visit.address.part()
    n = asked.size if asked else layout.world_size
    said = [words("picture.too_many", n=n, limit=count(MAX_RANKS_DRAWN))]
    if not visit.is_embedded:
        said.append(words("picture.tables_cover"))
    st.warning(words("list.sentences").join(said))
    smaller = {
        words(f"fold.{fold}"): {"fold": fold}
        for fold, axes in FOLDS.items()
        if axes and Part(layout.grid, axes).size <= MAX_RANKS_DRAWN
    }
    if smaller:
        st.markdown(words("picture.too_many_offer"))
        controls.offer(smaller, visit)


def _part_in_words(part: Part, visit: Visit, words: Words) -> str:
    """Which part is drawn, and how many like it make the whole."""
    return words(
        f"part.said_{visit.address.fold}",
        n=part.num_parts,
        number=part.number,
        last=part.num_parts - 1,
        size=count(part.size),
        all=count(part.grid.world_size),
    )


def placements(
    layout: Layout, part: Part | None, *, arrange: str, gpus_per_node: int, width: int, height: int
) -> tuple[Placement, ...]:
    """The picture of `layout`, or of a part of it, as it fits, and closer looks at it.

    >>> placements(
    ...     Layout(tp=2, dp=4), None, arrange="node", gpus_per_node=8, width=700, height=560
    ... )[0].tile
    44
    """
    if arrange == "coordinate":
        axes, lowest = (part.axes, part.lowest) if part else (layout.axes, 0)
        return by_coordinate(layout.grid, axes=axes, lowest=lowest, width=width, height=height)
    return by_node(
        layout.world_size,
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


def _picture(layout: Layout, part: Part | None, visit: Visit, words: Words) -> None:
    chosen = visit.address
    fit, *closer = placements(
        layout,
        part,
        arrange=chosen.arrange,
        gpus_per_node=chosen.gpn,
        width=visit.room,
        height=_height(visit),
    )
    shading = None if chosen.colour == "none" else chosen.colour
    drawn = part.ranks if part else None
    assets.rank_grid.show(
        rank_grid(layout, fit, drawn=drawn, colour_by=shading, theme=visit.theme),
        key="rank_grid",
        language=words.language,
        facts={
            "grid": {"axes": layout.axes, "sizes": [layout.degree_of(a) for a in layout.axes]},
            "gpusPerNode": chosen.gpn,
            "placements": [geometry(placement) for placement in (fit, *closer)],
            "arrange": chosen.arrange,
            "circle": "explorer",
            "isEmbedded": visit.is_embedded,
            "height": _height(visit),
            "part": {"axes": part.axes, "number": part.number} if part else None,
            "light": LIGHTS[chosen.light],
            "legend": legend(layout, shading, visit.theme),
            "pin": chosen.pin,
            "heard": visit.heard.get("rank_grid"),
            "look": {"room": visit.room, "theme": visit.theme, "card": visit.card},
        },
        on_pin_change=lambda: visit.change(pin=visit.take("rank_grid", "pin")["rank"]),
        on_look_change=lambda: visit.set_look(**visit.take("rank_grid", "look")),
    )


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
                sentences.crossing_in_words(found, words(f"axis.{axis}"), words),
            ]
        )
    return "\n".join(f"|{'|'.join(cells)}|" for cells in rows)
