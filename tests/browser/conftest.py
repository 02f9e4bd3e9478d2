"""One Chromium for all browser tests; each page fails its test on an error or a request that leaves."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.browser.explorer import ExplorerPage
from tests.chromium import FLAGS, find

OpenExplorer = Callable[..., ExplorerPage]


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


@pytest.fixture
def open_explorer(
    windows: Callable[..., BrowserContext], server_url: str
) -> Iterator[OpenExplorer]:
    """Opens the app at a link, in a tab of its own: `open_explorer("tp=4", width=390)`.

    At the end of the test no page may have had an error, or asked anything of another machine.
    """
    wrong: list[str] = []
    pages: list[Page] = []
    ours = (server_url, server_url.replace("http", "ws"), "data:", "blob:")

    def note(said: ConsoleMessage) -> None:
        # Streamlit looks for its server below the page's own path first, and says so when it is not.
        if said.type == "error" and "/_stcore/" not in said.location["url"]:
            wrong.append(f"{said.text} {said.location['url']}")

    def watch(page: Page) -> None:
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: None if request.url.startswith(ours) else wrong.append(request.url),
        )
        page.on("console", note)

    def open_page(
        query: str = "", *, path: str = "", width: int = 1440, height: int = 900, **options: Any
    ) -> ExplorerPage:
        page = windows(**options).new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.add_init_script(
            "localStorage.clear()"
        )  # Streamlit keeps there whether the sidebar is open
        watch(page)
        page.goto(f"{server_url}/{path}{'?' if query else ''}{query}")
        explorer = ExplorerPage(page)
        explorer.settle()
        return explorer

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []
