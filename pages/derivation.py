"""The derivation: copy the job without CP cp times, number the copies, and see the CP groups."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import streamlit as st

import assets.derivation
from assets.text import Words, count
from layout import (
    DENSE_AXES,
    Excerpt,
    Layout,
    LayoutError,
    address,
    crossing,
    excerpt_of,
    objection_to_order,
    shape_of_copies,
)
from layout.address import NUM_STEPS
from pages import problems, sentences
from pages.visit import Visit

MAX_TILES = 512
MAX_TILES_OF_PART = 256
"""Of a larger job fewer are drawn: their numbers have more digits, and need larger tiles."""

_MOST_LISTED = 8  # ranks of a group that a sentence lists; of more, the first and the last ones


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words = visit.words
    layout = problems.layout_or_problem(visit)
    if layout is None:
        return
    headline = f"# {sentences.headline(layout, visit.address.gpn, words)}"
    st.markdown(headline if visit.is_embedded else f"{headline}\n{words.prose('derivation')}")
    is_whole = layout.world_size <= MAX_TILES
    part = excerpt_of(layout.grid, most=MAX_TILES if is_whole else MAX_TILES_OF_PART)
    if part.shortened:
        st.markdown(part_in_words(part, words))
    if layout.cp == 1:
        problems.offer({words("derive.offer", cp=2): _with_cp(layout, visit)}, visit, place="cp")
    _stage(layout, part, visit, words)
    if visit.is_embedded:
        st.markdown(f"[{words('share.open')}](./derivation?{address.write(visit.address)})")
    elif door := visit.doors.get("explorer"):
        parameters = address.parameters(visit.address)
        with st.container(key="door"):
            st.page_link(door, label=words("derive.explorer"), query_params=parameters)


def _stage(layout: Layout, part: Excerpt, visit: Visit, words: Words) -> None:
    steps = steps_in_words(layout, visit.address.gpn, words, is_embedded=visit.is_embedded)
    orders = ["-".join(axes) for axes in permutations(DENSE_AXES)]
    assets.derivation.show(
        key="derivation",
        language=words.language,
        facts={
            "axes": layout.axes,
            "sizes": [layout.degree_of(axis) for axis in layout.axes],
            "shown": [part.shown[axis] for axis in layout.axes],
            "gpusPerNode": visit.address.gpn,
            "steps": steps,
            "step": visit.address.step,
            "pin": visit.address.pin,
            "heard": visit.heard.get("derivation"),
            "order": "-".join(layout.axes),
            "orders": orders,
            "isEmbedded": visit.is_embedded,
        },
        on_step_change=visit.hears(
            "derivation", "step", lambda told: visit.change(step=told["step"])
        ),
        on_pin_change=visit.hears("derivation", "pin", lambda told: visit.change(pin=told["rank"])),
        on_order_change=visit.hears(
            "derivation", "order", lambda told: visit.set_order(told["order"])
        ),
    )


def part_in_words(part: Excerpt, words: Words) -> str:
    """Which part of the job is drawn, where that is not all of it."""
    axes = [
        words(
            "derive.part_axis",
            axis=words(f"axis.{axis}"),
            shown=part.shown[axis] - 1,
            last=part.grid.size_of(axis) - 1,
        )
        for axis in part.shortened
    ]
    listed = words("list.separator").join(axes)
    return words("derive.part", n=part.size, all=count(part.grid.world_size), axes=listed)


def steps_in_words(
    layout: Layout, gpus_per_node: int, words: Words, *, is_embedded: bool = False
) -> list[dict[str, str]]:
    """For each step its title, its caption, and a note on what is often told instead ("" for none).

    In an embed nothing is said of lists and controls that are not there. With CP 1 there is nothing to
    copy, and only the first two steps are there.

    >>> [step["title"] for step in steps_in_words(Layout(tp=2, dp=2, pp=2), 8, Words("en"))]
    ['The job without CP', 'The sequence gets too long']
    """
    captions = _Captions(layout, gpus_per_node, words, is_embedded)
    return [
        {
            "title": captions.title(step),
            "caption": getattr(captions, f"step_{step}")(),
            "note": captions.note(step),
        }
        for step in range(1, (NUM_STEPS if layout.cp > 1 else 2) + 1)
    ]


class _Captions:
    """What is said at each step about one layout."""

    def __init__(self, layout: Layout, gpus_per_node: int, words: Words, is_embedded: bool) -> None:
        self.layout, self.gpus_per_node, self.words = layout, gpus_per_node, words
        self.is_embedded = is_embedded
        self.without = layout.with_(cp=1)
        self.rest = tuple(axis for axis in layout.axes if axis != "cp")
        self.end_to_end = layout.with_(order="-".join((*self.rest, "cp")))
        self.shape = shape_of_copies(layout, "cp")
        self.is_alone = self.without.world_size == 1  # each copy is a single rank
        self.stride = layout.stride_of("cp")
        self.numbers = {
            "order": "-".join(layout.axes),
            "tempting": self.end_to_end.order,
            "n0": count(self.without.world_size),
            "cp": count(layout.cp),
            "s": count(self.stride),
        }

    def step_1(self) -> str:
        """What TP, DP and PP are, and how many weight copies there are."""
        layout, words = self.layout, self.words
        degrees = {axis: count(layout.degree_of(axis)) for axis in self.rest}
        size = layout.tp * layout.pp
        kind = "copies_1_single" if size == 1 and layout.dp > 1 else "copies_1"
        said = [words(f"step.{kind}", n=layout.dp, size=count(size), dp=count(layout.dp))]
        if any(layout.degree_of(axis) == 1 for axis in self.rest):
            said.insert(0, words("step.ones_1"))
        return words(
            "step.caption_1",
            n=self.without.world_size,
            last=self.without.world_size - 1,
            order="-".join(self.rest),
            copies=words("list.sentences").join(said),
            **degrees,
        )

    def step_2(self) -> str:
        """Why the sequence is split, and how."""
        if self.layout.cp == 1:
            return self.words("step.caption_2_alone")
        chunks = 2 * self.layout.cp
        numbers = {"cp": self.numbers["cp"], "chunks": count(chunks), "last": chunks - 1}
        return self.words("step.caption_2", **numbers)

    def step_3(self) -> str:
        """What the copies share, and what they exchange."""
        layout = self.layout
        return self.words(
            "step.caption_3",
            weight_copies=count(layout.dp * layout.cp),
            replica=count(layout.tp * layout.cp * layout.pp),
            **self.numbers,
        )

    def step_4(self) -> str:
        """The copies end to end: an order in which cp is slowest."""
        words = self.words
        is_same = self.shape == "blocks"
        kind = "_alone" if self.is_alone else "_same" if is_same else ""
        reach = crossing(self.end_to_end, "cp", gpus_per_node=self.gpus_per_node)
        cost = "cost_4" if reach.num_crossing else "cost_4_inside"
        return words(
            f"step.caption_4{kind}",
            groups=self._first_groups(),
            megatron=self._megatron_on_end_to_end(is_same),
            cost=words(f"step.{cost}", **self.numbers),
            nodes=self._across_nodes(self.end_to_end),
            **self.numbers,
        )

    def step_5(self) -> str:
        """The digit c at its place in the order."""
        kind = {"blocks": "_same", "comb": "_comb"}.get(self.shape, "")
        if self.is_alone:
            kind = "_alone"
        nodes = self._across_nodes(self.layout)
        return self.words(f"step.caption_5{kind}", nodes=nodes, **self.numbers)

    def step_6(self) -> str:
        """Same position, other copies."""
        objection = objection_to_order(self.layout)
        return self.words(
            "step.caption_6",
            n=self.without.world_size,
            span=count((self.layout.cp - 1) * self.stride),
            same=self.words(f"step.same_6_{objection}" if objection else "step.same_6"),
            **self.numbers,
        )

    def step_7(self) -> str:
        """What the copies look like, and why."""
        kind = "_embedded" if self.is_embedded else "_alone" if self.is_alone else ""
        return self.words(f"step.caption_7{kind}", shape=self._shape_in_words())

    def title(self, step: int) -> str:
        """What a step is called."""
        kind = ""
        if step == 4 and self.shape == "blocks":
            kind = "_same"
        if step == 5 and self.layout.axes != DENSE_AXES:
            kind = "_order"
        return self.words(f"step.title_{step}{kind}")

    def note(self, step: int) -> str:
        """What is often told instead, and what is so in fact."""
        words, cp = self.words, self.layout.cp
        if step == 4 or (step == 2 and cp == 1):
            return ""
        said = [words(f"step.note_{step}", ratio=f"{(2 * cp - 1) / cp:.4g}")]
        if step == 1 and self.layout.pp > 1:
            said.append(words("step.note_1_pp"))
        return words("list.sentences").join(said)

    def _megatron_on_end_to_end(self, is_same: bool) -> str:
        """Whether Megatron would start with the copies end to end; where that is the order set, with that."""
        tempting, own = (objection_to_order(one) for one in (self.end_to_end, self.layout))
        kind: str = (own if is_same else tempting) or "accepts"
        if not is_same and tempting == own == "refuses":
            kind = "refuses_both"
        return self.words(f"step.megatron_4_{kind}", **self.numbers)

    def _shape_in_words(self) -> str:
        words, layout = self.words, self.layout
        if self.is_alone:
            return words("step.shape_alone")
        split = [axis for axis in layout.axes if layout.degree_of(axis) > 1]
        place = split.index("cp")
        faster, slower = (
            sentences.listed([words(f"axis.{axis}") for axis in axes], words) if axes else ""
            for axes in (split[:place], split[place + 1 :])
        )
        return words(
            f"step.shape_{self.shape}",
            period=count(self.stride * layout.cp),
            faster=faster,
            slower=slower,
            **self.numbers,
        )

    def _across_nodes(self, layout: Layout) -> str:
        found = crossing(layout, "cp", gpus_per_node=self.gpus_per_node)
        return sentences.crossing_in_words(found, self.words("axis.cp"), self.words)

    def _first_groups(self) -> str:
        n0 = self.without.world_size
        groups = [
            bracketed(range(position, self.layout.world_size, n0)) for position in range(min(n0, 2))
        ]
        listed = self.words("list.separator").join(groups)
        return self.words("list.and_so_on", items=listed) if n0 > 2 else listed


def bracketed(ranks: Sequence[int]) -> str:
    """A group's ranks as a log prints them; of a long group the first ones and the last.

    >>> bracketed([0, 8]), bracketed(range(0, 160, 10))
    ('[0, 8]', '[0, 10, 20, …, 150]')
    """
    shown = [str(rank) for rank in ranks[:_MOST_LISTED]]
    if len(ranks) > _MOST_LISTED:
        shown = [*shown[:3], "…", str(ranks[-1])]
    return f"[{', '.join(shown)}]"


def _with_cp(layout: Layout, visit: Visit) -> dict[str, Any]:
    """The change that sets CP to 2: within the same world where that works, else in a larger one."""
    change = {"cp": 2, "step": 3}
    try:
        visit.address.with_(**change).layout()
    except LayoutError:
        return {**change, "world": None, "dp": layout.dp}
    return change
