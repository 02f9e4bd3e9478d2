"""The link holds what the reader set: reload, a second tab, another page, Back."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, WebSocketRoute, expect

from layout import Layout
from layout.address import read
from tests.browser.conftest import FOLLOW, OpenExplorer
from tests.browser.explorer import ExplorerPage, peers
from tests.rubbish import RUBBISH_LINKS
from tests.serving import free_port, serving

SET = "tp=4&cp=3&dp=5&order=tp-cp-pp-dp&gpn=4&colour=dp&light=tp-pp&pin=7"


def test_everything_set_is_in_the_link_and_survives_a_reload(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(fresh=True)
    for axis, degree in (("tp", 4), ("cp", 3), ("dp", 5)):
        explorer.set_degree(axis, degree)
    explorer.page.get_by_role("radio", name="Llama 3").click()
    explorer.settle()
    explorer.page.get_by_role("spinbutton", name="GPUs per node").fill("4")
    explorer.page.keyboard.press("Enter")
    explorer.settle()
    explorer.choose("Shade by", "DP")
    explorer.choose("Light up", "TP×PP")
    layout = Layout(tp=4, cp=3, dp=5, pp=2, order="tp-cp-pp-dp")
    explorer.click(7, explorer.placement(layout, gpus_per_node=4))
    explorer.wait_for_query(SET)
    headline = explorer.headline
    explorer.page.reload()
    explorer.settle()
    assert (explorer.query, explorer.headline) == (SET, headline)
    placement = explorer.placement(layout, gpus_per_node=4)
    assert explorer.lit(placement, light="tp-pp") == peers(layout, 7, ["tp-pp"])


def test_two_tabs_do_not_disturb_each_other(open_explorer: OpenExplorer) -> None:
    one, other = open_explorer(SET), open_explorer(SET)
    one.slide("TP tensor, common values", "ArrowRight")
    assert "TP 6" in one.headline and "TP 4" in other.headline
    other.slide("CP context, common values", "ArrowRight")
    assert "TP 4 × CP 4" in other.headline and "TP 6 × CP 3" in one.headline


def test_a_page_change_keeps_everything_and_back_returns_in_one_press(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("pin=3", fresh=True)
    before = explorer.page.evaluate("history.length")
    for _ in range(3):
        explorer.slide("TP tensor, common values", "ArrowRight")
    assert explorer.page.evaluate("history.length") == before
    explorer.wait_for_query("tp=6&pin=3")
    explorer.page.get_by_role("link", name="How it is checked").click()
    explorer.page.wait_for_url("**/checked?tp=6&pin=3")
    explorer.settle()
    assert explorer.headline == "How it is checked"
    assert explorer.page.evaluate("history.length") == before + 1
    explorer.page.go_back()
    explorer.page.wait_for_selector(".ra-picture")
    explorer.settle()
    assert (explorer.query, explorer.card(".ra-card-title")) == ("tp=6&pin=3", "Rank 3")


def test_a_link_to_the_second_page_opens_it_and_keeps_the_rest(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer(SET, path="checked")
    assert explorer.headline == "How it is checked"
    explorer.page.get_by_role("link", name="Explorer").click()
    explorer.page.wait_for_selector(".ra-picture")
    explorer.settle()
    assert explorer.query == SET


def test_embedding_parameters_are_kept(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("embed=true&tp=4")
    explorer.page.wait_for_function("() => location.search.includes('tp=4')")
    assert "embed=true" in explorer.query


@pytest.mark.parametrize("link", RUBBISH_LINKS[::20])
def test_a_rubbish_link_opens_the_explorer_and_is_cleaned(
    open_explorer: OpenExplorer, link: str
) -> None:
    explorer = open_explorer(link)
    assert "GPUs = TP" in explorer.headline
    assert explorer.page.get_by_text("Parts of this link were ignored").count() == 1
    from urllib.parse import parse_qs

    assert read(parse_qs(explorer.query))[1] == []


def test_forward_and_back_show_what_is_set_now(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=4&pin=7", fresh=True)
    explorer.page.get_by_role("link", name="How it is checked").click()
    explorer.page.wait_for_url("**/checked?tp=4&pin=7")
    explorer.settle()
    explorer.slide("CP context, common values", "ArrowRight")
    explorer.page.go_back()
    explorer.page.wait_for_selector(".ra-picture")
    explorer.wait_for_query("tp=4&cp=3&pin=7")
    assert "TP 4 × CP 3" in explorer.headline
    explorer.slide("CP context, common values", "ArrowRight")
    explorer.page.go_forward()
    explorer.wait_for_query("tp=4&cp=4&pin=7")
    expect(explorer.page.get_by_role("heading", name="How it is checked", level=1)).to_be_visible()


def test_what_a_component_reports_right_then_takes_nothing_of_a_link_back(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("tp=4")
    for tp in (3, 6, 8):
        explorer.page.evaluate(FOLLOW, "tp=4")
        explorer.wait_for_query("tp=4")
        explorer.page.evaluate(
            """async (tp) => {
                const link = document.body.appendChild(document.createElement("a"));
                link.href = "?tp=4&light=dp-cp&moe=on&ep=2";
                link.click();
                link.remove();
                await new Promise((done) => setTimeout(done, 40));  // now the script runs
                const field = document.querySelector("#ra-degree-tp");
                field.value = tp;
                field.dispatchEvent(new Event("input"));
                field.dispatchEvent(new Event("change"));
            }""",
            tp,
        )
        explorer.wait_for_query(f"tp={tp}&light=dp-cp&moe=on&ep=2")


def test_what_was_done_on_a_page_that_the_server_has_left_does_no_harm(
    windows: Callable[..., BrowserContext], server_url: str
) -> None:
    page = windows().new_page()
    page.set_viewport_size({"width": 1440, "height": 900})
    connected: list[WebSocketRoute] = []
    held: list[str | bytes] = []  # what the server says while the page does not listen
    listens = True

    def connect(browser: WebSocketRoute) -> None:
        connected.append(browser)
        server = browser.connect_to_server()
        server.on_message(lambda said: browser.send(said) if listens else held.append(said))

    page.route_web_socket("**/_stcore/stream", connect)
    page.goto(f"{server_url}/?tp=4")
    explorer = ExplorerPage(page)
    explorer.settle()
    placement = explorer.placement(Layout(tp=4, cp=2, dp=2, pp=2))
    listens = False
    page.evaluate(FOLLOW, "world=16&tp=3")  # makes no layout: no picture
    page.wait_for_timeout(1000)
    explorer.click(3, placement)
    page.set_viewport_size({"width": 1000, "height": 900})
    page.get_by_role("radio", name="by coordinate").click(force=True)
    page.wait_for_timeout(1000)
    listens = True
    for said in held:
        connected[-1].send(said)
    explorer.settle()
    expect(page.get_by_role("heading", name="These settings make no layout")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert {"world=16", "tp=3"} <= set(explorer.query.split("&"))
    page.get_by_role("button", name="TP 2", exact=True).click()
    page.locator(".ra-grid").wait_for()
    page.close()


def test_a_restarted_server_takes_over_what_was_set(
    browser: Browser,
) -> None:
    page, port = browser.new_page(), free_port()
    with serving(port=port) as url:
        page.goto(f"{url}/?tp=4")
        explorer = ExplorerPage(page)
        explorer.settle()
        explorer.slide("CP context, common values", "ArrowRight")
        explorer.wait_for_query("tp=4&cp=3")
    with serving(port=port):
        page.wait_for_selector("[data-testid=stApp][data-test-connection-state=CONNECTED]")
        page.wait_for_timeout(1000)
        explorer.page.get_by_role("slider", name="DP data, common values").press("ArrowRight")
        explorer.wait_for_query("tp=4&cp=3")
        explorer.slide("DP data, common values", "ArrowRight")
        explorer.wait_for_query("tp=4&cp=3&dp=3")
    page.close()


def test_a_link_on_the_page_changes_the_layout_without_loading_anew(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("tp=4", fresh=True)
    explorer.page.evaluate("window.here = true")
    explorer.page.get_by_role("link", name="the 16,384 GPUs of Llama 3 405B").click()
    explorer.wait_for_query("tp=8&cp=1&dp=128&pp=16&order=tp-cp-pp-dp")
    assert explorer.headline == "16,384 GPUs = TP 8 × CP 1 × DP 128 × PP 16 on 2,048 nodes"
    assert explorer.page.evaluate("window.here")
