"""The Explorer as its reader sees it: what a test may do on the page, and what it reads there."""

import re
from collections.abc import Iterable

from playwright.sync_api import Locator, Page, expect

from layout import Layout
from pages.figures.placement import Placement, by_node

GRID = ".ra-picture"


class ExplorerPage:
    """A page with the Explorer on it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def settle(self) -> None:
        """Waits until the script has run and every component shows what it was given."""
        self.page.wait_for_function(
            """() => {
                const app = document.querySelector("[data-testid=stApp]");
                const roots = [...document.querySelectorAll(".ra-root")];
                const pictureIsDue = document.querySelector("[role=radiogroup][aria-label='Light up']");
                const settled = app?.dataset.testScriptState === "notRunning"
                    && (!pictureIsDue || document.querySelector(".ra-grid"))
                    && document.querySelector("[data-testid=stMainBlockContainer] h1")
                    && roots.length > 0 && roots.every((root) => root.dataset.ready === "yes");
                window.settledFrames = settled ? (window.settledFrames ?? 0) + 1 : 0;
                if (window.settledFrames < 4) return false;
                window.settledFrames = 0;
                return true;
            }"""
        )

    @property
    def grid(self) -> Locator:
        return self.page.locator(GRID)

    @property
    def headline(self) -> str:
        return self.page.locator("[data-testid=stMainBlockContainer] h1").inner_text()

    @property
    def query(self) -> str:
        """The parameters in the browser's address."""
        return self.page.evaluate("location.search.slice(1)")  # type: ignore[no-any-return]

    def wait_for_query(self, query: str) -> None:
        """Waits until the browser's address has these parameters, and the page shows them."""
        self.page.wait_for_function("(query) => location.search.slice(1) === query", arg=query)
        self.settle()

    def card(self, part: str = "") -> str:
        """The words on the card, or in one part of it."""
        return self.page.locator(f".ra-card {part}").inner_text()

    def placement(self, layout: Layout, *, gpus_per_node: int = 8) -> Placement:
        """Where the model says that tiles are, in the room that the picture has."""
        room = self.page.evaluate("document.querySelector('.ra-main').clientWidth") // 10 * 10
        return by_node(
            layout.world_size,
            gpus_per_node=gpus_per_node,
            width=room,
            height=560 if room > 480 else 440,
        )

    def hover(self, rank: int, placement: Placement) -> None:
        """Moves the mouse onto the tile of `rank`."""
        x, y = placement.corners_of(rank)
        self.grid.hover(position={"x": x + placement.tile / 2, "y": y + placement.tile / 2})

    def click(self, rank: int, placement: Placement) -> None:
        """Clicks on the tile of `rank`."""
        x, y = placement.corners_of(rank)
        self.grid.click(position={"x": x + placement.tile / 2, "y": y + placement.tile / 2})

    def lit(self, placement: Placement) -> dict[str, list[int]]:
        """The ranks whose tiles are painted lit, by what lit them; "self" is the rank they belong to.

        Read from the geometry of what is painted, not from anything the page says about it.
        """
        ranks = range(placement.world_size)
        rank_at = {tuple(map(int, placement.corners_of(rank))): rank for rank in ranks}
        painted: dict[str, str] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll(".ra-lit path")].map((path) =>
                [path.dataset.light ?? "self", path.getAttribute("d")]))"""
        )
        return {
            light: sorted(
                rank_at[int(x) - 1, int(y) - 1] for x, y in re.findall(r"M(\d+) (\d+)h", d)
            )
            for light, d in painted.items()
        }

    def set_degree(self, axis: str, degree: int) -> None:
        """Types a degree into its field."""
        field = self.page.locator(f"#ra-degree-{axis}")
        field.fill(str(degree))
        field.press("Enter")
        expect(self.page.locator(f"#ra-degree-{axis}")).to_have_value(str(degree))
        self.settle()

    def slide(self, name: str, *keys: str) -> None:
        """Moves a slider by keys."""
        slider = self.page.get_by_role("slider", name=name)
        slider.focus()
        for key in keys:
            slider.press(key)
        self.settle()


def peers(
    layout: Layout, rank: int, lights: Iterable[str] = ("tp", "cp", "dp", "pp")
) -> dict[str, list[int]]:
    """What should be lit for `rank`, as the model says."""
    lit = {
        light: [peer for peer in layout.group_of(rank, *light.split("-")).tolist() if peer != rank]
        for light in lights
    }
    return {**lit, "self": [rank]}
