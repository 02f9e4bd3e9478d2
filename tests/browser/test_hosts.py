"""A pasted list of hosts, in the browser: its names arrive, stay, and are in no link."""

import pytest
from playwright.sync_api import Locator, expect

from layout import Layout
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage
from tests.browser.test_access import violations

HOSTS_OF = """async (nodes) => {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const { hostOf } = await import(loaded.find((name) => name.endsWith("assets/hosts.js")));
    return nodes.map(hostOf);
}"""


def hosts_of(explorer: ExplorerPage, *nodes: int) -> list[str | None]:
    """What the browser says that these nodes are called."""
    return explorer.page.evaluate(HOSTS_OF, list(nodes))  # type: ignore[no-any-return]


def field(explorer: ExplorerPage) -> Locator:
    return explorer.page.get_by_role("textbox", name="List of hosts")


def open_list(explorer: ExplorerPage) -> None:
    explorer.page.get_by_text("Host names", exact=True).click()
    expect(field(explorer)).to_be_visible()


def paste(explorer: ExplorerPage, text: str, *, said: str) -> None:
    """Pastes a list, leaves the field, and waits until the page says so."""
    field(explorer).fill(text)
    field(explorer).blur()
    expect(explorer.page.get_by_test_id("stSidebar").get_by_text(said)).to_be_visible()
    explorer.settle()


def test_each_form_arrives_and_no_link_has_it(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("dp=4", fresh=True)
    open_list(explorer)
    for text, first, names in (
        ("alpha slots=8\nbeta slots=8", "alpha", ["alpha", "beta", None, None]),
        ("node[08-11]", "node08", ["node08", "node09", "node10", "node11"]),
        ('["left", "right"]', "left", ["left", "right", None, None]),
        ('{"hosts": [{"name": "östlich"}]}', "östlich", ["östlich", None, None, None]),
        ("a,b,c,d,e", "a", ["a", "b", "c", "d"]),
    ):
        paste(explorer, text, said=f"ranks 0–7 on {first}")
        assert hosts_of(explorer, 0, 1, 2, 3) == names
        assert hosts_of(explorer, 4) == [None]
        assert explorer.query == "dp=4"
    labels = explorer.page.locator(".ra-node-numbers text")
    assert labels.all_text_contents() == ["a", "b", "c", "d"]
    placement = explorer.placement(Layout(tp=2, cp=2, dp=4, pp=2))
    explorer.hover(9, placement)
    assert explorer.card(".ra-card-place") == "b · local rank 1"
    assert explorer.page.locator(".ra-table tbody td:last-child").first.inner_text() == "a"
    explorer.set_degree("dp", 2)
    assert hosts_of(explorer, 0, 1, 2) == ["a", "b", None]
    expect(explorer.page.locator(".st-key-host_names")).to_be_hidden()  # it draws nothing
    field(explorer).fill("")
    field(explorer).blur()
    explorer.page.wait_for_function(f"async () => (await ({HOSTS_OF})([0]))[0] === null")
    expect(explorer.page.locator(".st-key-host_names")).to_have_count(0)


def test_a_list_outlives_a_wrong_one_and_a_change_of_page(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(fresh=True)
    open_list(explorer)
    paste(explorer, "one\ntwo slots=4", said="2 hosts in use")
    for wrong, said in (
        ("one\ntwo\none", "one is on line 1 and again on line 3: name each host once."),
        ("node[16-01]", "Line 1: 16-01 in node[16-01] runs backwards. Nearest that works: 01-16."),
        ("*a* slots=8\nb slots=4", "*a* has 8 slots and b has 4,"),
        (
            '["one",\n',
            "The JSON cannot be read from line 2, column 1 on. Still using the list before.",
        ),
    ):
        paste(explorer, wrong, said=said)
        expect(field(explorer)).to_have_value(wrong)
        assert hosts_of(explorer, 0, 1) == ["one", "two"]
    explorer.page.get_by_role("link", name="How it is checked", exact=True).click()
    expect(explorer.page.get_by_role("heading", name="How it is checked")).to_be_visible()
    explorer.page.get_by_role("link", name="Explorer").click()
    expect(explorer.grid).to_be_visible()
    explorer.settle()
    assert hosts_of(explorer, 0, 1) == ["one", "two"]
    assert explorer.query == ""
    if not field(explorer).is_visible():
        open_list(explorer)
    expect(field(explorer)).to_have_value('["one",\n')
    explorer.page.get_by_role("button", name="GPUs per node 4").click()
    explorer.wait_for_query("gpn=4")
    paste(explorer, "one\ntwo\nthree", said="3 hosts in use: ranks 0–3 on one, and so on.")
    assert hosts_of(explorer, 0, 1, 2, 3) == ["one", "two", "three", None]
    expect(explorer.page.get_by_test_id("stAlert")).to_have_count(0)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_axe_finds_nothing_where_the_list_is_open(
    open_explorer: OpenExplorer, width: int, scheme: str
) -> None:
    explorer = open_explorer(width=width, color_scheme=scheme, fresh=True)
    if width < 640:
        explorer.page.get_by_test_id("stExpandSidebarButton").click()
    open_list(explorer)
    assert violations(explorer.page) == []
    paste(explorer, "a slots=4\nb slots=4", said="2 hosts in use")
    paste(explorer, "a slots=4\nb[", said="Line 2: a bracket in b[ has no partner.")
    assert violations(explorer.page) == []
    sidebar = explorer.page.get_by_test_id("stSidebarContent")
    assert sidebar.evaluate("(element) => element.scrollWidth <= element.clientWidth")
