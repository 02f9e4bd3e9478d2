"""The table of groups without a browser: which kind is listed, what its component is told, its files."""

from typing import Any

import pytest

from assets.text import Words
from layout import Layout
from layout.address import TABLES
from pages.group_table import FILES, file_name
from tests.test_pages import components, run

WORDS = Words("en")


def told(query: str = "") -> Any:
    """What the component is told where the app is opened at a link."""
    return components(run(query))["group_table"]


def test_the_first_page_lists_the_tp_groups() -> None:
    assert told() == {
        "axes": ["tp", "cp", "dp", "pp"],
        "sizes": [2, 2, 2, 2],
        "kind": "tp",
        "gpusPerNode": 8,
        "pin": None,
        "language": "en",
    }


def test_a_link_says_which_kind() -> None:
    said = told("tp=4&order=pp-dp-cp-tp&table=tp-dp&pin=13&gpn=4")
    assert said["axes"] == ["pp", "dp", "cp", "tp"] and said["sizes"] == [2, 2, 2, 4]
    assert (said["kind"], said["gpusPerNode"], said["pin"]) == ("tp-dp", 4, 13)


def test_every_kind_can_be_chosen_and_is_in_the_link() -> None:
    app = run()
    assert app.selectbox(key="table").options == [WORDS(f"light.{kind}") for kind in TABLES]
    app.selectbox(key="table").set_value("dp-cp").run()
    assert not app.exception
    assert components(app)["group_table"]["kind"] == "dp-cp"
    assert components(app)["page"]["query"] == "table=dp-cp"


def test_four_million_ranks_travel_as_sixteen_do() -> None:
    assert told("tp=1&cp=1&dp=4194304&pp=1")["sizes"] == [1, 1, 4194304, 1]


def test_settings_that_make_no_layout_show_no_table() -> None:
    app = run("world=16&tp=3")
    assert "group_table" not in components(app) and not app.get("download_button")


def test_there_is_a_button_for_each_file() -> None:
    labels = [button.proto.label for button in run("dp=1024").get("download_button")]
    assert labels == ["Download JSON", "Download CSV", "Download Markdown"]


@pytest.mark.parametrize(("form", "end"), [("json", ".json"), ("csv", ".csv"), ("markdown", ".md")])
def test_a_file_says_in_its_name_what_it_holds(form: str, end: str) -> None:
    name = file_name(Layout(tp=8, cp=4, dp=256, pp=16), "dp-cp", FILES[form][0])
    assert name == f"rank-atlas-dp-cp-groups-131072-ranks{end}"
