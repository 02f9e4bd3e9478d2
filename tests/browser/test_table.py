"""The table of groups in the browser: the model's rows, and all that a reader does with them."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from layout import DENSE_AXES, Layout, group_of_key, groups_of_key
from layout.__main__ import main
from layout.address import TABLES
from pages.kinds import in_browser
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage
from tests.browser.test_access import violations

LARGE = Layout(tp=8, cp=4, dp=256, pp=16, order="tp-cp-pp-dp")
LARGE_LINK = "tp=8&cp=4&dp=256&pp=16&order=tp-cp-pp-dp"

# Every row of every case by the modules that draw the table, in short and in full.
IN_BROWSER = """async (cases) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const module = (name) => import(loaded.find((url) => url.endsWith(name)));
    const { shown, copied } = await module("group_table/columns.js");
    const { Kind } = await module("assets/kinds.js");
    const words = await (await module("text/words.js")).load("en");
    return cases.map(({ groups, gpusPerNode, indices }) => {
        const kind = new Kind(groups);
        return indices.map((index) => {
            const row = { words, index, gpusPerNode, group: kind.at(index) };
            const nodes = shown("nodes", row);
            const { size, at } = nodes.full ?? {};
            const listed = size ? Array.from({ length: size }, (_, place) => at(place)).join(", ") : null;
            return [copied("ranks", row), copied("nodes", row), nodes.short, listed];
        });
    });
}"""


def table(explorer: ExplorerPage) -> Locator:
    return explorer.page.get_by_role("table").filter(has=explorer.page.locator("caption"))


def rows(explorer: ExplorerPage) -> list[list[str]]:
    """The words in each row's cells, without what buttons and marks say."""
    return explorer.page.evaluate(  # type: ignore[no-any-return]
        """() => [...document.querySelectorAll(".ra-table tbody tr")].map((row) =>
            [...row.cells].map((cell) => cell.firstChild.textContent))"""
    )


def said(explorer: ExplorerPage) -> str:
    """What a screen reader was told last."""
    return explorer.page.locator(".ra-table").get_by_role("status").inner_text()


def press(explorer: ExplorerPage, name: str) -> None:
    explorer.page.locator(".ra-table").get_by_role("button", name=name, exact=True).click()


def find(explorer: ExplorerPage, what: str, number: str) -> str:
    """Looks for a rank or a group; gives what is said then."""
    explorer.page.get_by_label("Rank or group").select_option(what)
    field = explorer.page.locator(".ra-table-field")
    field.fill(number)
    field.press("Enter")
    return said(explorer)


def choose_kind(explorer: ExplorerPage, name: str) -> None:
    explorer.page.get_by_label("Kind of group").select_option(name)
    explorer.page.wait_for_function(
        "(name) => document.querySelector('.ra-table caption').textContent.includes(` ${name} group`)",
        arg=name,
    )
    explorer.settle()


def nodes_in_words(nodes: list[int]) -> str:
    """Runs of three and more drawn together, written in another way than the browser does it."""
    text = f",{','.join(map(str, nodes))},"
    starts = [node for node in nodes if node - 1 not in nodes]
    for start in starts:
        length = next(n for n in range(1, len(nodes) + 1) if start + n not in nodes)
        if length > 2:
            run = ",".join(map(str, range(start, start + length)))
            text = text.replace(f",{run},", f",{start}–{start + length - 1},")
    return text.strip(",").replace(",", ", ")


def test_every_row_is_the_models(open_explorer: OpenExplorer) -> None:
    chance = random.Random(4)
    layouts = [Layout(tp=3, cp=5, dp=7, pp=2), Layout(tp=1, cp=1, dp=1, pp=1), LARGE]
    for _ in range(20):
        degrees = {axis: chance.choice((1, 2, 3, 4, 8)) for axis in DENSE_AXES}
        order = "-".join(chance.sample(DENSE_AXES, k=4))
        layouts.append(Layout(**degrees, order=order))
    cases, expected = [], []
    for layout in layouts:
        for kind in TABLES:
            groups = groups_of_key(layout, kind)
            gpus = chance.choice((1, 3, 4, 8, 72))
            indices = sorted({0, len(groups) - 1, chance.randrange(len(groups))})
            cases.append(
                {"groups": in_browser(layout, kind), "gpusPerNode": gpus, "indices": indices}
            )
            expected.append([(groups[i].tolist(), gpus) for i in indices])
    answers = open_explorer().page.evaluate(IN_BROWSER, cases)
    written_out = 0
    for case, answer, wanted in zip(cases, answers, expected, strict=True):
        for (ranks, nodes, short, listed), (members, gpus) in zip(answer, wanted, strict=True):
            touched = sorted({rank // gpus for rank in members})
            assert ranks == ", ".join(map(str, members)), case
            assert nodes == ", ".join(map(str, touched)), case
            if listed is None:
                number = "node" if len(touched) == 1 else "nodes"
                assert short == f"{number} {nodes_in_words(touched)}", case
                written_out += 1
            else:
                assert listed == nodes and len(short) < len(listed), case
                assert short.startswith(f"nodes {touched[0]}"), case
                assert short.endswith(f" ({len(touched):,} nodes)"), case
    assert 300 < written_out < sum(map(len, expected))


def test_what_a_reader_does_with_sixteen_ranks(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(
        "pin=13", permissions=["clipboard-read", "clipboard-write"], fresh=True
    )
    page = explorer.page
    expect(table(explorer).locator("caption")).to_have_text("8 TP groups, 2 ranks each")
    assert rows(explorer)[6] == ["#6", "12, 13 (2 ranks, step 1)", "node 1"]
    assert len(rows(explorer)) == 8
    held = table(explorer).get_by_role("rowheader").filter(has_text="holds rank 13")
    expect(held).to_contain_text("#6")

    # Every axis and set is in the link.
    choose_kind(explorer, "DP×CP")
    explorer.wait_for_query("table=dp-cp&pin=13")
    assert [row[0] for row in rows(explorer)] == ["#0", "#1", "#2", "#3"]
    expect(held).to_contain_text("#3")
    table(explorer).scroll_into_view_if_needed()
    assert violations(page) == []

    # A rank's group is one row, and all are there again; wrong numbers are answered with the right ones.
    assert (
        find(explorer, "rank", "10")
        == "Rank 10 is in DP×CP group #2: 8, 10, 12, 14 (4 ranks, step 2)."
    )
    assert rows(explorer) == [["#2", "8, 10, 12, 14 (4 ranks, step 2)", "node 1"]]
    expect(table(explorer).get_by_role("rowheader")).to_contain_text("holds rank 10")
    press(explorer, "Show all groups")
    assert find(explorer, "rank", "16") == (
        "16 does not work here: ranks are whole numbers from 0 to 15."
    )
    expect(page.get_by_role("textbox", name="Rank, 0 to 15")).to_have_attribute(
        "aria-invalid", "true"
    )
    assert find(explorer, "group", "x") == (
        "x does not work here: DP×CP groups are numbered from 0 to 3."
    )
    assert (
        find(explorer, "group", "#1") == "Now from DP×CP group #1 on: 1, 3, 5, 7 (4 ranks, step 2)."
    )
    assert [row[0] for row in rows(explorer)] == ["#1", "#2", "#3"]
    press(explorer, "Group of rank 13")
    assert said(explorer).startswith("Rank 13 is in DP×CP group #3: 9, 11, 13, 15")
    press(explorer, "First")

    # Columns go and come, one stays; what is copied is what is shown.
    nodes = page.get_by_role("checkbox", name="Nodes")
    nodes.uncheck()
    assert said(explorer) == "Columns now: Group, Ranks." and len(rows(explorer)[0]) == 2
    press(explorer, "Copy these rows")
    page.wait_for_function(
        "() => document.querySelector('.ra-table-said').textContent.includes('copied')"
    )
    assert said(explorer) == "4 rows copied, with a tab between columns."
    assert page.evaluate("navigator.clipboard.readText()") == (
        "Group\tRanks\n0\t0, 2, 4, 6\n1\t1, 3, 5, 7\n2\t8, 10, 12, 14\n3\t9, 11, 13, 15"
    )
    page.evaluate(
        "navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false"
    )
    press(explorer, "Copy these rows")
    by_hand = page.get_by_role("textbox", name="Rows to copy")
    expect(by_hand).to_be_focused()
    assert by_hand.evaluate("(field) => field.selectionEnd - field.selectionStart") == 69
    assert "does not let this page copy" in said(explorer)
    page.get_by_role("checkbox", name="Group").uncheck()
    page.get_by_role("checkbox", name="Ranks").click()
    assert said(explorer) == "One column has to stay."
    expect(table(explorer).get_by_role("rowheader").first).to_have_text(
        "0, 2, 4, 6 (4 ranks, step 2)"
    )
    nodes.check()

    # The reader's names for the hosts.
    name_hosts = """async (names) => {
        const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
        (await import(loaded.find((url) => url.endsWith("assets/hosts.js")))).setHosts(names);
    }"""
    page.evaluate(name_hosts, ["alpha"])
    assert [row[1] for row in rows(explorer)] == ["alpha", "alpha", "node 1", "node 1"]

    # One rank: one group.
    for axis in DENSE_AXES:
        explorer.set_degree(axis, 1)
    expect(table(explorer).locator("caption")).to_have_text("The only DP×CP group: 1 rank")
    assert rows(explorer) == [["0 alone", "alpha"]]
    expect(page.locator(".ra-table-range")).to_have_text("Group #0, the only one")


# Counts what the page sends to the server.
WATCH_WIRE = """() => {
    window.sent = 0;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (message) { window.sent += 1; send.call(this, message); };
}"""


def test_131072_ranks_are_paged_found_and_read_without_the_server(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer(
        f"{LARGE_LINK}&table=dp-cp", width=360, height=800, color_scheme="dark"
    )
    page = explorer.page
    groups = groups_of_key(LARGE, "dp-cp")
    page.evaluate(WATCH_WIRE)

    def shows(first: int, num: int) -> None:
        for index, (number, ranks, _) in zip(
            range(first, first + num), rows(explorer), strict=True
        ):
            assert number == f"#{index}"
            assert ranks.startswith(f"{groups[index][0]}, {groups[index][1]}, ")
            assert ranks.endswith(f"… {groups[index][-1]} (1,024 ranks)")

    shows(0, 10)
    back = page.get_by_role("button", name="Previous", exact=True)
    expect(back).to_be_disabled()  # it says so of itself, and can be focused all the same
    back.press("Enter")
    shows(0, 10)
    press(explorer, "Next")
    shows(10, 10)
    assert said(explorer) == "Groups #10–#19 of #0–#127"
    press(explorer, "Last")
    shows(120, 8)
    expect(page.get_by_role("button", name="Last", exact=True)).to_be_focused()
    press(explorer, "Previous")
    shows(110, 10)
    page.get_by_label("Rows").select_option("25")
    shows(110, 18)
    number, members = group_of_key(LARGE, 131_071, "dp-cp") or pytest.fail("no group")
    assert find(explorer, "rank", "131071").startswith(f"Rank 131071 is in DP×CP group #{number}: ")
    shows(number, 1)

    # Its ranks in full, in a place to scroll that takes the focus.
    button = page.get_by_role("button", name=f"All 1,024 ranks of group #{number}")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    listed = page.get_by_role("region", name=f"All 1,024 ranks of group #{number}")
    expect(listed).to_have_attribute("aria-busy", "false")
    assert listed.text_content() == ", ".join(map(str, members))
    page.keyboard.press("Tab")
    expect(listed).to_be_focused()

    assert page.evaluate("window.sent") == 0
    main_part = page.get_by_test_id("stMain")
    assert main_part.evaluate("(main) => main.scrollWidth") <= 360
    small = page.evaluate(
        """() => [...document.querySelectorAll(".ra-table :is(button, select, input, label)")]
            .filter((part) => part.checkVisibility() && !part.closest("label > *"))
            .map((part) => part.getBoundingClientRect())
            .filter(({ width, height }) => Math.min(width, height) < 24)"""
    )
    assert small == []
    assert violations(page) == []

    # All ranks in one group: the list comes in pieces, and no frame is long.
    for axis, degree in (("cp", 1), ("pp", 1), ("tp", 1), ("dp", 131_072)):
        page.evaluate(f"document.querySelector('#ra-degree-{axis}').value = '{degree}'")
        page.locator(f"#ra-degree-{axis}").dispatch_event("change")
    expect(table(explorer).locator("caption")).to_have_text("The only DP×CP group: 131,072 ranks")
    button = page.get_by_role("button", name="All 131,072 ranks of group #0")
    button.click()
    listed = page.get_by_role("region", name="All 131,072 ranks of group #0")
    expect(listed).to_have_attribute("aria-busy", "false")
    assert listed.text_content() == ", ".join(map(str, range(131_072)))


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What the command line prints."""

    def printed_for(*arguments: str) -> str:
        assert main(arguments) == 0
        return capsys.readouterr().out

    return printed_for


def test_a_file_is_what_the_command_line_prints(
    open_explorer: OpenExplorer, printed: Callable[..., str]
) -> None:
    explorer = open_explorer(f"{LARGE_LINK}&table=tp-dp")
    degrees: list[Any] = ["--tp", "8", "--cp", "4", "--dp", "256", "--pp", "16"]
    asked = [*degrees, "--order", LARGE.order, "--groups", "tp-dp", "--format"]
    for form, suffix in (("JSON", "json"), ("CSV", "csv"), ("Markdown", "md")):
        with explorer.page.expect_download() as download:
            explorer.page.get_by_role("link", name=form, exact=True).click()
        assert download.value.suggested_filename == (
            f"rank-atlas-tp-dp-groups-131072-ranks.{suffix}"
        )
        there = Path(download.value.path()).read_bytes()
        assert there == printed(*asked, form.lower()).encode(), form
