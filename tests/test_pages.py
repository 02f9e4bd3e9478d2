"""The pages without a browser: a link in, words and a figure out; never an error page."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from assets.text import Words
from layout import Layout, LayoutError, objection_to_order
from layout.address import Address
from layout.presets import PRESETS
from pages import checked
from pages.reading_order import PAGES
from pages.visit import Visit
from tests.golden_data import MEGATRON, OTHER_FRAMEWORKS
from tests.rubbish import RUBBISH_LINKS

SCRIPT = Path(__file__).parent.parent / "pages" / "rank_atlas.py"
WORDS = Words("en")


def run(query: str = "") -> AppTest:
    """The app as a browser with this link would start it."""
    app = AppTest.from_file(SCRIPT, default_timeout=20)
    for name, values in parse_qs(query, keep_blank_values=True).items():
        app.query_params[name] = values
    return app.run()


def components(app: AppTest) -> dict[str, Any]:
    """The data that each component of ours was given, by name."""
    found = app.get("bidi_component")
    return {c.proto.component_name.removeprefix("atlas."): json.loads(c.proto.json) for c in found}


def words_on(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.markdown, *app.warning, *app.info))


def test_the_first_page_is_sixteen_gpus() -> None:
    app = run()
    assert not app.exception
    assert "# 16 GPUs = TP 2 × CP 2 × DP 2 × PP 2 on 2 nodes" in words_on(app)
    assert components(app)["rank_grid"]["grid"] == {
        "axes": ["tp", "cp", "dp", "pp"],
        "sizes": [2, 2, 2, 2],
    }


def one_page(name: str) -> None:
    """A script that shows one page: AppTest cannot switch to a page that is a function."""
    from pages import visit
    from pages.reading_order import PAGES

    dict(PAGES)[name](visit.current())


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("explorer", "16 GPUs = TP"),
        ("derivation", "copy it cp times"),
        ("placement", "leave the NVLink domain"),
        ("orders", "**DP** is closest in tp-cp-dp-pp"),
        ("checked", "1 to 1,024 ranks"),
    ],
)
def test_every_page_draws(page: str, words: str) -> None:
    app = AppTest.from_function(one_page, kwargs={"name": page}, default_timeout=20).run()
    assert not app.exception
    assert words in words_on(app)


def test_every_page_is_tested_here() -> None:
    names = ["explorer", "derivation", "orders", "placement", "checked"]
    assert [page.name for page in PAGES] == names


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_a_preset_sets_its_whole_layout(preset: Any) -> None:
    app = run()
    app.selectbox(key="preset").set_value(preset.key).run()
    assert not app.exception
    shown = components(app)["page"]["query"]
    degrees = {"tp": preset.tp, "cp": preset.cp, "dp": preset.dp, "pp": preset.pp}
    for name, degree in degrees.items():
        assert (f"{name}={degree}" in shown.split("&")) == (degree != 2), shown
    assert f"TP {preset.tp} × CP {preset.cp} × DP {preset.dp} × PP {preset.pp} on" in words_on(app)
    source = WORDS(f"presets.{preset.key}.source")
    assert any(source in caption.value for caption in app.caption)
    assumed = [caption.value for caption in app.caption if "Order assumed" in caption.value]
    assert bool(assumed) == preset.order_assumed


def test_rubbish_in_a_link_is_named_in_one_line() -> None:
    app = run("tp=4&cp=many")
    (warning,) = app.warning
    assert "cp=many (now 2)" in warning.value and "\n" not in warning.value
    assert "TP 4 × CP 2" in words_on(app)


def test_two_hundred_rubbish_links_open_the_explorer() -> None:
    for link in RUBBISH_LINKS:
        app = run(link)
        assert not app.exception, link
        assert len(app.warning) >= 1, link
        assert "GPUs = TP" in words_on(app), link


def test_a_world_that_does_not_divide_says_why_and_offers_fixes_that_work() -> None:
    app = run("world=16&tp=3&cp=1")
    assert (
        "TP 3 × CP 1 × PP 2 = 6" in app.warning[0].value and "a world of 16" in app.warning[0].value
    )
    labels = [button.label for button in app.button]
    assert labels == ["18 GPUs", "12 GPUs", "TP 2", "TP 4"]
    for place in range(len(labels)):
        mended = run("world=16&tp=3&cp=1")
        mended.button[place].click().run()
        assert not mended.warning and "GPUs = TP" in words_on(mended)


def test_an_order_that_lacks_an_axis_offers_one_that_has_it() -> None:
    app = run("order=tp-dp-pp")
    assert "With CP 2 the order has to name cp; tp-dp-pp does not." in app.warning[0].value
    app.button[0].click().run()
    assert not app.warning
    assert components(app)["page"]["query"] == "order=tp-dp-pp-cp"


def test_a_typed_order_that_is_none_stays_in_its_field_and_changes_nothing() -> None:
    app = run()
    app.text_input(key="order").set_value("tp-xx-dp").run()
    assert app.text_input(key="order").value == "tp-xx-dp"
    assert "xx" in app.warning[0].value and "Still using tp-cp-ep-dp-pp" in app.warning[0].value
    assert components(app)["page"]["query"] == ""
    app.button[0].click().run()
    assert app.text_input(key="order").value == "tp-dp-cp-pp" and not app.warning


def test_knowing_the_world_keeps_the_layout() -> None:
    app = run("tp=4&dp=3")
    app.toggle(key="world_mode").set_value(True).run()
    assert components(app)["page"]["query"] == "tp=4&world=48"
    assert any("DP = 48 / (TP 4 × CP 2 × PP 2) = 3" in c.value for c in app.caption)
    app.toggle(key="world_mode").set_value(False).run()
    assert components(app)["page"]["query"] == "tp=4&dp=3"


def test_more_ranks_than_the_picture_draws_keep_everything_else() -> None:
    app = run("dp=65536&pin=3")
    assert "524,288 GPUs are more than the picture draws at once (131,072)" in app.warning[0].value
    assert "rank_grid" not in components(app)
    assert components(app)["page"]["query"] == "dp=65536&pin=3"
    assert "Each of the 262,144 TP groups stays inside one node." in words_on(app)
    (stage,) = [button for button in app.button if button.label == "one replica"]
    stage.click().run()
    assert not app.warning and components(app)["rank_grid"]["part"]["number"] == 0
    assert components(app)["page"]["query"] == "dp=65536&fold=replica&pin=3"


def test_a_world_beyond_the_model_says_so_and_offers_what_fits() -> None:
    app = run("tp=4194304&dp=4")
    assert "67,108,864 ranks are more than this page counts (4,194,304)." in app.warning[0].value
    assert [button.label for button in app.button] == ["TP 262,144"]
    app.button[0].click().run()
    assert "# 4,194,304 GPUs = TP 262,144 × CP 2 × DP 4 × PP 2" in words_on(app)


def test_a_value_of_a_link_that_has_no_default_is_named_alone() -> None:
    assert run("pin=abc&lang=zz").warning[0].value.endswith("ignored: pin=abc, lang=zz")


def test_a_pin_outside_the_world_is_named() -> None:
    app = run("pin=16")
    assert "pin=16 (ranks go from 0 to 15)" in app.warning[0].value


def is_dense(config: dict[str, Any]) -> bool:
    """EP 1, ETP = TP, no weight-remat axis, no window: what the Explorer can show."""
    plain = config["ep"] == 1 and config["etp"] in (None, config["tp"])
    return plain and not {"gtp", "egtp", "local_world"} & set(config)


def test_what_megatron_says_of_an_order_is_said_here() -> None:
    reasons: dict[str, str | None] = {
        "non_pp_last_needs_equal_dp": "refuses",
        "order_lacks_tp_unnoticed": "needs_tp",
    }
    recorded = [
        (entry["config"], reasons[entry["constraint"]])
        for entry in MEGATRON["rejections"]
        if entry["call"] == "initialize_model_parallel"
        and entry["constraint"] in reasons
        and is_dense(entry["config"])
    ]
    assert len(recorded) >= 12
    recorded += [
        (entry["config"], None) for entry in MEGATRON["configs"] if is_dense(entry["config"])
    ]
    compared = set()
    for config, objection in recorded:
        degrees = {name: config[name] for name in ("tp", "cp", "pp")}
        try:
            layout = Layout.from_world(world_size=config["world"], **degrees, order=config["order"])
        except LayoutError:
            continue  # such as TP 2 in an order that leaves out tp: no layout at all
        if config["order"].islower():  # an order in upper case is shown in lower case
            assert objection_to_order(layout) == objection, config
            compared.add(objection)
    assert compared == {"refuses", "needs_tp", None}


def verdict_of(app: AppTest) -> str:
    (line,) = [one.label for one in app.expander if "Megatron would" in one.label]
    return line


def test_what_megatron_says_is_one_line_that_opens() -> None:
    app = run()
    assert verdict_of(app) == "Megatron would start this job"
    app = run("order=tp-cp-pp-dp")
    assert verdict_of(app) == "Megatron would not start this job: 1 objection"
    assert (
        "of the 8 ranks of a stage EDP is 8 / (ETP 2 × EP 1) = 4, and DP is 8 / (TP 2 × CP 2) = 2"
        in words_on(app)
    )
    assert "When not using pp\\-last rank ordering" in words_on(app) or "pp-last" in words_on(app)
    assert verdict_of(run("order=tp-cp-pp-dp&cp=1")) == "Megatron would start this job"
    assert "has to, even where TP is 1" in words_on(run("tp=1&order=cp-dp-pp"))
    app = run("order=TP-CP-DP-PP")  # read as lower case everywhere but in one rule
    assert "would not start" in verdict_of(app)
    assert components(app)["page"]["query"] == "order=TP-CP-DP-PP"


@pytest.mark.parametrize(
    "query",
    [
        *("order=tp-cp-pp-dp", "tp=1&order=cp-dp-pp", "moe=on&ep=3", "vpp=2&pp=1", "hcp=2,3&cp=4"),
        *("layers=30&pp=4&heads=7&cp=1", "seq=1001", "distopt=3", "moe=on&ep=2&experts=7&sp=off"),
        *("cptype=a2a%2Bp2p", "tp=1&sp=on", "order=TP-CP-DP-PP", "cptype=a2a&cp=4&heads=4&kv=4"),
    ],
)
def test_every_fix_leads_to_a_job_that_starts(query: str) -> None:
    app = run(query)
    assert "would not start" in verdict_of(app), query
    labels = [button.label for button in app.button if (button.key or "").startswith("verdict ")]
    assert labels, query
    for place in range(len(labels)):
        mended = run(query)
        [button for button in mended.button if (button.key or "").startswith("verdict ")][
            place
        ].click().run()
        assert not mended.exception
        assert verdict_of(mended) == "Megatron would start this job", (query, labels[place])


def test_experts_have_controls_where_the_job_has_experts() -> None:
    app = run("tp=4&moe=on&ep=4")
    rows = {row["name"]: row["value"] for row in components(app)["degrees"]["rows"]}
    assert rows == {"tp": 4, "cp": 2, "dp": 2, "pp": 2, "ep": 4, "etp": 4}
    assert any("EDP = 32 / (ETP 4 × EP 4 × PP 2) = 1." in c.value for c in app.caption)
    app.toggle(key="moe").set_value(False).run()
    assert {row["name"] for row in components(app)["degrees"]["rows"]} == {"tp", "cp", "dp", "pp"}
    assert "ep=4" in components(app)["page"]["query"]  # nothing that was set is lost


def test_what_else_megatron_looks_at_is_told_where_it_is_wanted() -> None:
    app = run("moe=on")
    assert not [one for one in app.number_input if one.key == "layers"]
    app.toggle(key="tells").set_value(True).run()
    fields = {one.key for one in app.number_input}
    assert {"layers", "heads", "kv", "seq", "experts", "vpp", "distopt"} <= fields
    app.number_input(key="layers").set_value(31).run()
    assert "31 layers do not split evenly over PP 2" in words_on(app)
    app.text_input(key="hcp").set_value("1, 2").run()
    app.selectbox(key="sp").set_value("on").run()
    assert components(app)["page"]["query"] == "moe=on&layers=31&sp=on&hcp=1%2C2"
    app.text_input(key="hcp").set_value("one").run()
    assert app.text_input(key="hcp").value == "one"
    assert "Still using 1 × 2" in app.warning[0].value
    app.number_input(key="layers").set_value(None).run()
    assert components(app)["page"]["query"] == "moe=on&sp=on&hcp=1%2C2"


@pytest.mark.parametrize("levels", ["999999999", "2;2", ",".join(["4194304"] * 700), "0", "2,,2"])
@pytest.mark.parametrize("query", ["cp=4", "moe=on&ep=2"])
def test_rubbish_levels_are_refused_where_they_are_typed_and_ignored_in_a_link(
    levels: str, query: str
) -> None:
    app = run(query)
    app.toggle(key="tells").set_value(True).run()
    app.text_input(key="hcp").set_value(levels).run()
    assert not app.exception and "is no list of levels" in app.warning[0].value
    assert components(app)["page"]["query"] == query
    app = run(f"{query}&hcp={levels}")
    assert not app.exception and "hcp=" in app.warning[0].value


@pytest.mark.parametrize(
    ("query", "typed"),
    [("order=tp-cp-pp-dp", "tp-cp-xx-dp-pp"), ("order=tp-cp-dp", "tp-cp-dp-xx")],
)
def test_the_same_fix_may_be_offered_in_two_places(query: str, typed: str) -> None:
    app = run(query)
    app.text_input(key="order").set_value(typed).run()
    assert not app.exception and app.text_input(key="order").value == typed
    labels = [button.label for button in app.button]
    assert len(labels) > len(set(labels))


def test_a_link_puts_away_what_was_refused_before() -> None:
    visit = Visit(Address(), [])
    visit.set_order("foo")
    visit.set_levels("abc")
    visit.read({"tp": ["4"]})
    assert (visit.refused_order, visit.refused_levels) == (None, None)


def test_what_only_experts_have_does_not_count_without_them() -> None:
    assert run("experts=8").toggle(key="tells").label == WORDS("tell.heading_none")
    assert run("moe=on&experts=8").toggle(key="tells").label == WORDS("tell.heading", n=1)


def test_a_preset_leaves_nothing_of_the_job_before() -> None:
    app = run("layers=31&heads=7&hcp=2,2&sp=off&cptype=a2a&distopt=3&nvl=16&ep=3&etp=2&experts=5")
    app.selectbox(key="preset").set_value("kimi-k2").run()
    assert verdict_of(app) == "Megatron would start this job"
    query = components(app)["page"]["query"]
    assert query == "tp=1&cp=1&dp=16&pp=16&moe=on&ep=16"
    app.selectbox(key="preset").set_value("qwen3-235b").run()
    assert app.number_input(key="nvl").value == 72


@pytest.mark.parametrize(
    ("query", "likeness"),
    [
        ("", "tp-cp-ep-dp-pp"),
        ("order=tp-cp-dp-pp", "tp-cp-ep-dp-pp"),
        ("order=tp-cp-pp-dp", "tp-cp-ep-pp-dp"),
        ("order=tp-dp-cp-pp", None),
        ("moe=on&ep=4&etp=1&order=tp-cp-dp-pp", None),  # Megatron refuses it
        ("moe=on&ep=4&etp=1&order=tp-cp-ep-pp-dp", "tp-cp-ep-pp-dp"),
    ],
)
def test_a_well_known_order_is_marked_where_it_is_that_order(
    query: str, likeness: str | None
) -> None:
    assert run(query).segmented_control(key="order_quick").value == likeness


def test_a_well_known_order_names_ep_where_the_job_has_experts() -> None:
    app = run("moe=on&ep=4&etp=1")
    app.segmented_control(key="order_quick").set_value("tp-cp-ep-pp-dp").run()
    assert "order=tp-cp-ep-pp-dp" in components(app)["page"]["query"]
    app = run()
    app.segmented_control(key="order_quick").set_value("tp-cp-ep-pp-dp").run()
    assert "order=tp-cp-pp-dp" in components(app)["page"]["query"]


def test_the_numbers_on_the_page_about_checking_are_those_of_the_recordings() -> None:
    worlds = [entry["config"]["world"] for entry in MEGATRON["configs"]]
    assert checked.RECORDED == {
        "num_configs": len(MEGATRON["configs"]),
        "largest_world": f"{max(worlds):,}",
        "num_other": len(OTHER_FRAMEWORKS["cases"]),
    }
    assert min(worlds) == 1


def test_what_a_link_holds_is_never_formatting() -> None:
    (warning,) = run("tp=[here](http://x.example)**b**").warning
    assert r"\[here\]\(http\:\/\/x\.example\)\*\*b\*\*" in warning.value


def test_a_book_of_rubbish_is_named_in_one_line() -> None:
    (warning,) = run("&".join(f"x{n}={'9' * 50}" for n in range(100)) + "&tp=" + "9" * 900).warning
    assert len(warning.value) < 400 and warning.value.endswith("96 more")
