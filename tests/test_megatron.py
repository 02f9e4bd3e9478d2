"""Would Megatron start? The recorded refusals, then properties of what is offered in their place."""

import re
from collections.abc import Iterator
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from layout import (
    CP_TYPES,
    MAX_WORLD_SIZE,
    MEGATRON_ORDER,
    OBJECTIONS,
    Experts,
    Job,
    Layout,
    LayoutError,
    job_of,
    objection_to_order,
    objections,
)
from layout.mending import MOST_FIXES
from layout.rules import RULES
from tests.golden_data import MEGATRON
from tests.test_golden import CONFIGS, job_from

# About other things than the layout: SHARP, and calls in another state of the process.
NOT_ABOUT_THE_JOB = {
    *("sharp_group_needs_use_sharp", "sharp_group_name", "sharp_replica_needs_dist_opt"),
    *("already_initialized", "torch_distributed_initialized"),
}
REJECTIONS = {
    entry["id"]: entry
    for entry in MEGATRON["rejections"]
    if entry["call"].startswith("initialize_model_parallel")
    and entry["constraint"] not in NOT_ABOUT_THE_JOB
}


def rules_broken(**said: Any) -> list[str]:
    return [objection.rule for objection in objections(Job(**said))]


# ----------------------------------------------------------------------- recordings


def test_every_recorded_refusal_is_here() -> None:
    assert len(REJECTIONS) == 73
    recorded = {entry["constraint"] for entry in REJECTIONS.values()}
    training = [name for name, _ in RULES].index("cp_type_needs_levels")
    assert recorded == {name for name, _ in RULES[:training]}


@pytest.mark.parametrize("name", REJECTIONS)
def test_megatron_stops_at_this_rule(name: str) -> None:
    entry = REJECTIONS[name]
    first, *_ = objections(job_from(entry["config"]))
    assert first.rule == entry["constraint"]


@pytest.mark.parametrize("name", REJECTIONS)
def test_what_megatron_prints_is_quoted(name: str) -> None:
    entry = REJECTIONS[name]
    first, *_ = objections(job_from(entry["config"]))
    if first.rule == "degree_zero":  # what Python says of it changes with its version
        assert first.quote == entry["exception"]
        return
    exception, words = "", first.quote
    if "Error: " in first.quote:
        exception, words = first.quote.split(": ", 1)
    assert exception in ("", entry["exception"])
    if exception == "KeyError":
        words = words.strip("'")
    pattern = ".*".join(re.escape(part) for part in words.split("…"))
    assert re.fullmatch(pattern, entry["message"])


@pytest.mark.parametrize("name", CONFIGS)
def test_what_megatron_accepted_breaks_no_rule(name: str) -> None:
    assert objections(job_from(CONFIGS[name]["config"])) == ()


# --------------------------------------------------------------------------- by eye


def test_an_objection_has_its_numbers_its_quote_and_its_fixes() -> None:
    (objection,) = objections(Job(world=8, tp=3))
    assert objection.sentence == "tp 3 x cp 1 x pp 1 = 3 does not divide a world of 8 ranks"
    assert objection.quote == "world_size (8) is not divisible by 3"
    assert objection.source == "megatron/core/parallel_state.py, megatron-core 0.19.2"
    assert objection.fixes[:4] == ({"world": 9}, {"tp": 4}, {"world": 6}, {"tp": 2})


def test_the_order_of_llama_3_is_refused_while_cp_and_pp_are_over_one() -> None:
    said: dict[str, Any] = {"world": 16, "tp": 2, "order": "tp-cp-pp-dp"}
    assert rules_broken(**said, cp=2, pp=2) == ["non_pp_last_needs_equal_dp"]
    assert rules_broken(**said, cp=1, pp=2) == rules_broken(**said, cp=2, pp=1) == []


def test_the_verdict_judges_the_order_as_typed() -> None:
    said: dict[str, Any] = {"world": 16, "tp": 2, "cp": 2, "pp": 2}
    assert rules_broken(**said, order="tp-cp-dp-pp") == []
    (shouted,) = objections(Job(**said, order="TP-CP-DP-PP"))
    assert shouted.rule == "non_pp_last_needs_equal_dp"
    assert shouted.fixes[0] == {"order": "tp-cp-dp-pp"}
    assert Job(**said, order="TP-CP-DP-PP").layout.order == "tp-cp-dp-pp"


def test_an_order_that_repeats_an_axis_is_refused_where_that_moves_ranks() -> None:
    # Run once with the real package: an axis of size 1, or with nothing slower, does no harm.
    assert rules_broken(tp=2, dp=2, pp=2, order="tp-tp-dp-pp") == ["order_repeats_axis"]
    assert rules_broken(tp=2, dp=2, pp=2, order="tp-cp-cp-dp-pp") == []
    assert rules_broken(tp=2, dp=2, order="tp-dp-tp") == []


def test_dp_stays_as_stated_where_the_world_is_not() -> None:
    (objection,) = objections(Job(tp=2, dp=2, pp=2, ep=3))
    assert {"dp": 3} in objection.fixes
    assert not any("world" in fix for fix in objection.fixes)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"num_layers": 30, "pp": 4, "dp": 1}, "layers_multiple_of_pp"),
        ({"num_layers": 12, "pp": 4, "vpp": 2}, "layers_multiple_of_chunks"),
        ({"seq_length": 8190, "cp": 2}, "sequence_multiple_of_twice_cp"),
        ({"num_experts": 6, "dp": 4, "ep": 4}, "experts_multiple_of_ep"),
        ({"sp": True}, "sp_needs_tp"),
        ({"num_heads": 12, "tp": 8}, "heads_multiple_of_tp"),
        ({"num_heads": 12, "num_kv_groups": 4, "tp": 6}, "kv_groups_fit_tp"),
        ({"seq_length": 10, "tp": 4, "sp": True}, "sequence_splits_over_tp"),
        ({"seq_length": 24, "cp": 2, "tp": 8, "sp": True}, "sequence_splits_over_tp"),
        ({"tp": 2, "dp": 2, "ep": 2, "sp": False}, "moe_needs_sp"),
        ({"tp": 2, "num_experts": 8, "sp": False}, "moe_needs_sp"),
        ({"num_heads": 8, "num_kv_groups": 2, "cp": 4, "cp_type": "a2a"}, "heads_split_over_cp"),
        ({"cp": 4, "cp_type": "a2a+p2p"}, "cp_type_needs_levels"),
        (
            {"cp": 8, "cp_type": "a2a+p2p", "hierarchical_cp": (2, 2, 2)},
            "cp_type_takes_two_levels",
        ),
    ],
)
def test_training_has_rules_of_its_own(said: dict[str, Any], rule: str) -> None:
    assert rules_broken(**said) == [rule]


@pytest.mark.parametrize(
    "said",
    [
        {"num_layers": 32, "pp": 4, "vpp": 2},
        {"num_layers": 7},
        {"seq_length": 7},  # odd, but there is no CP
        {"seq_length": 8192, "cp": 2, "tp": 8, "sp": True},
        {"num_experts": 8, "dp": 4, "ep": 4},
        {"num_heads": 32, "num_kv_groups": 8, "tp": 16},  # groups are doubled
        {"tp": 2, "dp": 2, "ep": 2},  # SP is not said, and so not checked
        {"num_heads": 32, "num_kv_groups": 8, "tp": 2, "cp": 4, "cp_type": "a2a"},
        {"cp": 4, "cp_type": "a2a+p2p", "hierarchical_cp": (2, 2)},
    ],
)
def test_training_has_nothing_against(said: dict[str, Any]) -> None:
    assert rules_broken(**said) == []


def test_a_dense_job_is_not_advised_to_have_experts() -> None:
    for order in ("tp-cp-pp-dp", "cp-pp-tp-dp", "pp-dp-cp-tp"):
        for job in (Job(tp=2, cp=2, dp=2, pp=2, order=order), Job(cp=3, dp=8, pp=4, order=order)):
            fixes = [fix for objection in objections(job) for fix in objection.fixes]
            assert fixes and not any(fix.keys() & {"ep", "etp", "num_experts"} for fix in fixes)


def test_an_order_that_lacks_ep_is_not_judged_by_the_grid_that_it_cannot_have() -> None:
    assert rules_broken(tp=2, dp=4, pp=2, ep=2, order="tp-cp-dp-pp") == ["order_lacks_axis"]


def test_every_rule_has_words_and_every_word_a_rule() -> None:
    assert set(OBJECTIONS) == {name for name, _ in RULES}
    for words in OBJECTIONS.values():
        assert words.sentence and words.source
        assert not words.sentence.endswith(".")


# ----------------------------------------------------------------------- properties


degree = st.sampled_from([1, 1, 1, 2, 2, 3, 4, 6, 8])
words_of_orders = st.permutations(["tp", "cp", "ep", "dp", "pp"]).flatmap(
    lambda words: st.lists(st.sampled_from(["tp", "pp", "xx", "", "dp"]), max_size=1).map(
        lambda more: [*words, *more]
    )
)


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """Any job, sound or not: in a stated world or with a stated DP, some with the model's numbers."""
    said: dict[str, Any] = {axis: draw(degree) for axis in ("tp", "cp", "pp", "ep")}
    said["etp"] = draw(st.none() | degree)
    words = draw(st.sampled_from([["tp", "cp", "ep", "dp", "pp"]]) | words_of_orders)
    words = words[draw(st.sampled_from([0, 0, 0, 0, 1])) :]
    order = "-".join(words)
    said["order"] = draw(st.sampled_from([order, order, order.upper()]))
    if draw(st.booleans()):
        said["world"] = draw(st.integers(1, 200) | st.sampled_from([256, 1024, 16384]))
    else:
        said["dp"] = draw(degree)
    if draw(st.booleans()):
        said["vpp"] = draw(st.integers(1, 4))
        said["dist_opt_instances"] = draw(st.sampled_from([1, 2, 3]))
        said["hierarchical_cp"] = tuple(draw(st.lists(st.integers(1, 4), max_size=3)))
        said["hybrid_cp"] = draw(st.booleans())
        said["gtp"] = draw(st.sampled_from([1, 1, 1, 2]))
        said["egtp"] = draw(st.sampled_from([1, 1, 1, 2]))
    if draw(st.booleans()):
        said["num_layers"] = draw(st.none() | st.integers(1, 100))
        said["num_heads"] = draw(st.none() | st.integers(1, 128))
        said["num_kv_groups"] = draw(st.none() | st.integers(1, 16))
        said["seq_length"] = draw(st.none() | st.integers(1, 10_000))
        said["num_experts"] = draw(st.none() | st.integers(1, 64))
        said["sp"] = draw(st.none() | st.booleans())
        said["cp_type"] = draw(st.none() | st.sampled_from(CP_TYPES))
    if draw(st.sampled_from([False] * 9 + [True])):
        said[draw(st.sampled_from(["tp", "cp", "pp", "ep", "etp"]))] = draw(
            st.sampled_from([0, -1, -2, 2.0, 2.5, 10**9])
        )
    return Job(**said)


@settings(max_examples=150)
@given(jobs())
def test_every_fix_leads_to_a_job_that_starts(job: Job) -> None:
    found = objections(job)
    assert len({objection.rule for objection in found}) == len(found)
    for objection in found:
        assert objection.sentence and "{" not in objection.sentence
        assert objection.message.startswith(objection.sentence)
        assert objection.message.isprintable()
        assert 1 <= len(objection.fixes) <= MOST_FIXES
        counts = [len(fix) for fix in objection.fixes]
        assert counts == sorted(counts), "fewest changes first"
        for fix in objection.fixes:
            mended = job.with_(**fix)
            assert fix and repr(mended) != repr(job)
            assert objections(mended) == ()
            assert mended.experts.world_size == mended.world_size <= MAX_WORLD_SIZE
            assert not ("dp" in fix and job.world is not None)
            assert not ("world" in fix and job.world is None)


@settings(max_examples=60)
@given(jobs(), st.sampled_from(["tp", "cp", "pp", "ep", "etp", "vpp"]), st.integers(1, 16))
def test_what_one_change_mends_is_offered_one_change(job: Job, name: str, size: int) -> None:
    changed = job.with_(**{name: size})
    found = objections(job)
    if (
        not found
        or objections(changed)
        or len(set(job.order.split("-"))) < job.order.count("-") + 1
    ):
        return
    assert len(found[0].fixes[0]) == 1


@settings(max_examples=150)
@given(jobs())
def test_whatever_starts_has_both_grids(job: Job) -> None:
    words = job.order.lower().split("-")
    if objections(job) or len(set(words)) < len(words) or job.world_size > MAX_WORLD_SIZE:
        return
    if job.gtp == job.egtp == 1:
        dp, edp = job.dp_degree, job.edp_degree
        assert job.layout.world_size == job.world_size == prod((job.tp, job.cp, dp or 0, job.pp))
        assert (job.layout.dp, job.experts.edp) == (dp, edp)
        assert job.layout.groups("pp").tolist() == job.experts.grid.groups("pp").tolist()


def layouts() -> Iterator[Layout]:
    for order in ("tp-cp-dp-pp", "tp-cp-pp-dp", "pp-tp-cp-dp", "cp-dp-pp", "dp-cp-ep-pp"):
        for cp in (1, 2):
            for pp in (1, 2):
                yield Layout(cp=cp, dp=2, pp=pp, order=order)


@pytest.mark.parametrize("layout", list(layouts()), ids=repr)
def test_the_objection_to_an_order_is_one_of_the_rules(layout: Layout) -> None:
    rules = {objection.rule for objection in objections(job_of(layout))}
    expected = None
    if "order_lacks_tp_unnoticed" in rules:
        expected = "needs_tp"
    elif "non_pp_last_needs_equal_dp" in rules:
        expected = "refuses"
    assert objection_to_order(layout) == expected


def test_nothing_but_a_layout_error_comes_out_of_a_job() -> None:
    anything: list[Any] = [
        float("nan"),
        float("inf"),
        "8",
        None,
        True,
        2.5,
        10**30,
        -1,
        0,
        [],
        "tp",
    ]
    for value in anything:
        for name in ("tp", "ep", "world", "dp", "vpp", "dist_opt_instances", "num_layers"):
            try:
                job = Job(**{name: value})
                objections(job)
                Experts(job.layout)
            except LayoutError as error:
                assert str(error).isprintable()


def test_default_order_of_a_job_is_megatrons() -> None:
    assert Job().order == MEGATRON_ORDER
    assert Job(dp=2) == Job(dp=2).with_()
