"""The Explorer as its reader sees it: what a test may do on the page, and what it reads there."""

from base64 import b64encode
from collections.abc import Iterable, Mapping

import numpy as np
from playwright.sync_api import FrameLocator, Locator, Page, Position, expect

from layout import Axis, Grid, Layout
from layout.address import Address
from layout.grid import HasGrid
from layout.ranks import grid_of
from pages.explorer import HEIGHT, HEIGHT_WHERE_NARROW, NARROW, placements
from pages.figures.palette import AXIS_COLOURS, EXPERT_COLOURS
from pages.figures.placement import Placement

GRID = ".ra-picture"
SELF = {"light": "#12151C", "dark": "#E8EAEE"}

# [place, colour] of those of the pixels asked for that are painted, on the canvas of lit tiles.
READ_TILES = """(canvas, places) => {
    const bytes = Uint8Array.from(atob(places), (character) => character.charCodeAt(0));
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const lit = [];
    new Int32Array(bytes.buffer).forEach((at, place) => {
        const [red, green, blue, cover] = data.subarray(4 * at, 4 * at + 4);
        if (cover) lit.push([place, red << 16 | green << 8 | blue]);
    });
    return lit;
}"""


class ExplorerPage:
    """A page with the Explorer on it."""

    def __init__(self, page: Page, within: FrameLocator | Locator | None = None) -> None:
        self.page = page
        self.within: Page | FrameLocator | Locator = within or page
        self.drawn = np.arange(0)
        self.colours: Mapping[Axis, str] = AXIS_COLOURS

    @property
    def dense(self) -> "ExplorerPage":
        """The same page, where two grids are on it, as far as it is about the dense grid."""
        return ExplorerPage(self.page, self.within.locator(".st-key-rank_grid"))

    @property
    def experts(self) -> "ExplorerPage":
        """The same page as far as it is about the experts' grid."""
        scoped = ExplorerPage(self.page, self.within.locator(".st-key-rank_grid_experts"))
        scoped.colours = EXPERT_COLOURS
        return scoped

    def settle(self) -> None:
        """Waits until the script has run and every component shows what it was given."""
        self.page.wait_for_function(
            """() => {
                const app = document.querySelector("[data-testid=stApp]");
                const roots = [...document.querySelectorAll(".ra-root")];
                const pictureIsDue = document.querySelector("[role=radiogroup][aria-label='Arrange']")
                    && !document.querySelector("[data-testid=stAlert]");
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
        return self.within.locator(GRID)

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
        return self.within.locator(f".ra-card {part}").inner_text()

    def placements(self, address: Address, *, height: int | None = None) -> tuple[Placement, ...]:
        """Where the model says that tiles are, in the room that the picture has; closer looks too."""
        setup: HasGrid = address.layout()
        part = address.part()
        if self.colours is EXPERT_COLOURS:
            setup, part = address.expert_grid(), address.expert_part()
        self.drawn = part.ranks if part else np.arange(address.layout().world_size)
        room = self.within.locator(".ra-main").evaluate("(main) => main.clientWidth") // 10 * 10
        return placements(
            setup,
            part,
            arrange=address.arrange,
            gpus_per_node=address.gpn,
            width=room,
            height=height or (HEIGHT if room > NARROW else HEIGHT_WHERE_NARROW),
        )

    def placement(self, layout: Layout, *, gpus_per_node: int = 8) -> Placement:
        """Where the model says that the tiles of a whole layout are, by node."""
        address = Address(order=layout.order, gpn=gpus_per_node)
        degrees = {axis: layout.degree_of(axis) for axis in ("tp", "cp", "dp", "pp")}
        return self.placements(address.with_(**degrees))[0]

    def hover(self, rank: int, placement: Placement, moved: tuple[int, int] = (0, 0)) -> None:
        """Moves the mouse onto the tile of `rank`."""
        self.grid.hover(position=middle_of(rank, placement, moved))

    def click(self, rank: int, placement: Placement, moved: tuple[int, int] = (0, 0)) -> None:
        """Clicks on the tile of `rank`."""
        self.grid.click(position=middle_of(rank, placement, moved))

    def lit(
        self,
        placement: Placement,
        ranks: Iterable[int] | None = None,
        *,
        moved: tuple[int, int] = (0, 0),
        light: str | None = None,
    ) -> dict[str, list[int]]:
        """The ranks whose tiles are painted lit, by what lit them; "self" is the rank they belong to.

        Read from the pixels that are painted, not from anything the page says about them. `ranks` are
        those that are looked at, by default all that are drawn; `moved` is how far the picture is moved.
        A set paints in the colours of all its axes: all that is lit but the rank itself counts as `light`.
        """
        looked_at = self.drawn if ranks is None else np.array(list(ranks))
        x, y = placement.corners_of(looked_at)
        canvas = self.within.locator("canvas.ra-lit")
        size = canvas.evaluate("(canvas) => [canvas.width, canvas.height]")
        x, y = x + placement.tile // 2 - moved[0], y + placement.tall // 2 - moved[1]
        in_view = (x >= 0) & (y >= 0) & (x < size[0]) & (y < size[1])
        looked_at, x, y = looked_at[in_view], x[in_view], y[in_view]
        pixels = b64encode((y * size[0] + x).astype("<i4").tobytes()).decode()
        keys = {int(colour[1:], 16): axis for axis, colour in self.colours.items()}
        keys |= {int(colour[1:], 16): "self" for colour in SELF.values()}
        found: dict[str, list[int]] = {key: [] for key in ([light] if light else self.colours)}
        found["self"] = []
        for place, colour in canvas.evaluate(READ_TILES, pixels):
            rank, key = int(looked_at[place]), keys.get(colour)
            if light and key != "self":
                key = light
            assert key, f"rank {rank} is painted #{colour:06X}"
            found[key].append(rank)
        return found

    def set_degree(self, axis: str, degree: int) -> None:
        """Types a degree into its field."""
        field = self.page.locator(f"#ra-degree-{axis}")
        field.fill(str(degree))
        field.press("Enter")
        expect(self.page.locator(f"#ra-degree-{axis}")).to_have_value(str(degree))
        self.settle()

    def empty_degree(self, axis: str) -> None:
        """Empties the field of a degree that may follow another one."""
        field = self.page.locator(f"#ra-degree-{axis}")
        field.fill("")
        field.press("Enter")
        self.settle()

    def slide(self, name: str, *keys: str) -> None:
        """Moves a slider by keys."""
        slider = self.page.get_by_role("slider", name=name)
        slider.focus()
        for key in keys:
            slider.press(key)
        self.settle()

    def choose(self, label: str, option: str) -> None:
        """Chooses from one of the lists above the picture; of a long one only a part is there at a time."""
        self.page.get_by_role("combobox", name=label).click()
        self.page.keyboard.type(option)
        self.page.get_by_role("option", name=option, exact=True).click()
        self.settle()


def middle_of(rank: int, placement: Placement, moved: tuple[int, int]) -> Position:
    """The middle of a tile in the picture's frame, as Playwright wants a position."""
    x, y = placement.corners_of(rank)
    return {
        "x": int(x) + placement.tile / 2 - moved[0],
        "y": int(y) + placement.tall / 2 - moved[1],
    }


def peers(
    layout: Grid | HasGrid, rank: int, lights: Iterable[str] = ("tp", "cp", "dp", "pp")
) -> dict[str, list[int]]:
    """What should be lit for `rank`, as the model says."""
    lit = {
        light: [
            peer
            for peer in grid_of(layout).group_of(rank, *light.split("-")).tolist()
            if peer != rank
        ]
        for light in lights
    }
    return {**lit, "self": [rank]}
