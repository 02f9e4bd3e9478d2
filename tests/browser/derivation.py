"""The derivation as its reader sees it: where each tile is, which number it has, and what is said."""

from typing import NamedTuple

from playwright.sync_api import Locator, Page

from tests.browser.explorer import ExplorerPage

# Everything that the stage shows, in its own pixels: tiles, labels, frames with their names.
READ_STAGE = """() => {
    const svg = document.querySelector(".ra-stage-picture");
    const zero = svg.getBoundingClientRect();
    const box = (element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return [left - zero.left, top - zero.top, width, height].map((n) => Math.round(n * 10) / 10);
    };
    const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const tiles = [...svg.querySelectorAll(".ra-tile")].filter(seen).map((tile) => ({
        place: +tile.dataset.tile,
        tint: +/ra-copy-(\\d+)/.exec(tile.parentNode.getAttribute("class"))[1],
        number: tile.querySelector("text:not(.ra-corner, .ra-letter)")?.textContent ?? null,
        corner: tile.querySelector(".ra-corner")?.textContent ?? null,
        lit: tile.dataset.lit ?? null,
        box: box(tile.querySelector("rect")),
    }));
    const labels = [...svg.querySelectorAll(".ra-labels text")].filter(seen).map((text) => ({
        text: text.textContent, anchor: text.getAttribute("text-anchor"), box: box(text),
    }));
    const all = [...svg.querySelectorAll(".ra-endToEnd rect, .ra-final rect")];
    const frames = all.filter(seen).map((frame) => ({
        text: frame.nextElementSibling?.tagName === "text" ? frame.nextElementSibling.textContent : null,
        box: box(frame),
    }));
    return { tiles, labels, frames };
}"""
SEEK = """(time) => {
    const scrubber = document.querySelector(".ra-scrubber");
    scrubber.value = time;
    scrubber.dispatchEvent(new Event("input"));
}"""


class Tile(NamedTuple):
    """One tile as it is drawn: `number` and `corner` as text, None where a tile has no room for them."""

    place: int
    tint: int
    number: str | None
    corner: str | None
    lit: str | None
    box: tuple[float, float, float, float]

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the tile, in pixels of the stage."""
        left, top, width, height = self.box
        return left + width / 2, top + height / 2


class Label(NamedTuple):
    """A label of the block, or a node's frame with its name."""

    text: str | None
    box: tuple[float, float, float, float]
    anchor: str | None = None


class Drawn(NamedTuple):
    """Everything on the stage at one moment."""

    tiles: dict[int, Tile]
    labels: list[Label]
    frames: list[Label]


class DerivationPage:
    """A page with the derivation on it."""

    def __init__(self, explorer: ExplorerPage) -> None:
        self.explorer = explorer
        self.page: Page = explorer.page

    @property
    def stage(self) -> Locator:
        return self.page.locator(".ra-stage")

    @property
    def step(self) -> int:
        """The step that the page says it is at."""
        return int(self.page.locator(".ra-derivation").get_attribute("data-step") or 0)

    @property
    def title(self) -> str:
        return self.page.locator(".ra-title").inner_text()

    @property
    def caption(self) -> str:
        return self.page.locator(".ra-caption.ra-present").inner_text()

    @property
    def sentence(self) -> str:
        """What is said of the tile that is looked at."""
        return self.page.locator(".ra-sentence").inner_text()

    def go(self, step: int) -> None:
        """Clicks on a step and waits until it is shown in full and the link says so."""
        self.page.locator(".ra-step").nth(step - 1).click()
        self.rest(step)

    def rest(self, step: int) -> None:
        """Waits until the clock stands at the end of a step."""
        self.page.wait_for_function(
            """(step) => {
                const play = document.querySelector(".ra-button-play");
                const isAt = document.querySelector(".ra-derivation").dataset.step === String(step);
                const query = new URLSearchParams(location.search).get("step") ?? "1";
                return isAt && play.dataset.name !== "pause" && query === String(step);
            }""",
            arg=step,
        )
        self.explorer.settle()

    def seek(self, time: float) -> None:
        """Moves the scrubber to a time in milliseconds."""
        self.page.evaluate(SEEK, time)

    @property
    def length(self) -> float:
        """The milliseconds of the whole film."""
        return float(self.page.locator(".ra-scrubber").get_attribute("max") or 0)

    def read(self) -> Drawn:
        """Tiles by index, labels and frames, as they are drawn now."""
        read = self.page.evaluate(READ_STAGE)
        for things in read.values():
            for thing in things:
                thing["box"] = tuple(thing["box"])
        return Drawn(
            tiles={tile["place"]: Tile(**tile) for tile in read["tiles"]},
            labels=[Label(**label) for label in read["labels"]],
            frames=[Label(**frame) for frame in read["frames"]],
        )

    def tiles(self) -> dict[int, Tile]:
        """The tiles that are seen, by index."""
        return self.read().tiles

    def hover(self, index: int) -> None:
        """Moves the mouse onto a tile."""
        self.page.locator(f".ra-tile[data-tile='{index}'] rect").hover()

    def groups(self, axis: str) -> list[str]:
        """The lines of the list of groups of an axis, as far as they are seen."""
        items = self.page.locator(f".ra-list.ra-edge-{axis} li:not(.ra-unfound)")
        return items.all_inner_texts()
