"""In a wiki: picture, card and a link out, from another origin, in a sandbox, at any width."""

import http.server
import re
import threading
from collections.abc import Callable, Iterator
from html import unescape
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from assets.page import EMBED_HEIGHT
from layout.address import Address, write
from pages.explorer import HEIGHT_IN_NARROW_EMBED
from tests.browser.conftest import OpenExplorer
from tests.browser.explorer import ExplorerPage, peers
from tests.browser.test_access import violations

ADDRESS = Address(tp=8, cp=1, dp=128, pp=16, pin=1300)  # 16,384 ranks
SMALL = Address(tp=4, dp=2, pp=4)


@pytest.fixture
def wiki() -> Iterator[Callable[[str], str]]:
    """A page of another origin and another site around any HTML: `wiki("<iframe …>")` is its address."""
    bodies: dict[str, str] = {}

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(bodies.get(self.path, "").encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def address_of(body: str) -> str:
        path = f"/{len(bodies)}"
        bodies[path] = f"<!doctype html><title>Wiki</title><h1>Our job</h1>{body}<p>Words.</p>"
        return f"http://localhost:{server.server_port}{path}"

    yield address_of
    server.shutdown()


def in_frame(page: Page) -> ExplorerPage:
    """The Explorer in the page's iframe, once it shows what it was given."""
    frame = page.frame_locator("iframe")
    expect(frame.locator(".ra-grid")).to_have_attribute("data-ready", "yes", timeout=30_000)
    page.wait_for_timeout(300)
    return ExplorerPage(page, frame)


@pytest.mark.parametrize(
    ("sandbox", "width"), [("", 900), ('sandbox="allow-scripts allow-same-origin"', 360)]
)
def test_a_frame_of_another_origin_lights_the_peers(
    windows: Callable[..., BrowserContext],
    server_url: str,
    wiki: Callable[[str], str],
    sandbox: str,
    width: int,
) -> None:
    source = f"{server_url}/?{write(ADDRESS.with_(pin=None))}&embed=true"
    page = windows().new_page()
    page.set_viewport_size({"width": 1200, "height": 1000})
    size = f'width="{width}" height="{EMBED_HEIGHT}" style="border:0"'
    page.goto(wiki(f'<iframe {sandbox} src="{source}" {size}></iframe>'))
    explorer = in_frame(page)
    layout = ADDRESS.layout()
    below = {"height": HEIGHT_IN_NARROW_EMBED} if width < 740 else {}
    placement = explorer.placements(ADDRESS, **below)[0]
    for rank in (0, 1300, 16_383):
        explorer.hover(rank, placement)
        assert explorer.card(".ra-card-title") == f"Rank {rank}"
        assert explorer.lit(placement) == peers(layout, rank)
    explorer.click(1300, placement)
    page.mouse.move(2, 2)
    page.wait_for_timeout(500)
    assert explorer.card(".ra-card-title") == "Rank 1300"
    page.close()


@pytest.mark.parametrize("address", [ADDRESS, SMALL, SMALL.with_(arrange="coordinate", pin=3)])
def test_an_embed_fits_its_height_at_every_width(
    open_explorer: OpenExplorer, address: Address
) -> None:
    explorer = open_explorer(f"{write(address)}&embed=true", width=360, height=EMBED_HEIGHT)
    page = explorer.page
    for width in (360, 500, 739, 800, 1100):
        page.set_viewport_size({"width": width, "height": EMBED_HEIGHT})
        page.wait_for_timeout(700)
        explorer.settle()
        reach = page.evaluate(
            """() => { const main = document.querySelector("[data-testid=stMain]");
                const end = document.querySelector("[data-testid=stMainBlockContainer]");
                return [main.scrollWidth, end.getBoundingClientRect().bottom]; }"""
        )
        assert reach[0] <= width and reach[1] <= EMBED_HEIGHT, width
    for gone in ("stSidebar", "stExpandSidebarButton"):
        expect(page.get_by_test_id(gone)).to_be_hidden()
    assert page.locator("[data-testid=stMain] :is(input, select, table)").count() == 0 or not (
        page.locator(".ra-find").is_visible()
    )
    link = page.get_by_role("link", name="Open in Rank Atlas")
    assert urlsplit(link.evaluate("(link) => link.href")).query == write(address)
    assert link.get_attribute("target") == "_blank"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_link_says_theme_and_language_and_axe_finds_nothing(
    open_explorer: OpenExplorer, scheme: str
) -> None:
    other = "dark" if scheme == "light" else "light"
    query = f"pin=3&lang=en&embed=true&embed_options={scheme}_theme"
    explorer = open_explorer(query, width=360, height=EMBED_HEIGHT, color_scheme=other)
    ground = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert (
        explorer.page.evaluate(ground)
        == {
            "light": "rgb(255, 255, 255)",
            "dark": "rgb(17, 20, 24)",
        }[scheme]
    )
    assert violations(explorer.page) == []
    parameters = explorer.query.split("&")
    assert {"pin=3", "lang=en", "embed=true", f"embed_options={scheme}_theme"} == set(parameters)


def test_the_panel_gives_the_link_and_the_iframe(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("pin=3", permissions=["clipboard-read", "clipboard-write"])
    page = explorer.page
    root = page.url.split("?")[0]
    page.get_by_text("Link and embed", exact=True).click()
    assert violations(page) == []
    explorer.set_degree("tp", 4)  # the panel stays open, and follows
    expect(page.get_by_label("Link to this layout")).to_have_value(f"{root}?tp=4&pin=3")
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_text("The link is copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{root}?tp=4&pin=3"
    page.get_by_label("Theme in the iframe").select_option("dark")
    page.get_by_role("button", name="Copy the iframe").click()
    expect(page.get_by_text("The iframe is copied.")).to_be_visible()
    snippet = page.evaluate("navigator.clipboard.readText()")
    parts = dict(re.findall(r'(\w+)="([^"]*)"', snippet))
    assert unescape(parts["src"]) == f"{root}?tp=4&pin=3&embed=true&embed_options=dark_theme"
    assert parts["title"] == "32 GPUs = TP 4 × CP 2 × DP 2 × PP 2 on 4 nodes"
    assert (parts["width"], parts["height"]) == ("100%", str(EMBED_HEIGHT))
    page.keyboard.press("Escape")
    expect(page.get_by_label("Link to this layout")).to_be_hidden()


def test_a_link_that_makes_no_layout_offers_a_way_in_an_embed_too(
    open_explorer: OpenExplorer,
) -> None:
    explorer = open_explorer("world=16&tp=3&embed=true", width=360, height=EMBED_HEIGHT)
    explorer.page.get_by_role("button", name="TP 2", exact=True).click()
    explorer.page.locator(".ra-grid").wait_for()
    explorer.settle()
    assert explorer.headline.startswith("16 GPUs = TP 2")
