"""Named frameworks lay ranks out as the real ones were recorded to."""

from typing import Any

import pytest

from layout import DENSE_AXES, Experts, Layout, objections
from layout.frameworks import FRAMEWORKS, order_of_mesh
from layout.job import job_of
from layout.ranks import normalised_order
from tests.golden_data import OTHER_FRAMEWORKS as OTHERS
from tests.test_golden import case_name

KEY_OF = {"torch DeviceMesh": "device-mesh"}


def order_of(case: dict[str, Any]) -> str:
    if case["framework"] == "torch DeviceMesh":
        return order_of_mesh(*case["axes_slowest_first"])
    return FRAMEWORKS[case["framework"]].order


@pytest.mark.parametrize("case", OTHERS["cases"], ids=case_name)
def test_a_named_framework_has_these_coordinates_and_groups(case: dict[str, Any]) -> None:
    framework = FRAMEWORKS[KEY_OF.get(case["framework"], case["framework"])]
    assert framework.lacking(case["sizes"]) == ()
    layout = Layout(**case["sizes"], order=order_of(case))
    assert layout.world_size == case["world"]
    for axis in DENSE_AXES:
        if axis in case["groups"]:
            told = [layout.coordinate_of(rank)[axis] for rank in range(layout.world_size)]
            assert told == case["coords"][axis], axis
            assert layout.groups(axis).tolist() == case["groups"][axis], axis
        else:
            assert layout.degree_of(axis) == 1


@pytest.mark.parametrize("case", OTHERS["cases"], ids=case_name)
def test_megatron_says_of_its_order_what_was_recorded(case: dict[str, Any]) -> None:
    asked = case["megatron"]["initialize_model_parallel"]
    found = objections(job_of(Layout(**case["sizes"], order=asked["order"])))
    assert (not found) == asked["accepts"]
    if found:
        assert found[0].quote == asked["message"]


@pytest.mark.parametrize(
    "case", [case for case in OTHERS["cases"] if "experts" in case], ids=case_name
)
def test_torchtitan_has_the_experts_of_megatron_with_etp_1(case: dict[str, Any]) -> None:
    told = case["experts"]
    assert told["ep_equals_megatron_ep"] and told["dp_replicate_x_efsdp_equals_megatron_expt_dp"]
    layout = Layout(**case["sizes"], order=told["initialize_model_parallel"]["order"])
    experts = Experts(layout, ep=told["megatron"]["ep"], etp=told["megatron"]["etp"])
    assert experts.edp == told["megatron"]["expt_dp"]
    found = objections(job_of(layout).with_(ep=experts.ep, etp=experts.etp))
    assert (not found) == told["initialize_model_parallel"]["accepts"]


def test_versions_and_orders_are_those_of_the_recordings() -> None:
    for told in OTHERS["frameworks"]:
        framework = FRAMEWORKS[KEY_OF.get(told["framework"], told["framework"])]
        assert told["version"] in framework.version
        if told["framework"] == "torch DeviceMesh":
            continue
        assert told["megatron_order"] == [framework.order]
    assert {told["framework"] for told in OTHERS["frameworks"]} == {
        case["framework"] for case in OTHERS["cases"]
    }


def test_every_framework_names_a_version_and_a_source() -> None:
    for key, framework in FRAMEWORKS.items():
        assert key == framework.key
        assert framework.version and framework.source and framework.name
        named = normalised_order(framework.order).split("-")
        # What the order names it has, and of the dense axes it has what the order names.
        assert not set(named) & set(framework.lacks)
        missing = set(DENSE_AXES) - set(named)
        assert missing <= set(framework.lacks)


def test_an_axis_that_is_lacking_is_named_where_it_is_chosen() -> None:
    assert FRAMEWORKS["accelerate"].lacking({"pp": 2, "tp": 2}) == ("pp",)
    assert FRAMEWORKS["torchtune"].lacking({"pp": 2}) == ("pp",)
    assert FRAMEWORKS["deepspeed"].lacking({"cp": 2, "ep": 2}) == ("cp", "ep")
    assert FRAMEWORKS["megatron"].lacking(dict.fromkeys(("tp", "cp", "pp", "ep", "etp"), 8)) == ()
    assert FRAMEWORKS["deepspeed"].lacking({"cp": 1}) == ()
