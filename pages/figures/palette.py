"""Every colour of the picture, and what it means.

An axis colour means its axis wherever it appears: slider, lit tile, card and table. All else is grey.
White text has a contrast of at least 4.5 on each axis colour; the smallest CIE76 distance between two
of them is 24 over normal vision and simulated protanopia, deuteranopia and tritanopia.
"""

from typing import Literal

from layout import Axis

Theme = Literal["light", "dark"]

AXIS_COLOURS: dict[Axis, str] = {
    "tp": "#D23C10",
    "cp": "#098657",
    "dp": "#0258E7",
    "pp": "#BF1087",
}

EXPERT_COLOURS: dict[Axis, str] = {
    "etp": AXIS_COLOURS["tp"],
    "ep": "#8A5AC6",
    "edp": AXIS_COLOURS["dp"],
    "pp": AXIS_COLOURS["pp"],
}
"""In the expert grid ETP and EDP keep the hues of TP and DP, whose part they play; EP has its own, which
keeps a distance of at least 22 from all others, simulated as above."""

MAX_STEPS = 8
"""Up to this many values are told apart as steps; beyond it the shading is a continuous scale."""

# The quiet base of the tiles, from the lowest value of the shading axis to the highest. Numbers on
# them (`--ra-number` in rank_grid.css) keep a contrast of at least 4.5 at both ends.
_BASE: dict[Theme, tuple[str, str]] = {
    "light": ("#EEF1F6", "#B9C5D3"),
    "dark": ("#232B35", "#3E4B5E"),
}


def base_colours(num_values: int, *, theme: Theme) -> list[str]:
    """The tile colours for `num_values` values as steps, lowest value first.

    >>> base_colours(1, theme="light")
    ['#EEF1F6']
    >>> base_colours(2, theme="dark")
    ['#232B35', '#2C3643']
    """
    low, high = (_channels(colour) for colour in _BASE[theme])
    # Few values stay close together: a picture of two stages is then as quiet as one of eight.
    reach = (num_values + 1) / (MAX_STEPS + 1)
    shares = [reach * step / max(num_values - 1, 1) for step in range(num_values)]
    return [
        "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in zip(low, high, strict=True))
        for share in shares
    ]


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))
