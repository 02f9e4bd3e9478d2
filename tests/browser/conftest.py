"""One Chromium for all browser tests; each page fails its test on an error or a request that leaves.

To load the app takes seconds, so a tab is kept and used again by the next test that wants one of its
kind: it follows a link on the page, as a reader may, and takes another theme or width while it is open, as
a reader's window may. A test that is about loading asks for a `fresh` one.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    sync_playwright,
)

from tests.browser.explorer import ExplorerPage
from tests.chromium import FLAGS, find

OpenExplorer = Callable[..., ExplorerPage]

USUAL_MEDIA: dict[str, Any] = {
    "color_scheme": "light",
    "reduced_motion": "no-preference",
    "forced_colors": "none",
}
NARROW_WINDOW = 768  # pixels: Streamlit begins with its sidebar folded away

# Follows a link on the page, after what a test before may have left behind is put away.
FOLLOW = """(query) => {
    document.activeElement.blur();
    for (const input of document.querySelectorAll(".ra-find input")) input.value = "";
    for (const answer of document.querySelectorAll(".ra-find-answer, .ra-spoken")) answer.textContent = "";
    document.querySelector(".ra-tool:nth-child(3)")?.click();
    document.querySelector("[data-testid=stMain]").scrollTop = 0;
    const link = document.body.appendChild(document.createElement("a"));
    link.href = `?${query}`;
    link.click();
    link.remove();
}"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that `python -m tests.chromium` found or installed."""
    executable = find()
    assert executable, "no Chromium here: run python -m tests.chromium, which gets one"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def windows(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """A kind of window (theme, touch, …) by its options, with a cache of its own, kept for all tests."""
    kept: dict[str, BrowserContext] = {}

    def window(**options: Any) -> BrowserContext:
        name = repr(sorted(options.items()))
        if name not in kept:
            kept[name] = browser.new_context(**options)
        return kept[name]

    yield window
    for context in kept.values():
        context.close()


class Tabs:
    """The tabs that stay open from one test to the next, by kind of window, and what went wrong in them."""

    def __init__(self) -> None:
        self.idle: dict[str, Page] = {}
        self.wrong: list[str] = []

    def watch(self, page: Page, server_url: str) -> None:
        """Notes errors, and what is asked of another machine."""
        ours = (server_url, server_url.replace("http", "ws"), "data:", "blob:")

        def asked(request: Request) -> None:
            if not request.url.startswith(ours):
                self.wrong.append(request.url)

        def said(message: ConsoleMessage) -> None:
            # Streamlit looks for its server below the page's own path first, and says so when it is not.
            if message.type == "error" and "/_stcore/" not in message.location["url"]:
                self.wrong.append(f"{message.text} {message.location['url']}")

        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", asked)
        page.on("console", said)


@pytest.fixture(scope="session")
def tabs() -> Tabs:
    """One set of tabs for all tests."""
    return Tabs()


@pytest.fixture
def open_explorer(
    windows: Callable[..., BrowserContext], tabs: Tabs, server_url: str
) -> Iterator[OpenExplorer]:
    """Shows the app at a link, in a tab that no other test has now: `open_explorer("tp=4", width=390)`.

    At the end of the test no page may have had an error, or asked anything of another machine.
    """
    used: list[tuple[str | None, Page]] = []

    def open_page(
        query: str = "",
        *,
        path: str = "",
        width: int = 1440,
        height: int = 900,
        fresh: bool = False,
        **options: Any,
    ) -> ExplorerPage:
        media = {name: options.pop(name, usual) for name, usual in USUAL_MEDIA.items()}
        # What begins as an embed stays one, and a window that begins narrow has its sidebar folded away.
        embed = [part for part in query.split("&") if part.startswith("embed")]
        kind = f"/{path} {width < NARROW_WINDOW} {sorted(options.items())} {embed}"
        page = None if fresh else tabs.idle.pop(kind, None)
        if page is None:
            page = windows(**options).new_page()
            page.emulate_media(**media)
            page.set_viewport_size({"width": width, "height": height})
            # Streamlit keeps there whether the sidebar is open.
            page.add_init_script("localStorage.clear()")
            tabs.watch(page, server_url)
            page.goto(f"{server_url}/{path}{'?' if query else ''}{query}")
            explorer = ExplorerPage(page)
            explorer.settle()
        else:
            page.bring_to_front()  # a tab behind another one draws no frames
            page.emulate_media(**media)
            page.set_viewport_size({"width": width, "height": height})
            page.mouse.move(2, 2)
            explorer = ExplorerPage(page)
            explorer.settle()
            sidebar = page.locator("[data-testid=stSidebar][data-collapsed=false]")
            if width < NARROW_WINDOW and sidebar.is_visible():
                sidebar.get_by_role("button", name="Collapse sidebar").click()
            page.evaluate(FOLLOW, query)
            explorer.settle()
        used.append((None if fresh else kind, page))
        return explorer

    yield open_page
    for kind, page in used:
        path = "" if page.is_closed() else page.url.removeprefix(server_url).split("?")[0]
        is_there = kind is not None and kind.startswith(f"{path} ")
        if kind is None or not is_there or kind in tabs.idle or tabs.wrong:
            page.close()
        else:
            tabs.idle[kind] = page
    wrong, tabs.wrong = tabs.wrong, []
    assert wrong == []
