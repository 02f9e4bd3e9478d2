"""Print the rank groups of a layout: `python -m layout --tp 2 --cp 2 --dp 2 --pp 2`.

Whatever is wrong with what was asked is one line on standard error, with exit status 2 and nothing
on standard output. `python -m layout --help` says the rest.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

from layout.errors import MAX_WORLD_SIZE, LayoutError, one_line
from layout.keys import NAMED_KEYS
from layout.ranks import DENSE_AXES, Layout
from layout.report import FORMS, report_pieces

_EXAMPLE = f"""\
example:
  python -m layout --tp 2 --cp 2 --dp 2 --pp 2 --groups tp,dp-cp,embd --rank 13

  prints the layout of 16 ranks, where rank 13 stands in it, and all groups of three kinds: ranks
  that differ only in tp; ranks that differ only in dp and cp, over which the gradients of the dense
  weights are reduced; and the first and last rank of each pipeline.

a group key is axis names joined by '-', or a name as in the recordings of megatron-core (mp is TP x PP):
  {", ".join(NAMED_KEYS)}
"""


class _UsageError(Exception):
    """What was typed is not a command; the message is one sentence."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line, by default this process' own; returns the exit status: 0, or 2.

    >>> main(["--dp", "2", "--groups", "dp"])
    2 ranks = tp 1 x cp 1 x dp 2 x pp 1, order tp-cp-dp-pp (fastest first)
    <BLANKLINE>
    dp: 1 group of 2 ranks that differ only in dp
      0: [0, 1]
    0
    """
    try:
        return _write(_answer_to(arguments))
    except (LayoutError, _UsageError) as error:
        return _complain(str(error))


def _answer_to(arguments: Sequence[str] | None) -> Iterator[str]:
    """What the command line asks for, in pieces; every error in it is raised before the first."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.help:
        return iter([parser.format_help()])
    numbers = {
        axis: _whole_number(axis, text)
        for axis in (*DENSE_AXES, "world")
        if (text := getattr(asked, axis)) is not None
    }
    world = numbers.pop("world", None)
    if world is None:
        layout = Layout(**numbers, order=asked.order)
    else:
        layout = Layout.from_world(world_size=world, **numbers, order=asked.order)
    return report_pieces(
        layout,
        keys=[key.strip() for key in asked.groups.split(",")],
        rank=None if asked.rank is None else _whole_number("rank", asked.rank),
        form=asked.format,
    )


def _parser() -> argparse.ArgumentParser:
    # Numbers are read by `_whole_number` and names by the model, so that every error is a sentence
    # of the model's. `--help` is an ordinary flag for the same reason: all output goes one way.
    parser = _Parser(
        prog="python -m layout",
        description="Print the rank groups of a Megatron-style training job.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    parser.add_argument("-h", "--help", action="store_true", help="print this and exit")
    for axis in DENSE_AXES:
        parser.add_argument(f"--{axis}", metavar="N", help=f"{axis.upper()} degree (default 1)")
    parser.add_argument(
        "--world",
        metavar="N",
        help="world size: DP is what is left of it; with --dp too, both must agree",
    )
    parser.add_argument(
        "--order",
        default="tp-cp-dp-pp",
        help="the axes from fastest to slowest (default %(default)s)",
    )
    parser.add_argument(
        "--groups",
        metavar="KEYS",
        default=",".join(DENSE_AXES),
        help="the kinds of group to print, joined by ',' (default %(default)s)",
    )
    parser.add_argument(
        "--rank",
        metavar="R",
        help="also say where this rank stands and which groups it is in "
        "(csv has the same rows either way)",
    )
    parser.add_argument(
        "--format", default="text", help=f"{', '.join(FORMS)} (default %(default)s)"
    )
    return parser


def _whole_number(name: str, text: str) -> int:
    """The number that `text` is, written in plain digits; LayoutError otherwise.

    Stricter than int(), which also reads " 1_0" and digits of other scripts.

    >>> _whole_number("tp", "8")
    8
    """
    if re.fullmatch(r"-?[0-9]{1,4000}", text):
        return int(text)
    reason = "rank_not_whole" if name == "rank" else "degree_not_whole"
    raise LayoutError(reason, axis=name, value=repr(text), nearest=_nearest_whole(text))


def _nearest_whole(text: str) -> int:
    """The whole number nearest to what was typed, 1 where it is no number in reach.

    >>> _nearest_whole("7.6"), _nearest_whole("many")
    (8, 1)
    """
    try:
        typed = float(text)
    except ValueError:
        return 1
    return round(typed) if 1 <= typed <= MAX_WORLD_SIZE else 1


def _write(pieces: Iterator[str]) -> int:
    """Write `pieces` to standard output; returns the exit status."""
    if sys.stdout is None:  # closed by who started us
        return _complain("standard output is closed")
    try:
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except OSError as error:
        # Python writes out what is left once more as it exits, and would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # `| head` has seen enough
            return 0
        return _complain(f"cannot write: {error.strerror}")
    return 0


def _complain(message: str) -> int:
    """Say what is wrong in one line on standard error; returns the exit status."""
    if sys.stderr is not None:  # print would take standard output in its place
        print(f"python -m layout: {one_line(message, limit=1000)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
