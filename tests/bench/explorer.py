"""How fast the Explorer answers: hover, slider, bytes, first load; as Markdown, for the README.

`python -m tests.bench.explorer` starts a server of its own and a headless Chromium, and takes about
three minutes; `python -m tests.bench.explorer linked` measures only the rows with that in their names.
Times are milliseconds. Compare numbers within one run only: the empty overlay, which does nothing on
each move, is measured beside ours for that.
"""

import random
import statistics
import sys
from collections.abc import Sequence
from math import prod

from playwright.sync_api import Browser, sync_playwright

from layout.address import Address, write
from tests.bench.wire import Wire
from tests.browser.explorer import ExplorerPage
from tests.chromium import FLAGS, find
from tests.serving import serving

SIZES = {
    16: Address(),
    256: Address(tp=4, cp=2, dp=8, pp=4),
    2048: Address(tp=8, cp=4, dp=8, pp=8),
    16_384: Address(tp=8, cp=1, dp=128, pp=16),
    131_072: Address(tp=8, cp=1, dp=2048, pp=8),
}
WHOLE_WORLD = SIZES[131_072].with_(light="tp-dp-pp")  # with CP 1 one group holds all 131,072 ranks
LINKED = SIZES[16_384].with_(moe="on", ep=64, etp=1, grid="both")  # two grids, lit together
NUM_MOVES = 100
NUM_SLIDES = 24

# Times each pointer move from the window's first listener to its last (handler), and to the first
# frame after it (painted).
WATCH_MOVES = """() => {
    window.moves = [];
    let start;
    addEventListener("pointermove", () => { start = performance.now(); }, { capture: true });
    addEventListener("pointermove", () => {
        const begun = start, handler = performance.now() - begun;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => moves.push([handler, performance.now() - begun]);
            port2.postMessage(0);
        });
    });
}"""
# An overlay over the picture that listens and does nothing; the picture itself hears nothing.
COVER = """() => {
    const { left, top, width, height } = document.querySelector(".ra-picture").getBoundingClientRect();
    const cover = document.body.appendChild(document.createElement("div"));
    cover.id = "empty";
    cover.style.cssText = `position:fixed; z-index:9999999; left:${left}px; top:${top}px;
        width:${width}px; height:${height}px`;
    cover.addEventListener("pointermove", () => {});
}"""
# Times each slider step from its key to the first frame after the picture is drawn.
WATCH_SLIDES = """() => {
    window.slides = [];
    let begun = null;
    addEventListener("keydown", () => { begun = performance.now(); }, { capture: true });
    new MutationObserver(() => {
        const start = begun;
        if (start === null || document.querySelector(".ra-grid").dataset.ready !== "yes") return;
        begun = null;
        requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => slides.push(performance.now() - start);
            port2.postMessage(0);
        });
    }).observe(document.querySelector(".ra-grid"), { attributeFilter: ["data-ready"] });
}"""


def p50_p95(times: Sequence[float]) -> str:
    """Median and 95th percentile, as "4.1 / 7.7"."""
    ordered = sorted(times)
    return f"{statistics.median(ordered):.1f} / {ordered[int(len(ordered) * 0.95) - 1]:.1f}"


def hover(explorer: ExplorerPage, address: Address) -> list[list[float]]:
    """[handler, painted] of each of 100 moves to a random rank."""
    explorer.page.evaluate("window.moves.length = 0")
    chance = random.Random(0)
    dense = explorer.dense  # the one picture, or the first of two
    box = dense.grid.bounding_box()
    assert box
    placement = dense.placements(address)[0]
    for _ in range(NUM_MOVES):
        x, y = placement.corners_of(chance.randrange(address.layout().world_size))
        half = placement.tile / 2
        explorer.page.mouse.move(box["x"] + int(x) + half, box["y"] + int(y) + half)
        explorer.page.wait_for_timeout(30)
    return explorer.page.evaluate("window.moves")  # type: ignore[no-any-return]


def opened(browser: Browser, url: str, address: Address) -> ExplorerPage:
    """The Explorer at `address` in a window of its own, nothing cached."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    explorer = ExplorerPage(context.new_page())
    explorer.page.goto(f"{url}/?{write(address)}")
    explorer.settle()
    return explorer


def slide(explorer: ExplorerPage, step: int) -> None:
    """One step of the DP slider, down and up in turn, until the page rests."""
    slider = explorer.page.get_by_role("slider", name="DP data, common values")
    slider.focus()
    slider.press("ArrowLeft" if step % 2 == 0 else "ArrowRight")
    explorer.page.wait_for_timeout(50)
    explorer.settle()
    explorer.page.wait_for_timeout(100)


def times(browser: Browser, url: str, address: Address) -> list[str]:
    """Hover, empty overlay, slider and first load, as cells of a row."""
    explorer = opened(browser, url, address)
    load_ms = explorer.page.evaluate("performance.now()")
    explorer.page.wait_for_timeout(500)
    explorer.page.evaluate(WATCH_MOVES)
    ours = hover(explorer, address)
    explorer.page.evaluate(COVER)
    empty = hover(explorer, address)
    explorer.page.evaluate("document.querySelector('#empty').remove()")
    explorer.page.evaluate(WATCH_SLIDES)
    for step in range(NUM_SLIDES):
        slide(explorer, step)
    slides = explorer.page.evaluate("window.slides")
    assert len(slides) == NUM_SLIDES
    explorer.page.context.close()
    return [
        p50_p95([handler for handler, _ in ours]),
        p50_p95([painted for _, painted in ours]),
        p50_p95([painted for _, painted in empty]),
        p50_p95(slides),
        f"{load_ms / 1000:.1f} s",
    ]


def sizes(browser: Browser, wire: Wire, address: Address) -> list[str]:
    """Bytes of a first load and of a slider step, as cells of a row."""
    wire.num_bytes = 0
    explorer = opened(browser, wire.url, address)
    explorer.page.wait_for_timeout(500)
    load_bytes = wire.num_bytes
    most = (0, 0.0)
    for step in range(4):
        wire.num_bytes = 0
        slide(explorer, step)
        shapes = explorer.page.evaluate(
            "[...document.querySelectorAll('.ra-plot')].map((plot) => plot.data[0].z.shape)"
        )
        num_cells = [prod(int(length) for length in shape.split(", ")) for shape in shapes]
        most = max(most, (wire.num_bytes, sum(3 * 1024 + 1.4 * cells for cells in num_cells)))
    explorer.page.context.close()
    return [f"{most[0]:,} ({most[1]:,.0f})", f"{load_bytes / 1e6:.2f} MB"]


def main() -> None:
    """Prints the table."""
    columns = ["ranks", "handler", "painted", "painted, empty overlay", "slider to repaint"]
    columns += ["cold load", "bytes per change (aim)", "bytes of a cold load"]
    with (
        serving() as server_url,
        Wire(int(server_url.rsplit(":", 1)[1])) as wire,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        opened(
            browser, server_url, SIZES[16]
        ).page.context.close()  # the server's first run imports
        cases = {f"{size:,}": address for size, address in SIZES.items()}
        cases["131,072 in one group"] = WHOLE_WORLD
        cases["16,384 in two linked grids"] = LINKED
        wanted = sys.argv[1] if len(sys.argv) > 1 else ""
        rows = [
            [name, *times(browser, server_url, address), *sizes(browser, wire, address)]
            for name, address in cases.items()
            if wanted in name
        ]
        browser.close()
    for row in (columns, ["---"] * len(columns), *rows):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
