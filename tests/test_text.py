"""The words: every label that the code asks for is there, and every label that is there is asked for."""

import re
from pathlib import Path
from typing import Any

import pytest

from assets.served import TEXT, languages
from assets.text import Words, count, labels, nearest_language
from layout import DENSE_AXES, EXPERT_AXES
from layout.address import (
    ARRANGEMENTS,
    COLOURS,
    EXPERT_LIGHTS,
    FOLDS,
    GRIDS,
    LIGHTS,
    NAMES_IN_JOB,
    NUM_STEPS,
    SWITCH,
    UNSAID,
)
from layout.errors import SENTENCES
from layout.keys import KINDS
from layout.megatron import OBJECTIONS
from layout.presets import PRESETS
from layout.reach import OFTEN
from pages.reading_order import PAGES

ROOT = Path(__file__).parent.parent
SOURCES = [*ROOT.glob("pages/**/*.py"), *ROOT.glob("assets/**/*.js"), *ROOT.glob("assets/**/*.py")]

# Families of labels whose last name the code fills in, with all the names it can fill in.
FAMILIES: dict[str, set[str]] = {
    "page": {page.name for page in PAGES},
    "axis": {*DENSE_AXES, *EXPERT_AXES},
    "light": {*LIGHTS, *EXPERT_LIGHTS, *DENSE_AXES, *EXPERT_AXES, "tp-dp", "tp-dp-cp"},
    "purpose": {*LIGHTS, *EXPERT_LIGHTS, *DENSE_AXES, *EXPERT_AXES, "pp_experts"} - {"axes"},
    "view": {"light", "colour", "arrange", "fold", "grid"},
    "grid": {*GRIDS, *(f"said_{grid}" for grid in GRIDS if grid != "both")},
    "picture": {f"name_{grid}" for grid in GRIDS if grid != "both"},
    "card": {f"name_{grid}" for grid in GRIDS if grid != "both"},
    "arrangement": set(ARRANGEMENTS),
    "fold": set(FOLDS),
    "part": {name for kind in set(FOLDS) - {"none"} for name in (kind, f"said_{kind}")}
    | {"said_experts"},
    "tools": {"name", "hint", "closer", "farther", "whole", "left", "right", "up", "down"},
    "share": {
        *("heading", "room", "scrolls", "note", "open", "select_and_copy"),
        *("link", "copy_link", "copied_link", "snippet", "copy_snippet", "copied_snippet"),
        *("theme", "theme_readers", "theme_light", "theme_dark"),
    },
    "shade": set(COLOURS),
    "legend": set(COLOURS) - {"none"},
    "fix": {
        *("tp", "cp", "dp", "pp", "ep", "etp", "world", "order", "vpp", "dist_opt_instances"),
        *("hierarchical_cp", "hierarchical_cp_none", "sp", "cp_type"),
    },
    "objection": set(OBJECTIONS)
    - {"gtp_single_dist_opt", "degree_zero", "degree_negative", "degree_not_int"}
    - {"hybrid_cp_even", "pp_backend"},  # what a link cannot say
    "tell": ({*NAMES_IN_JOB, UNSAID, *SWITCH} - {"hcp"}) | {"heading", "heading_none", "help"},
    "remark": {"value", "value_alone", "twice", "unknown", "clash", "version", "pin", "which"},
    "degree": {"tp", "cp", "dp", "pp", "ep", "etp", "world"},
    "presets": {preset.key for preset in PRESETS},
    "table": {"group", "ranks", "nodes", "json", "csv", "markdown", "megatron", "no_megatron"},
    "step": {
        *(f"title_{step}" for step in range(1, NUM_STEPS + 1)),
        *(f"caption_{step}" for step in range(1, NUM_STEPS + 1)),
        *(f"note_{step}" for step in (1, 2, 3, 5, 6, 7)),
        *("title_4_same", "title_5_order", "ones_1", "copies_1", "copies_1_single", "note_1_pp"),
        *("caption_2_alone", "caption_4_same", "caption_4_alone", "cost_4", "cost_4_inside"),
        *("megatron_4_refuses_both", "megatron_4_needs_tp", "same_6_needs_tp"),
        *("caption_7_embedded", "caption_7_alone"),
        *(
            "caption_5_comb",
            "caption_5_same",
            "caption_5_alone",
            "megatron_4_refuses",
            "megatron_4_accepts",
        ),
        *("same_6", "same_6_refuses"),
        *("shape_alone", "shape_blocks", "shape_comb", "shape_runs"),
    },
    "reach": {
        *("group", "reach", "where", "when", "leaving", "staying"),
        *("in_node", "in_domain", "beyond"),
        *("place_node", "place_domain"),
        *(f"carries_{kind.key}" for kind in KINDS if kind.key != "pos_embd"),
        "carries_level",
        *(f"often_{often}" for often in OFTEN.values()),
        *(f"remedy_{kind}" for kind in ("nvl", "order", "tp", "cp", "ep", "etp")),
        *("carries_cp_levels", "carries_dp_cp_instances", "carries_level_1", "carries_level_2"),
        *("experts_not_divisible", "experts_order_lacks_axis", "instances_not_divisible"),
        *(f"levels_{reach}" for reach in ("in_node", "in_domain", "beyond", "some")),
        *("levels_others", "levels_none", "level_first", "level_further"),
        *("level_a2a", "level_ring", "level_divides", "level_divides_not"),
    },
    "machine": {"quick_hgx", "quick_nvl72", "domain_cuts", "domain_uneven"},
    "kind": {kind.key for kind in KINDS if kind.cut != "whole"},
    "members": {kind.key for kind in KINDS if kind.cut != "whole"},
    "derive": {"play", "pause", "again", "back", "forward"},
    "orders": {
        *(
            "order",
            "vs",
            "vs3",
            "head_order",
            "head_stride",
            "head_farthest",
            "head_nodes",
            "head_domains",
        ),
        *("traffic_tp", "traffic_cp", "traffic_dp", "traffic_pp"),
        *("accepts", "add", "remove", "too_many", "too_many_embedded", "lacks", "fails"),
    },
    "summary": {"axis", "groups", "size", "stride", "crossing", "sentence"},
}
# Errors that controls and links cannot lead to: they are for those who call the model.
NOT_ON_SCREEN = {
    reason
    for reason in SENTENCES
    if not reason.startswith(("world_not", "world_too", "order_", "hosts_", "experts_"))
}


def flat(table: dict[str, Any], before: str = "") -> set[str]:
    found: set[str] = set()
    for name, label in table.items():
        plural = isinstance(label, dict) and set(label) <= {"one", "other"}
        if isinstance(label, str) or plural:
            found.add(before + name)
        else:
            found |= flat(label, f"{before}{name}.")
    return found


def asked_for() -> set[str]:
    """Every key in the sources, families filled in."""
    keys: set[str] = set()
    for source in SOURCES:
        text = source.read_text("utf-8")
        keys |= set(re.findall(r"""words\(\s*f?["'`]([a-z_]+\.[a-z_]+)["'`]""", text))
        keys |= set(
            re.findall(r"""["']((?:compare|card|controls|legend|band)\.[a-z_]+)["']""", text)
        )
    for family, names in FAMILIES.items():
        keys |= {f"{family}.{name}" for name in names}
    for name in FAMILIES["presets"]:
        keys -= {f"presets.{name}"}
        keys |= {f"presets.{name}.name", f"presets.{name}.source"}
    keys |= {f"controls.order_{who}" for who in ("megatron", "llama")}
    keys |= {"controls.etp_is_tp", "controls.etp_is_set"}
    keys |= {"summary.nodes_range"}
    keys |= {f"controls.order_who_{who}" for who in ("megatron", "llama", "other")}
    keys |= {f"controls.preset_{said}" for said in ("assumed", "source")}
    keys |= {f"error.{reason}" for reason in set(SENTENCES) - NOT_ON_SCREEN}
    return keys | {"name"}


@pytest.mark.parametrize("language", languages())
def test_labels_and_code_agree(language: str) -> None:
    there = flat(labels(TEXT, language))
    assert asked_for() - there == set(), "asked for and not there"
    assert there - asked_for() == set(), "there and not asked for"


@pytest.mark.parametrize("language", languages())
def test_every_language_fills_in_the_same_places(language: str) -> None:
    def places(words: Words, key: str) -> set[str]:
        label: Any = labels(TEXT, words.language)
        for name in key.split("."):
            label = label[name]
        return set(re.findall(r"\{(\w+)\}", str(label)))

    english = Words("en")
    for key in flat(labels(TEXT, "en")):
        assert places(Words(language), key) == places(english, key), key


def test_a_language_that_is_not_there_is_answered_in_english() -> None:
    assert nearest_language("xx-YY") == "en"


def test_a_new_folder_is_a_new_language(tmp_path: Path) -> None:
    (tmp_path / "zh").mkdir()
    (tmp_path / "zh" / "labels.toml").write_text('nodes = { other = "{n} 个节点" }', "utf-8")
    (tmp_path / "zh" / "first_words.md").write_text("你好", "utf-8")
    words = Words("zh", folder=tmp_path)
    assert words("nodes", n=1) == "1 个节点" and words("nodes", n=2048) == "2,048 个节点"
    assert words.prose("first_words") == "你好"


def test_counts_have_their_thousands_apart() -> None:
    assert [count(n) for n in (8, 2048, 4194304)] == ["8", "2,048", "4,194,304"]


@pytest.mark.parametrize("rule", sorted(FAMILIES["objection"]))
def test_an_objection_is_filled_in_with_the_numbers_of_its_rule(rule: str) -> None:
    places = set(re.findall(r"\{(\w+)\}", labels(TEXT, "en")["objection"][rule]))
    assert places == set(re.findall(r"\{(\w+)\}", OBJECTIONS[rule].sentence))
