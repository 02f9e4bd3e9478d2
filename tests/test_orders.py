"""What the page Orders says of two or three orders, against the groups themselves."""

from collections.abc import Iterable, Mapping

import pytest
from streamlit.testing.v1 import AppTest

from assets.text import Words
from layout import DENSE_AXES, Layout, LayoutError, objection_to_order
from layout.frameworks import FRAMEWORKS, frameworks_with
from layout.orders import ORDERS, against_rule_of_thumb, compare, dense_order
from pages.orders import differences_in_words, named, rule_in_words, table_of, who_in_words
from tests import reference
from tests.test_pages import one_page, words_on

WORDS = Words("en")
DEGREES = [(2, 2, 2, 2), (3, 5, 2, 7), (4, 1, 3, 2), (1, 1, 8, 1), (1, 1, 1, 1)]


def page(query: Mapping[str, str] | None = None) -> AppTest:
    """The page Orders as a browser with this link would open it."""
    app = AppTest.from_function(one_page, kwargs={"name": "orders"}, default_timeout=20)
    for name, value in (query or {}).items():
        app.query_params[name] = value
    return app.run()


def layouts_of(degrees: tuple[int, ...], orders: Iterable[str]) -> dict[str, Layout]:
    sizes = dict(zip(DENSE_AXES, degrees, strict=True))
    return {order: Layout(**sizes, order=order) for order in orders}


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize(("gpn", "nvl"), [(8, 8), (4, 72), (5, 7), (1, 3)])
def test_the_tables_say_what_counting_says_in_all_24_orders(
    degrees: tuple[int, ...], gpn: int, nvl: int
) -> None:
    comparison = compare(layouts_of(degrees, ORDERS), gpus_per_node=gpn, nvlink_domain=nvl)
    sizes = dict(zip(DENSE_AXES, degrees, strict=True))
    for order in ORDERS:
        in_order = {axis: sizes[axis] for axis in order.split("-")}
        for axis in DENSE_AXES:
            groups = reference.groups(in_order, [axis])
            crossing = [
                sum(reference.num_nodes_touched(group, size) > 1 for group in groups)
                for size in (gpn, nvl)
            ]
            found = comparison[axis][order]
            assert found.degree == sizes[axis]
            assert found.farthest == groups[0][-1] - groups[0][0], (order, axis)
            if sizes[axis] > 1:
                assert found.stride == groups[0][1] - groups[0][0], (order, axis)
            of_all = [f"{number:,} of {len(groups):,}" for number in crossing]
            row = [order, f"{found.stride:,}", f"{found.farthest:,}", *of_all]
            assert f"|{'|'.join(row)}|" in table_of(comparison[axis], WORDS)


@pytest.mark.parametrize("degrees", DEGREES)
def test_axes_are_said_to_have_the_same_groups_where_they_have(degrees: tuple[int, ...]) -> None:
    sizes = dict(zip(DENSE_AXES, degrees, strict=True))
    for other in ORDERS:
        pair = layouts_of(degrees, ("tp-cp-dp-pp", other))
        said = differences_in_words(compare(pair, gpus_per_node=8, nvlink_domain=8), WORDS)
        one, two = ({a: sizes[a] for a in order.split("-")} for order in ("tp-cp-dp-pp", other))
        split = [axis for axis in DENSE_AXES if sizes[axis] > 1]
        same = [a for a in split if reference.groups(one, [a]) == reference.groups(two, [a])]
        if not split:
            assert said == ["Every degree is 1: there is one rank, and every order is the same."]
            continue
        (first,) = [s for s in said if "the same groups" in s] or [""]
        assert [axis for axis in split if axis.upper() in first] == same, other
        assert [s[2:4].lower() for s in said if s.startswith("**")] == [
            axis for axis in split if axis not in same
        ]


def test_what_differs_between_megatron_and_llama_3_on_sixteen_gpus() -> None:
    both = layouts_of((2, 2, 2, 2), ("tp-cp-dp-pp", "tp-cp-pp-dp"))
    said = differences_in_words(compare(both, gpus_per_node=8, nvlink_domain=8), WORDS)
    assert said == [
        "TP and CP have the same groups in every order here.",
        (
            "**DP** is closest in tp-cp-dp-pp: its neighbours are 4 ranks apart there, but 8 in "
            "tp-cp-pp-dp. Groups that leave their NVLink domain: 0 of 8 in tp-cp-dp-pp and 8 of 8 in "
            "tp-cp-pp-dp. Along it, together with CP, go gradients, once per step."
        ),
        (
            "**PP** is closest in tp-cp-pp-dp: its neighbours are 4 ranks apart there, but 8 in "
            "tp-cp-dp-pp. Groups that leave their NVLink domain: 8 of 8 in tp-cp-dp-pp and 0 of 8 in "
            "tp-cp-pp-dp. Along it go activations and their gradients, point to point between stages."
        ),
    ]


def test_two_orders_of_24_keep_to_the_rule_of_thumb() -> None:
    layouts = layouts_of((2, 2, 2, 2), ORDERS)
    keeping = [order for order, layout in layouts.items() if not against_rule_of_thumb(layout)]
    assert keeping == ["tp-cp-dp-pp", "tp-cp-pp-dp"]
    comparison = compare(layouts, gpus_per_node=8, nvlink_domain=8)
    first, *others = rule_in_words(layouts, comparison, WORDS, nvlink_domain=8)
    assert first == "**tp-cp-dp-pp** and **tp-cp-pp-dp** keep to it."
    assert len(others) == 22 and all(" departs from it: " in sentence for sentence in others)


@pytest.mark.parametrize(
    ("degrees", "order", "nvl", "said"),
    [
        ((16, 1, 1, 2), "tp-cp-dp-pp", 72, ["**tp-cp-dp-pp** keeps to it."]),
        (
            (16, 1, 1, 2),
            "tp-cp-dp-pp",
            8,
            [
                "**tp-cp-dp-pp** keeps to it.",
                "TP 16 is larger than an NVLink domain, so TP groups leave it in any order.",
            ],
        ),
        (
            (4, 1, 4, 1),
            "tp-cp-dp-pp",
            6,
            ["**tp-cp-dp-pp** departs from it: 1 of 4 TP groups leaves its NVLink domain."],
        ),
    ],
)
def test_tp_that_leaves_its_nvlink_domain_departs_from_the_rule_of_thumb(
    degrees: tuple[int, ...], order: str, nvl: int, said: list[str]
) -> None:
    layouts = layouts_of(degrees, (order,))
    comparison = compare(layouts, gpus_per_node=2, nvlink_domain=nvl)
    assert rule_in_words(layouts, comparison, WORDS, nvlink_domain=nvl) == said
    with_experts = rule_in_words(layouts, comparison, WORDS, nvlink_domain=nvl, has_experts=True)
    assert with_experts[:-1] == said and "EP × TP" in with_experts[-1]


def test_every_framework_is_named_beside_its_order_with_version_and_source() -> None:
    for framework in FRAMEWORKS.values():
        order = dense_order(framework.order)
        assert framework in frameworks_with(order)
        assert named(order, WORDS).startswith(f"{order} · "), framework.key
        said = who_in_words([order], WORDS).replace("\\", "")
        assert f"- {framework.name}, {framework.version}. Source: {framework.source}." in said


def test_the_first_comparison_is_megatrons_default_with_llama_3s() -> None:
    app = page()
    assert [app.selectbox(key=f"panel_{name}").value for name in ("order", "vs")] == [
        "tp-cp-dp-pp",
        "tp-cp-pp-dp",
    ]
    accepts, refuses = (caption.value for caption in app.caption)
    assert accepts.startswith("Megatron would start with this order")
    assert refuses.startswith("Megatron would not start with this order")
    assert len(app.get("bidi_component")) == 2


def test_llama_3s_order_is_compared_with_megatrons_default() -> None:
    app = page({"order": "tp-cp-pp-dp"})
    assert app.selectbox(key="panel_vs").value == "tp-cp-dp-pp"


def test_each_of_24_orders_and_each_named_one_can_be_chosen() -> None:
    app = page()
    options = app.selectbox(key="panel_vs").options
    assert {option.split(" · ")[0] for option in options} == {*ORDERS, "tp-cp-dp", "tp-dp-pp"}
    for order in ORDERS:
        app.selectbox(key="panel_vs").set_value(order).run()
        assert not app.exception and not app.warning
        refuses = objection_to_order(Layout(tp=2, cp=2, dp=2, pp=2, order=order)) is not None
        assert ("would not start" in app.caption[1].value) == refuses, order


def test_a_third_order_comes_and_goes() -> None:
    app = page()
    app.button(key="third").click().run()
    assert app.selectbox(key="panel_vs3").value == "pp-dp-cp-tp"
    assert len(app.get("bidi_component")) == 3
    app.button(key="third").click().run()
    assert len(app.selectbox) == len(page().selectbox)


def test_a_third_order_names_ep_where_the_job_has_experts() -> None:
    app = page({"moe": "on", "ep": "4", "etp": "1"})
    app.button(key="third").click().run()
    assert app.session_state["visit"].address.vs3 == "pp-dp-cp-ep-tp"
    assert len(app.get("bidi_component")) == 3


def test_an_order_that_lacks_an_axis_says_so_in_its_panel_and_offers_one_that_has_it() -> None:
    app = page({"vs": "tp-dp-pp"})
    assert "With CP 2 the order has to name cp" in app.warning[0].value
    assert len(app.get("bidi_component")) == 1
    (fix,) = [button for button in app.button if button.label.startswith("order ")]
    fix.click().run()
    assert not app.warning and app.selectbox(key="panel_vs").value == "tp-dp-pp-cp"


def test_an_order_of_the_readers_own_that_lacks_an_axis_keeps_the_comparison() -> None:
    app = page()
    app.selectbox(key="panel_order").set_value("tp-cp-dp").run()
    assert "With PP 2 the order has to name pp" in app.warning[0].value
    assert app.selectbox(key="panel_vs").value == "tp-cp-pp-dp"
    assert len(app.get("bidi_component")) == 1 and "### PP 2" in words_on(app)
    (fix,) = [button for button in app.button if button.label.startswith("order ")]
    fix.click().run()
    assert not app.warning and len(app.get("bidi_component")) == 2


def test_pictures_of_dense_grids_have_no_control_of_experts() -> None:
    app = page({"moe": "on", "ep": "4", "etp": "1"})
    assert not app.segmented_control and app.selectbox(key="colour").value == "pp"
    assert "etp-ep" not in app.selectbox(key="light").options
    assert app.session_state["visit"].address.orders()["vs"] == "tp-cp-ep-pp-dp"


def test_what_megatron_refuses_is_laid_to_the_order_only_where_it_is_the_orders_fault() -> None:
    said = " ".join(caption.value for caption in page({"layers": "7"}).caption)
    assert "would not start this job, whatever the order; the Explorer says why" in said
    assert "would not start with this order\\: The order tp-cp-pp-dp does not end in pp" in said


def test_more_ranks_than_are_drawn_keep_tables_and_sentences() -> None:
    app = page({"dp": "65536"})
    assert "524,288 GPUs are more than the pictures draw (131,072)" in app.warning[0].value
    assert not app.get("bidi_component")
    assert "|tp-cp-pp-dp|8|524,280|8 of 8|8 of 8|" in words_on(app)
    assert "**DP** is closest in tp-cp-dp-pp" in words_on(app)


@pytest.mark.parametrize("query", [{"vs": "tp-xx"}, {"vs3": ""}, {"order": "ep", "tp": "1"}])
def test_odd_links_open_the_page(query: dict[str, str]) -> None:
    app = page(query)
    assert not app.exception


def test_experts_keep_ep_in_the_order_that_is_chosen() -> None:
    app = page({"moe": "on", "ep": "2"})
    app.selectbox(key="panel_order").set_value("tp-cp-pp-dp").run()
    assert app.session_state["visit"].address.order == "tp-cp-ep-pp-dp"


def test_an_order_names_the_dense_axes_only() -> None:
    assert dense_order(" TP-EP-CP-DP-PP ") == "tp-cp-dp-pp" and dense_order("ep") == "ep"
    with pytest.raises(LayoutError, match="xx"):
        dense_order("tp-xx")


def test_a_framework_without_an_axis_is_named_where_its_degree_is_over_1() -> None:
    app = page({"vs": "tp-dp-pp"})
    assert "gpt\\-neox has no axis for CP 2" in app.warning[0].value or (
        "gpt-neox have no axis for CP 2" in app.warning[0].value
    )
    for query, said in (({"moe": "on", "ep": "2"}, True), ({}, False)):
        captions = " ".join(caption.value for caption in page(query).caption)
        assert ("nanotron has an axis for EP 2, but fails with it" in captions) == said
