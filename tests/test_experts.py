"""The experts' grid: cases to check by eye, then properties against a slow reference."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layout import (
    EXPERT_AXES,
    MEGATRON_ORDER,
    Experts,
    Job,
    Layout,
    LayoutError,
    grid_in_levels,
    group_of_key,
    groups_of_key,
    job_of,
    kinds_of,
    objections,
)
from layout.presets import PRESETS
from tests import reference

SIXTEEN = Layout(tp=2, cp=2, dp=2, pp=2, order=MEGATRON_ORDER)
ORDERS = ["-".join(order) for order in permutations(("tp", "cp", "ep", "dp", "pp"))]


def test_experts_share_out_the_ranks_of_a_stage_anew() -> None:
    experts = Experts(SIXTEEN, ep=4, etp=1)
    assert (experts.etp, experts.ep, experts.edp, experts.pp) == (1, 4, 2, 2)
    assert experts.order == "etp-ep-edp-pp"
    assert experts.grid.groups("ep").tolist() == [
        [0, 1, 2, 3],  # all of TP x CP, and EP is larger than DP
        [4, 5, 6, 7],
        [8, 9, 10, 11],
        [12, 13, 14, 15],
    ]
    assert experts.grid.groups("edp").tolist()[:2] == [[0, 4], [1, 5]]


def test_etp_is_tp_where_it_is_not_given() -> None:
    assert Experts(Layout(tp=4, dp=2)).etp == 4
    assert Experts(Layout(tp=4, dp=2), etp=1).edp == 8
    assert Experts(Layout(tp=4, dp=2), etp=8).edp == 1, "it may be larger than TP"


def test_an_order_without_ep_will_do_where_ep_is_one() -> None:
    assert Experts(Layout(tp=2, dp=2, pp=2)).order == "etp-edp-pp-ep"
    with pytest.raises(LayoutError, match="ep is 2, but the order tp-cp-dp-pp does not name ep"):
        Experts(Layout(tp=2, dp=2, pp=2), ep=2)
    # DP 1 need not be named, but the experts have EDP 2 here.
    with pytest.raises(LayoutError, match="edp is 2, but the order tp-cp does not name dp"):
        Experts(Layout(tp=2, cp=2, order="tp-cp"))


def test_where_ep_stands_makes_another_value() -> None:
    near, far = (Layout(dp=4, order=order) for order in ("ep-dp", "dp-ep"))
    assert near == far, "to the dense grid it makes no difference"
    assert Experts(near, ep=2) != Experts(far, ep=2)
    assert Experts(near, ep=2).grid.groups("ep").tolist() == [[0, 1], [2, 3]]
    assert Experts(far, ep=2).grid.groups("ep").tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize(
    ("key", "edp"),
    [
        ("deepseek-v3", 2),
        ("kimi-k2", 1),
        ("mixtral-8x22b-128k", 16),
        ("deepseek-v3-recipe", 1),
        ("qwen3-235b", 1),
    ],
)
def test_published_jobs_have_their_edp(key: str, edp: int) -> None:
    (preset,) = (preset for preset in PRESETS if preset.key == key)
    assert preset.job.experts.edp == edp
    assert objections(preset.job) == ()


# ----------------------------------------------------------------------- properties


@st.composite
def some_experts(draw: st.DrawFn) -> Experts:
    """Any degrees that fit, primes included, in any order of the five axes."""
    small = st.integers(1, 4)
    etp, ep, pp = draw(small), draw(small), draw(small)
    tp = draw(st.sampled_from([etp, 1, 2]))
    cp = draw(st.integers(1, 3))
    per_stage = etp * ep * tp * cp
    layout = Layout(
        tp=tp,
        cp=cp,
        dp=per_stage // tp // cp * draw(small),
        pp=pp,
        order=draw(st.sampled_from(ORDERS)),
    )
    return Experts(layout, ep=ep, etp=etp)


many = settings(max_examples=60)


@many
@given(some_experts(), st.sets(st.sampled_from(EXPERT_AXES)))
def test_dealing_out_by_hand_agrees(experts: Experts, along: set[str]) -> None:
    assert experts.grid.groups(*along).tolist() == reference.expert_groups(
        experts.layout.order,
        world=experts.world_size,
        etp=experts.etp,
        ep=experts.ep,
        pp=experts.pp,
        along=along,
    )


@many
@given(some_experts())
def test_experts_are_a_value_over_the_same_ranks(experts: Experts) -> None:
    assert eval(repr(experts)) == experts
    assert hash(eval(repr(experts))) == hash(experts)
    assert experts.with_() == experts
    assert experts.grid.world_size == experts.layout.world_size == experts.world_size
    assert experts.etp * experts.ep * experts.edp * experts.pp == experts.world_size


@many
@given(some_experts())
def test_stages_are_the_same_ranks_for_all_that_megatron_accepts(experts: Experts) -> None:
    layout = experts.layout
    job = job_of(layout).with_(ep=experts.ep, etp=experts.etp)
    same = np.array_equal(layout.groups("pp"), experts.grid.groups("pp"))
    accepted = not objections(job)
    assert same or not accepted
    equal_dp = experts.edp == layout.dp
    assert accepted == (same and (layout.order.endswith("pp") or layout.pp == 1 or equal_dp))


@many
@given(some_experts(), st.data())
def test_every_kind_of_group_says_which_row_holds_a_rank(
    experts: Experts, data: st.DataObject
) -> None:
    cp, instances = experts.layout.cp, 2 if experts.edp % 2 == 0 else 1
    job = job_of(experts.layout).with_(
        ep=experts.ep,
        etp=experts.etp,
        dist_opt_instances=instances if experts.layout.dp * cp % instances == 0 else 1,
        hierarchical_cp=(cp, 1),
    )
    rank = data.draw(st.integers(0, experts.world_size - 1))
    for kind in kinds_of(job):
        groups = groups_of_key(job, kind.key)
        found = group_of_key(job, rank, kind.key)
        if found is None:
            assert kind.cut in ("ends", "first") and rank not in groups
        else:
            assert rank in found[1] and np.array_equal(groups[found[0]], found[1])
        if kind.cut not in ("ends", "first"):
            assert sorted(groups.reshape(-1).tolist()) == list(range(job.world_size)), kind.key


@many
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 3))
def test_levels_cut_every_cp_group_alike(sizes: list[int], tp: int, dp: int) -> None:
    job = Job(tp=tp, cp=int(np.prod(sizes)), dp=dp, hierarchical_cp=tuple(sizes))
    whole = job.layout.groups("cp").tolist()
    by_hand = [reference.levels(group, sizes) for group in whole]
    for level in range(len(sizes)):
        expected = [row for levels in by_hand for row in levels[level]]
        assert groups_of_key(job, f"hcp_{level}").tolist() == expected
        grid = grid_in_levels(job.layout, "cp", tuple(sizes))
        assert grid.groups(f"cp_{level}").tolist() == sorted(expected)


# --------------------------------------------------------------------- what is refused


@many
@given(
    st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6)
)
def test_what_is_offered_to_experts_works(tp: int, dp: int, pp: int, ep: int, etp: int) -> None:
    layout = Layout(tp=tp, dp=dp, pp=pp, order=MEGATRON_ORDER)
    stated: dict[str, Any] = {"ep": ep, "etp": etp}
    try:
        Experts(layout, **stated)
    except LayoutError as error:
        assert error.reason == "experts_not_divisible" and tp * dp % (ep * etp)
        assert error.fixes
        for fix in error.fixes:
            assert Experts(layout, **{**stated, **fix}).world_size == layout.world_size
            assert all(f"{axis} {degree}" in str(error) for axis, degree in fix.items())
    else:
        assert tp * dp % (ep * etp) == 0


@pytest.mark.parametrize("order", ["tp-dp-pp", "pp-dp-tp", "dp", "tp-cp-dp-pp"])
def test_the_order_that_is_offered_to_experts_works(order: str) -> None:
    layout = Layout(dp=4, order=order)
    with pytest.raises(LayoutError) as caught:
        Experts(layout, ep=2)
    (fix,) = caught.value.fixes
    assert Experts(layout.with_(**fix), ep=2).edp == 2
    words = [word for word in str(fix["order"]).split("-") if word in order.split("-")]
    assert words == order.split("-"), "known axes keep their sequence"
