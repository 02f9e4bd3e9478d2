"""What can be wrong with a layout, each said once, with its numbers.

An error carries a `reason` (a name for the rule), the `numbers` of this case and `fixes` (the
nearest changes that work), so that a terminal prints the English sentence and a screen may say the
same in another language and draw the fixes as buttons.
"""

from collections.abc import Iterable, Mapping
from typing import Any

MAX_WORLD_SIZE = 2**22
"""The largest world the model accepts: 4,194,304 ranks, far beyond any published job."""

SENTENCES: Mapping[str, str] = {
    "degree_not_whole": "{axis} is {value}, but must be a whole number, such as {nearest}",
    "degree_too_small": "{axis} is {value}, but must be at least 1",
    "degree_too_large": (
        "{axis} is {value}, but must be at most {limit}, the largest world size accepted here"
    ),
    "world_too_large": "{product} ranks, but at most {limit} are counted here; nearest that works: {nearest}",
    "world_not_divisible": (
        "{product} does not divide a world of {world} ranks; nearest that works: {nearest}"
    ),
    "world_disagrees": "{product} ranks, but the world has {world}; nearest that works: {nearest}",
    "no_such_first_rank": (
        "the first rank is {value}, but for {count} ranks it goes from 0 to {last}"
    ),
    "order_empty": "the order is empty; nearest that works: {nearest}",
    "order_unknown_axis": (
        "the order {order} names {axis}, which is not one of tp, cp, ep, dp, pp; "
        "nearest that works: {nearest}"
    ),
    "order_repeats_axis": "the order {order} names {axis} more than once; nearest that works: {nearest}",
    "order_lacks_axis": (
        "{axis} is {value}, but the order {order} does not name {axis}; "
        "nearest that works: {nearest}"
    ),
    "experts_not_divisible": (
        "{product} does not divide a world of {world} ranks; nearest that works: {nearest}"
    ),
    "experts_order_lacks_axis": (
        "{axis} is {value}, but the order {order} does not name {word}; nearest that works: {nearest}"
    ),
    "levels_too_many": "{count} CP levels, but at most {limit} are read",
    "levels_product": (
        "the CP levels {levels} make {product}, but cp is {value}; nearest that works: {nearest}"
    ),
    "instances_not_divisible": (
        "{instances} optimizer instances do not divide {size}, as {key} wants; "
        "nearest that works: {nearest}"
    ),
    "no_such_axis": "there is no axis {axis} here; the axes are {axes}",
    "axis_repeated": "the axis {axis} is named twice",
    "no_such_rank": "there is no rank {rank}: ranks go from {first} to {last}",
    "rank_not_whole": "{value} is not a rank: a rank is a whole number",
    "no_such_coordinate": "there is no {axis} {coordinate}: {axis} goes from 0 to {last}",
    "coordinate_not_whole": "{axis} is {value}, but a position on an axis is a whole number",
    "coordinate_incomplete": "a coordinate names each of {axes} once; this one names {given}",
    "no_such_position": "there is no position {position}: positions in a copy go from 0 to {last}",
    "no_such_part": "there is no part {number}: parts go from 0 to {last}",
    "position_not_whole": "{value} is not a position: a position is a whole number",
    "no_such_group_key": (
        "there is no group key {key}; a key is axis names ({axes}) joined by '-', such as dp-cp, "
        "or one of {names}"
    ),
    "no_such_form": "there is no format {form}; the formats are {forms}",
    "hosts_name": (
        "line {line}: '{text}' is no host's name, which has no spaces, no commas and only characters "
        "that print"
    ),
    "hosts_name_too_long": (
        "line {line}: {text} makes a name of {length} characters, but a host's name has at most {limit}"
    ),
    "hosts_repeated": "{name} is on line {first} and again on line {second}; name each host once",
    "hosts_repeated_in_line": "line {line} names {name} twice; name each host once",
    "hosts_too_many": (
        "line {line}: with {text} the list has {count} hosts, but at most {limit} are read"
    ),
    "hosts_too_wide": (
        "line {line}: {text} expands to up to {count} characters, but at most {limit} are read"
    ),
    "hosts_bracket": "line {line}: a bracket in {text} has no partner",
    "hosts_range": (
        "line {line}: {part} in {text} is neither a number nor a range; 01-16 would be one"
    ),
    "hosts_range_empty": (
        "line {line}: the brackets in {text} have an empty place; they hold numbers and ranges, "
        "such as 01-16,20"
    ),
    "hosts_range_backwards": (
        "line {line}: {part} in {text} runs backwards; nearest that works: {nearest}"
    ),
    "hosts_slots": (
        "line {line}: {name} has slots '{value}', but slots are a whole number from 1 to {limit}"
    ),
    "hosts_unequal": (
        "{name} has {slots} slots and {other} has {other_slots}, but all nodes have the same number "
        "of GPUs here"
    ),
    "hosts_option": (
        "line {line}: {text} is not an option that is read here; "
        "after a name, only slots= and max_slots= are"
    ),
    "hosts_option_alone": "line {line}: {text} has no host's name before it",
    "hosts_json": "the JSON cannot be read from line {line}, column {column} on",
    "hosts_json_deep": "the JSON is nested too deeply to be a list of hosts",
    "hosts_json_entry": (
        "number {number} in the JSON is {text}; a host is a name, or an object with one of name, host, "
        "hostname"
    ),
    "hosts_json_key": (
        "number {number} in the JSON has the key {text}; a host has a name (or host, hostname) and may "
        "have slots (or gpus)"
    ),
    "hosts_json_twice": "an object in the JSON has the key {text} twice; each key may stand there once",
}


class LayoutError(ValueError):
    """A layout, or a question about one, that does not hold; the message carries the numbers.

    `fixes` holds the nearest changes that work, fewest and smallest first, each a mapping from what
    to change (`"tp"`, `"world"`, `"order"`, …) to its new value. A fix mends the fault that the
    error speaks of; where there was another fault besides, that one is the next error.

    >>> raise LayoutError("no_such_rank", rank=16, first=0, last=15)
    Traceback (most recent call last):
    layout.errors.LayoutError: there is no rank 16: ranks go from 0 to 15
    """

    def __init__(
        self, reason: str, *, fixes: Iterable[Mapping[str, int | str]] = (), **numbers: Any
    ) -> None:
        self.reason = reason
        # Lists of what is nearest, and of names, are ours, and must not lose their ends.
        self.numbers = {
            name: one_line(number, limit=200 if name in ("nearest", "names") else 60)
            for name, number in numbers.items()
        }
        self.fixes = tuple(dict(fix) for fix in fixes)
        super().__init__(SENTENCES[reason].format(**self.numbers))


def one_line(number: Any, *, limit: int = 60) -> str:
    """`number` in one line of at most `limit` characters: what a reader typed may be a whole book.

    >>> one_line("tp\\ncp", limit=60)
    'tp cp'
    """
    try:
        words = str(number)
    except ValueError:  # Python does not write out a number of over 4,300 digits
        words = "a number of over 4300 digits"
    words = "".join(char if char.isprintable() else " " for char in words)
    return words if len(words) <= limit else f"{words[: limit - 1]}…"
