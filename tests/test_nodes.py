"""Which node a rank sits on, and which groups reach beyond one: by eye, then by counting."""

from itertools import permutations
from math import prod
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layout import (
    DENSE_AXES,
    Crossing,
    Experts,
    Grid,
    Job,
    Layout,
    LayoutError,
    crossing,
    crossing_of_key,
    groups_of_key,
    kinds_of,
    local_rank_of,
    node_of,
    num_nodes,
    reach_of_key,
)
from tests import reference

SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2)
ALL_ORDERS = ["-".join(order) for order in permutations(DENSE_AXES)]


def counted(grid: Grid, axes: tuple[str, ...], gpus_per_node: int) -> Crossing:
    """The same answer from every group and every rank."""
    groups = reference.groups(
        dict(zip(grid.axes, grid.sizes, strict=True)), axes, first=grid.first_rank
    )
    touched = [reference.num_nodes_touched(group, gpus_per_node) for group in groups]
    return Crossing(
        num_groups=len(groups),
        group_size=len(groups[0]),
        num_crossing=sum(num > 1 for num in touched),
        fewest_nodes=min(touched),
        most_nodes=max(touched),
    )


def test_ranks_fill_one_node_after_the_other() -> None:
    ranks = np.arange(10)
    assert node_of(ranks, gpus_per_node=4).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    assert local_rank_of(ranks, gpus_per_node=4).tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert num_nodes(10, gpus_per_node=4) == 3  # the last is half empty
    assert num_nodes(8, gpus_per_node=4) == 2
    assert num_nodes(1, gpus_per_node=4) == 1


@pytest.mark.parametrize(
    ("gpus_per_node", "crosses"),
    [
        (1, {"tp", "cp", "dp", "pp"}),
        (2, {"cp", "dp", "pp"}),
        (4, {"dp", "pp"}),
        (8, {"pp"}),
        (16, set()),
    ],
)
def test_sixteen_ranks_cross_nodes_along(gpus_per_node: int, crosses: set[str]) -> None:
    for axis in DENSE_AXES:
        found = crossing(SIXTEEN, axis, gpus_per_node=gpus_per_node)
        assert found.num_crossing == (8 if axis in crosses else 0), axis
    assert crossing(SIXTEEN, "dp", "cp", gpus_per_node=8).num_crossing == 0


def test_nodes_of_six_cut_through_some_groups_only() -> None:
    # Nodes: 0-5, 6-11, 12-15. tp-cp groups: 0-3, 4-7 (cut), 8-11, 12-15.
    assert crossing(SIXTEEN, "tp", "cp", gpus_per_node=6) == Crossing(
        num_groups=4, group_size=4, num_crossing=1, fewest_nodes=1, most_nodes=2
    )


def test_with_tp_as_large_as_a_node_every_step_along_cp_crosses() -> None:
    found = crossing(Layout(tp=8, cp=4), "cp", gpus_per_node=8)
    assert found == Crossing(
        num_groups=8, group_size=4, num_crossing=8, fewest_nodes=4, most_nodes=4
    )


@pytest.mark.parametrize(("size", "straddling"), [(8, []), (16, [64, 208]), (32, [64, 128, 192])])
def test_groups_that_straddle_72_gpus(size: int, straddling: list[int]) -> None:
    """Consecutive groups against the 72 GPUs of an NVLink domain, four domains' worth of ranks."""
    layout = Layout(tp=size, dp=288 // size)
    cut = [
        group[0]
        for group in layout.groups("tp").tolist()
        if len(set(node_of(np.array(group), gpus_per_node=72).tolist())) > 1
    ]
    assert cut == [first for first in straddling if first < 288]
    assert crossing(layout, "tp", gpus_per_node=72).num_crossing == len(cut)


def test_a_group_stays_in_a_node_exactly_when_its_span_divides_the_node() -> None:
    """Where the nodes divide the world and are smaller than it: size x stride divides the node."""
    for order in ALL_ORDERS:
        layout = Layout(tp=4, cp=2, dp=2, pp=4, order=order)
        for gpus_per_node in (1, 2, 4, 8, 16, 32):
            for axis in DENSE_AXES:
                span = layout.degree_of(axis) * layout.stride_of(axis)
                found = crossing(layout, axis, gpus_per_node=gpus_per_node)
                assert (found.num_crossing == 0) == (gpus_per_node % span == 0)


@settings(max_examples=250)
@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=4),
    st.integers(0, 15),
    st.integers(1, 40) | st.integers(1, 3000),
    st.integers(0, 50),
)
def test_counting_every_rank_agrees(
    sizes: list[int], bits: int, gpus_per_node: int, first: int
) -> None:
    axes = DENSE_AXES[: len(sizes)]
    grid = Grid(axes=axes, sizes=tuple(sizes), first_rank=first)
    along = tuple(axis for i, axis in enumerate(axes) if bits >> i & 1)
    assert crossing(grid, *along, gpus_per_node=gpus_per_node) == counted(
        grid, along, gpus_per_node
    )


@pytest.mark.parametrize("order", ALL_ORDERS)
def test_every_order_agrees_with_counting(order: str) -> None:
    layout = Layout(tp=2, cp=3, dp=5, pp=4, order=order)
    for gpus_per_node in (1, 3, 4, 7, 8, 60, 200):
        for axes in (("tp",), ("cp",), ("dp",), ("pp",), ("dp", "cp"), ("tp", "pp")):
            found = crossing(layout, *axes, gpus_per_node=gpus_per_node)
            assert found == counted(layout.grid, axes, gpus_per_node)


def test_all_parts_are_plain_ints() -> None:
    found = crossing(SIXTEEN, "tp", gpus_per_node=3)
    assert {type(count) for count in vars(found).values()} == {int}
    assert type(node_of(5, gpus_per_node=2)) is int


@pytest.mark.parametrize("gpus_per_node", [1, 7, 8, 72, 2048, 2**22])
def test_the_largest_world_is_counted(gpus_per_node: int) -> None:
    layout = Layout(tp=8, cp=16, dp=2048, pp=16)
    for axes in (("tp",), ("cp",), ("dp",), ("pp",), ("dp", "cp"), DENSE_AXES):
        found = crossing(layout, *axes, gpus_per_node=gpus_per_node)
        assert found.group_size == prod(layout.degree_of(axis) for axis in axes)
        assert found.num_groups * found.group_size == 2**22
        for row in node_of(layout.groups(*axes)[[0, -1]], gpus_per_node=gpus_per_node):
            num_touched = np.count_nonzero(np.bincount(row))
            assert found.fewest_nodes <= num_touched <= found.most_nodes
        if gpus_per_node == 2**22:
            assert found.num_crossing == 0


@pytest.mark.parametrize("wrong", [0, -8, 2.5, 8.0, True, "8", None, 2**22 + 1, 10**30])
def test_a_wrong_number_of_gpus_per_node_is_refused(wrong: Any) -> None:
    for refused in (
        lambda: node_of(0, gpus_per_node=wrong),
        lambda: local_rank_of(0, gpus_per_node=wrong),
        lambda: num_nodes(8, gpus_per_node=wrong),
        lambda: crossing(SIXTEEN, "tp", gpus_per_node=wrong),
    ):
        with pytest.raises(LayoutError, match=r"^gpus_per_node is ") as caught:
            refused()
        assert caught.value.reason.startswith("degree_")


def test_wrong_axes_ranks_and_worlds_are_refused() -> None:
    with pytest.raises(LayoutError, match="no axis ep"):
        crossing(SIXTEEN, "ep", gpus_per_node=8)
    with pytest.raises(LayoutError, match="named twice"):
        crossing(SIXTEEN, "tp", "tp", gpus_per_node=8)
    with pytest.raises(LayoutError, match="no rank -1"):
        local_rank_of(np.array([0, -1]), gpus_per_node=8)
    with pytest.raises(LayoutError, match="world is 0"):
        num_nodes(0, gpus_per_node=8)


# -------------------------------------------- every kind of group, nodes and NVLink domains


def counted_in(groups: list[list[int]], size: int) -> Crossing:
    touched = [reference.num_nodes_touched(group, size) for group in groups]
    return Crossing(
        num_groups=len(groups),
        group_size=len(groups[0]),
        num_crossing=sum(num > 1 for num in touched),
        fewest_nodes=min(touched),
        most_nodes=max(touched),
    )


def test_on_an_nvl72_rack_dp_leaves_the_node_but_not_the_domain() -> None:
    reach = reach_of_key(Layout(tp=4, dp=18), "dp", gpus_per_node=4, nvlink_domain=72)
    assert (reach.nodes.num_crossing, reach.nodes.most_nodes) == (4, 18)
    assert (reach.domains.num_crossing, reach.domains.most_nodes) == (0, 1)


@pytest.mark.parametrize(
    ("size", "first_ranks"), [(16, [64, 208]), (32, [64, 128, 192]), (64, [64, 128, 192, 256])]
)
def test_groups_of_experts_that_straddle_a_domain_of_72(size: int, first_ranks: list[int]) -> None:
    experts = Experts(Layout(dp=320 // size * size, order="ep-dp"), ep=size)
    lowest = [
        group[0]
        for group in experts.grid.groups("ep").tolist()
        if reference.num_nodes_touched(group, 72) > 1
    ]
    assert [rank for rank in lowest if rank < 288] == first_ranks
    found = crossing(experts, "ep", gpus_per_node=72)
    assert found.num_crossing == len(lowest)


def test_the_inner_level_of_hierarchical_cp_stays_where_the_outer_leaves() -> None:
    job = Job(tp=8, cp=4, hierarchical_cp=(2, 2))
    assert groups_of_key(job, "hcp_0")[0].tolist() == [0, 8]
    assert groups_of_key(job, "hcp_1")[0].tolist() == [0, 16]
    reach = [
        reach_of_key(job, f"hcp_{level}", gpus_per_node=8, nvlink_domain=16) for level in (0, 1)
    ]
    assert [level.nodes.num_crossing for level in reach] == [16, 16]
    assert [level.domains.num_crossing for level in reach] == [0, 16]


@settings(max_examples=120)
@given(
    st.tuples(*[st.integers(1, 4)] * 6),
    st.permutations(["tp", "cp", "ep", "dp", "pp"]),
    st.integers(1, 100),
)
def test_counts_of_every_kind_are_those_of_looking_at_every_group(
    degrees: tuple[int, ...], words: list[str], size: int
) -> None:
    tp, cp, ep, etp, dp, pp = degrees
    job = Job(
        tp=tp,
        cp=cp,
        ep=ep,
        etp=etp,
        pp=pp,
        dp=dp * ep * etp,
        order="-".join(words),
        hierarchical_cp=(cp, 1),
        dist_opt_instances=dp,
    )
    for kind in kinds_of(job):
        try:
            groups = groups_of_key(job, kind.key).tolist()
        except LayoutError as error:
            assert error.reason == "instances_not_divisible"
            continue
        found = crossing_of_key(job, kind.key, gpus_per_node=size)
        assert found == counted_in(groups, size), kind.key
        assert {type(count) for count in vars(found).values()} == {int}


def test_the_reach_of_all_kinds_of_131072_ranks_is_told_at_once() -> None:
    job = Job(tp=8, cp=16, dp=64, pp=16, ep=32, etp=1, hierarchical_cp=(4, 4), dist_opt_instances=2)
    assert job.world_size == 131_072
    began = perf_counter()
    for kind in kinds_of(job):
        reach_of_key(job, kind.key, gpus_per_node=4, nvlink_domain=72)
    assert perf_counter() - began < 2, "about 0.1 s; a loop over groups takes minutes"


def test_a_wrong_domain_is_refused_by_its_name() -> None:
    with pytest.raises(LayoutError, match="nvlink_domain is 0"):
        reach_of_key(SIXTEEN, "tp", gpus_per_node=8, nvlink_domain=0)
    with pytest.raises(LayoutError, match="gpus_per_node is 0"):
        reach_of_key(SIXTEEN, "embd", gpus_per_node=0, nvlink_domain=8)
