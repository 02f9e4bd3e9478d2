"""How smoothly the derivation plays: frames per second of each flight, and tasks that hold the page up.

`python -m tests.bench.derivation` starts a server of its own and a headless Chromium, and takes about two
minutes. Prints Markdown, for the README. Compare numbers within one run only: "at rest" is what the browser
draws while nothing moves.
"""

from itertools import pairwise
from typing import Any

from playwright.sync_api import Page, sync_playwright

from layout.address import Address, write
from tests.browser.explorer import ExplorerPage
from tests.chromium import FLAGS, find
from tests.serving import serving

CASES = (
    Address(),
    Address(tp=8, cp=4, dp=4, pp=4),
    Address(tp=2, cp=4, dp=8, pp=8),
    Address(tp=1, cp=4, dp=8, pp=16),
    Address(tp=8, cp=16, dp=8, pp=16),
)
SPEED = 2
FLIGHTS = ("3 copy", "4 end to end", "5 insert", "6 return", "7 check")

# Plays from the beginning to the end and gives [milliseconds since the frame before, step] of each frame in
# which a tile had moved, or nothing had; and the milliseconds of each long task.
PLAY = """async (speed) => {
    const tasks = [];
    const note = (list) => tasks.push(...list.getEntries().map(({ duration }) => duration));
    const observer = new PerformanceObserver(note);
    observer.observe({ type: "longtask" });
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const root = document.querySelector(".ra-derivation");
    const scrubber = root.querySelector(".ra-scrubber");
    const speeds = root.querySelector(".ra-speed select");
    scrubber.value = 0;
    scrubber.dispatchEvent(new Event("input"));
    speeds.value = speed;
    await pause(500);
    tasks.length = 0;
    const play = root.querySelector(".ra-button-play");
    const runs = [...root.querySelectorAll(".ra-run")];
    const where = () => runs.map((run) => run.getAttribute("transform")).join();
    const frames = [];
    play.click();
    let [last, seen] = [performance.now(), where()];
    await new Promise((done) => {
        const frame = (now) => {
            const [gap, there] = [now - last, where()];
            frames.push([gap, +root.dataset.step, there !== seen]);
            [last, seen] = [now, there];
            if (play.dataset.name === "again") done();
            else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    });
    observer.disconnect();
    return { frames, tasks, runs: runs.length };
}"""


def measured(page: Page) -> list[str]:
    """Moving groups, frames per second at rest and in each flight, and the longest task, as cells."""
    played: dict[str, Any] = page.evaluate(PLAY, SPEED)
    frames = played["frames"]
    cells = [f"{played['runs']:,}", per_second([gap for gap, _, moved in frames if not moved])]
    for flight in FLIGHTS:
        step = int(flight[0])
        # A frame counts as part of a flight where the one before it moved too.
        gaps = [
            gap
            for (_, _, moved_before), (gap, at, moved) in pairwise(frames)
            if at == step and moved and moved_before
        ]
        cells.append(per_second(gaps))
    longest = max(played["tasks"], default=0)
    return [*cells, f"{longest:.0f} ms" if longest else "none"]


def per_second(gaps: list[float]) -> str:
    """Frames per second, and the 95th percentile of the time from one to the next: "59 (17 ms)"."""
    if not gaps:
        return "nothing moves"
    ordered = sorted(gaps)
    p95 = ordered[max(int(len(ordered) * 0.95) - 1, 0)]
    return f"{1000 * len(gaps) / sum(gaps):.0f} ({p95:.0f} ms)"


def main() -> None:
    """Prints the table."""
    columns = ["GPUs drawn", "moving groups", "at rest", *FLIGHTS, "longest task over 50 ms"]
    rows = []
    with serving() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        for address in CASES:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{url}/derivation?{write(address)}")
            ExplorerPage(page).settle()
            num_tiles = page.locator(".ra-tile").count()
            rows.append([f"{num_tiles} of {address.layout().world_size:,}", *measured(page)])
            page.close()
        browser.close()
    for row in (columns, ["---"] * len(columns), *rows):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
