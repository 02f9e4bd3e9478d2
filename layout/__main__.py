"""Print the rank groups of a layout: `python -m layout --tp 2 --cp 2 --dp 2 --pp 2`.

Whatever is wrong with what was asked is one line on standard error, with exit status 2 and nothing
on standard output. `python -m layout --help` says the rest.
"""

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from layout.errors import MAX_WORLD_SIZE, LayoutError, one_line
from layout.job import CP_TYPES, Job
from layout.keys import NAMED_KEYS
from layout.ranks import DENSE_AXES, MEGATRON_ORDER
from layout.report import FORMS, report_pieces

_EXAMPLE = f"""\
example:
  python -m layout --tp 2 --cp 2 --dp 2 --pp 2 --groups tp,dp-cp,embd --rank 13

  prints the layout of 16 ranks, where rank 13 stands in it, and all groups of three kinds: ranks
  that differ only in tp; ranks that differ only in dp and cp, over which the gradients of the dense
  weights are reduced; and the first and last rank of each pipeline.

a group key is axis names joined by '-', or a name as in the recordings of megatron-core (mp is TP x PP):
{textwrap.fill(", ".join((*NAMED_KEYS, "hcp")), 96, initial_indent="  ", subsequent_indent="  ")}
the axes of the experts are etp, ep, edp and pp; hcp is all levels of hierarchical CP, hcp_0 the innermost.
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
    numbers: dict[str, Any] = {
        name: _number(name, text, may_be_broken=asked.check)
        for name in (*_DEGREES, *_COUNTS)
        if (text := getattr(asked, name)) is not None
    }
    order = asked.order
    if order is None:
        order = "tp-cp-dp-pp" if numbers.get("ep", 1) == 1 else MEGATRON_ORDER
    return report_pieces(
        Job(
            **numbers,
            order=order,
            hierarchical_cp=_levels(asked.hierarchical_cp),
            sp=None if asked.sp is None else asked.sp == "on",
            cp_type=asked.cp_type,
        ),
        keys=[key.strip() for key in asked.groups.split(",")],
        rank=None if asked.rank is None else _whole_number("rank", asked.rank),
        form=asked.format or ("json" if asked.check else "text"),
        check=asked.check,
        **{
            name: _whole_number(name, text)
            for name in ("gpus_per_node", "nvlink_domain")
            if (text := getattr(asked, name)) is not None
        },
    )


_DEGREES = {
    **{axis: f"{axis.upper()} degree (default 1)" for axis in DENSE_AXES},
    "ep": "EP degree: experts split over so many ranks of a stage (default 1)",
    "etp": "ETP degree: the TP of experts (default: as --tp)",
}

_COUNTS = {
    "world": "world size: DP is what is left of it; with --dp too, both must agree",
    "vpp": "model chunks per pipeline stage (default 1)",
    "dist_opt_instances": "instances of the distributed optimizer (default 1)",
    "num_layers": "layers of the model",
    "num_heads": "attention heads",
    "num_kv_groups": "groups of keys and values (default: as many as heads)",
    "seq_length": "tokens in a sequence",
    "num_experts": "experts of a layer",
}

# Megatron's own flags are read too.
_FLAGS = {
    "num_layers": ("--layers", "--num-layers"),
    "num_heads": ("--heads", "--num-attention-heads"),
    "num_kv_groups": ("--kv-groups", "--num-query-groups"),
    "num_experts": ("--experts", "--num-experts"),
}


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

    def add_number(name: str, words: str) -> None:
        flags = _FLAGS.get(name, (f"--{name.replace('_', '-')}",))
        parser.add_argument(*flags, dest=name, metavar="N", help=words)

    parser.add_argument("-h", "--help", action="store_true", help="print this and exit")
    for name, words in {**_DEGREES, "world": _COUNTS["world"]}.items():
        add_number(name, words)
    parser.add_argument(
        "--order",
        help="the axes from fastest to slowest (default tp-cp-dp-pp, "
        f"and {MEGATRON_ORDER} where EP is over 1)",
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
        "--format", help=f"{', '.join(FORMS)} (default text, and json with --check)"
    )
    add_number("gpus_per_node", "also count the groups that cross nodes of N GPUs")
    add_number("nvlink_domain", "also count the groups that cross NVLink domains of N GPUs")
    parser.add_argument(
        "--check",
        action="store_true",
        help="also say whether Megatron would start the job, and what it objects to; "
        "the answer then holds a job that is no layout, too (csv has the same rows either way)",
    )
    for name, words in _COUNTS.items():
        if name != "world":
            add_number(name, words)
    parser.add_argument(
        "--hierarchical-cp", metavar="N,N", help="sizes of the CP levels, innermost first"
    )
    parser.add_argument(
        "--sp", nargs="?", const="on", choices=("on", "off"), help="Megatron's sequence parallelism"
    )
    parser.add_argument(
        "--cp-type", "--cp-comm-type", choices=CP_TYPES, help="how attention exchanges over CP"
    )
    return parser


def _number(name: str, text: str, *, may_be_broken: bool) -> int | float:
    """The number that `text` is; a degree that is checked may be written as 2.0 and is kept so."""
    if may_be_broken and name in _DEGREES and re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text):
        return float(text)
    return _whole_number(name, text)


def _levels(text: str | None) -> tuple[int, ...]:
    """The sizes of the CP levels, written as 2,2.

    >>> _levels("2,4"), _levels(None)
    ((2, 4), ())
    """
    return tuple(_whole_number("hierarchical_cp", size) for size in (text or "").split(",") if text)


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
