"""What a link holds: everything the reader set, read from and written to the URL's values.

Both directions stand here and nowhere else. Whatever equals its default is left out of a link. What
cannot be read is named (a `Remark`) and ignored, so that a link with rubbish in it still opens.

This form is stable, and this is version 1 of it. Within a version a parameter keeps its name, its
meaning and its default; new parameters may come, and their defaults leave old links as they were. Should
a meaning ever have to change, it changes with a new version: such links say v=2, and a link without v is
read as version 1 for good. `v=1` may be written out.

========  =======================================================  ==========
name      meaning                                                  default
========  =======================================================  ==========
tp cp pp  degrees                                                  2
dp        DP degree; left out where `world` is given               2
world     world size, from which DP is derived                     none
order     axes from fastest to slowest, as typed                   tp-cp-ep-dp-pp
moe       whether the job has experts: on or off                   off
ep        EP degree                                                1
etp       ETP degree                                               TP
grid      with experts, which grid: dense, experts, or both        dense
gpn       GPUs per node                                            8
nvl       GPUs per NVLink domain                                   gpn
vs        the order to compare with                                Llama 3's, or Megatron's beside it
vs3       a third order to compare with                            none
colour    the axis that shades the tiles, or none                  pp
light     what lights up: axes, or a set such as dp-cp or etp-ep   axes
arrange   tiles by node, or by coordinate                          node
fold      draw all ranks (none), one replica, stage or copy        none
which     the number of the replica, stage or weight copy drawn    the pinned rank's, else 0
table     the kind of group that the table lists, as dp-cp, embd   tp
pin       the pinned rank                                          none
step      the step at which the derivation stands                  1
layers    transformer layers                                       none
heads     attention heads                                          none
kv        KV groups                                                none
seq       tokens in one sequence                                   none
experts   number of experts                                        none
sp        Megatron's SP: on, off or unsaid                         unsaid
cptype    how CP exchanges keys and values                         unsaid
hcp       sizes of the CP levels, innermost first, as 2,2          none
distopt   optimizer instances                                      1
vpp       model chunks per stage                                   1
lang      the language of the text                                 the reader's
========  =======================================================  ==========
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from layout.errors import MAX_WORLD_SIZE
from layout.experts import Experts
from layout.grid import Axis
from layout.job import CP_TYPES, MOST_LEVELS, Job
from layout.keys import KINDS
from layout.orders import dense_order, order_with_ep
from layout.part import Part
from layout.presets import LLAMA_3_ORDER
from layout.ranks import DENSE_AXES, MEGATRON_ORDER, Layout, normalised_order

COLOURS: tuple[str, ...] = ("pp", "dp", "cp", "tp", "none")
"""What may shade the tiles."""

LIGHTS: Mapping[str, tuple[Axis, ...]] = {
    "axes": (),
    "dp-cp": ("dp", "cp"),
    "tp-pp": ("tp", "pp"),
    "tp-cp-pp": ("tp", "cp", "pp"),
    "tp-dp-pp": ("tp", "dp", "pp"),
    "tp-cp": ("tp", "cp"),
}
"""What may light up: each axis by itself, or one derived set of axes."""

EXPERT_LIGHTS: Mapping[str, tuple[Axis, ...]] = {
    "axes": (),
    "etp-ep": ("etp", "ep"),
    "etp-ep-pp": ("etp", "ep", "pp"),
}
"""What may light up in the expert grid."""

GRIDS: tuple[str, ...] = ("dense", "experts", "both")
"""Which grid a job with experts is shown as: that of its dense layers, that of its experts, or both."""

ARRANGEMENTS: tuple[str, ...] = ("node", "coordinate")
"""How tiles are arranged."""

FOLDS: Mapping[str, tuple[Axis, ...]] = {
    "none": (),
    "replica": ("tp", "cp", "pp"),
    "stage": ("tp", "cp", "dp"),
    "copy": ("tp", "pp"),
}
"""What is drawn of the job: all of it, or one group along these axes."""

EXPERT_FOLDS: Mapping[str, tuple[Axis, ...]] = {
    "none": (),
    "replica": ("etp", "ep", "pp"),
    "stage": ("etp", "ep", "edp"),
    "copy": ("etp", "ep", "pp"),
}
"""What is drawn of the expert grid then: experts have no replicas, but copies and stages of their own."""

TABLES: tuple[str, ...] = (
    *DENSE_AXES,
    *(key for key in LIGHTS if key != "axes"),
    "tp-dp",
    "tp-dp-cp",
)
"""The kinds of group that the table lists, as group keys."""

NAMED_TABLES: tuple[str, ...] = tuple(
    kind.key for kind in KINDS if kind.grid == "expert" or kind.cut != "whole"
)
"""The kinds that it lists by their names in the recordings, where the job has them: those of experts, and
those that Megatron cuts out of others; the levels of hierarchical CP come to them."""

NUM_STEPS = 7
"""How many steps the derivation has, counted from 1."""

NAMES_IN_JOB: Mapping[str, str] = {
    "vpp": "vpp",
    "hcp": "hierarchical_cp",
    "distopt": "dist_opt_instances",
    "layers": "num_layers",
    "heads": "num_heads",
    "kv": "num_kv_groups",
    "seq": "seq_length",
    "experts": "num_experts",
    "sp": "sp",
    "cptype": "cp_type",
}
"""What only the question "would Megatron start?" needs: names in a link, and what a `Job` calls them."""

SWITCH: tuple[str, ...] = ("off", "on")
"""What a switch may say."""

UNSAID = "unsaid"
"""What a question that the reader has not answered says."""

VERSION = "1"
"""The version of links that is read and written; see above."""

_NOT_OURS = ("embed", "embed_options")  # Streamlit's own parameters
_LEVEL = re.compile("hcp_[0-9]")  # of at most MOST_LEVELS
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Address:
    """Everything the reader set. Each value is readable by itself; together they may not be a layout.

    >>> Address(tp=4, pin=3).layout()
    Layout(tp=4, cp=2, dp=2, pp=2, order='tp-cp-ep-dp-pp')
    """

    tp: int = 2
    cp: int = 2
    dp: int = 2
    pp: int = 2
    world: int | None = None
    order: str = MEGATRON_ORDER
    gpn: int = 8
    colour: str = "pp"
    light: str = "axes"
    arrange: str = "node"
    fold: str = "none"
    which: int | None = None
    table: str = "tp"
    pin: int | None = None
    step: int = 1
    moe: str = "off"
    ep: int = 1
    etp: int | None = None
    grid: str = "dense"
    nvl: int | None = None
    vs: str = ""
    vs3: str = ""
    layers: int | None = None
    heads: int | None = None
    kv: int | None = None
    seq: int | None = None
    experts: int | None = None
    sp: str = UNSAID
    cptype: str = UNSAID
    hcp: str = ""
    distopt: int = 1
    vpp: int = 1
    lang: str = ""

    def layout(self) -> Layout:
        """The layout that these degrees and this order make; LayoutError where they make none."""
        if self.world is None:
            return Layout(tp=self.tp, cp=self.cp, dp=self.dp, pp=self.pp, order=self.order)
        return Layout.from_world(
            world_size=self.world, tp=self.tp, cp=self.cp, pp=self.pp, order=self.order
        )

    @property
    def nvlink_domain(self) -> int:
        """GPUs per NVLink domain: one node, where nothing else is said."""
        return self.gpn if self.nvl is None else self.nvl

    def job(self) -> Job:
        """The job that the reader has described, whether or not it is a layout and Megatron would start it.

        EP and ETP count where the job has experts. LayoutError only for a world stated together with
        degrees that no number of ranks can have.

        >>> Address(moe="on", ep=4, sp="on").job().sp
        True
        """
        has_experts = self.moe == "on"
        return Job(
            tp=self.tp,
            cp=self.cp,
            dp=self.dp if self.world is None else None,
            pp=self.pp,
            world=self.world,
            ep=self.ep if has_experts else 1,
            etp=self.etp if has_experts else None,
            order=self.order,
            vpp=self.vpp,
            hierarchical_cp=read_levels(self.hcp),
            dist_opt_instances=self.distopt,
            num_layers=self.layers,
            num_heads=self.heads,
            num_kv_groups=self.kv,
            num_experts=self.experts if has_experts else None,
            seq_length=self.seq,
            sp=None if self.sp == UNSAID else self.sp == "on",
            cp_type=None if self.cptype == UNSAID else self.cptype,
        )

    def changes_for(self, fix: Mapping[str, Any]) -> dict[str, Any]:
        """A change of the job, as `Objection.fixes` has it, in the names and values of an address.

        >>> Address().changes_for({"hierarchical_cp": (2, 2), "sp": True, "tp": 1})
        {'hcp': '2,2', 'sp': 'on', 'tp': 1}
        """
        ours = {theirs: name for name, theirs in NAMES_IN_JOB.items()}
        changes: dict[str, Any] = {ours.get(name, name): value for name, value in fix.items()}
        if "hcp" in changes:
            changes["hcp"] = ",".join(map(str, changes["hcp"]))
        if "sp" in changes:
            changes["sp"] = {None: UNSAID, True: "on", False: "off"}[changes["sp"]]
        if "cptype" in changes:
            changes["cptype"] = changes["cptype"] or UNSAID
        return changes

    def orders(self) -> dict[str, str]:
        """The orders that stand side by side, by name in the link: the reader's own, vs, and vs3 if any.

        >>> Address(order="tp-cp-pp-dp", vs3="pp-dp-cp-tp").orders()
        {'order': 'tp-cp-pp-dp', 'vs': 'tp-cp-ep-dp-pp', 'vs3': 'pp-dp-cp-tp'}
        """
        is_llamas = dense_order(self.order) == LLAMA_3_ORDER
        llamas = order_with_ep(LLAMA_3_ORDER) if self.moe == "on" else LLAMA_3_ORDER
        other = self.vs or (MEGATRON_ORDER if is_llamas else llamas)
        return {"order": self.order, "vs": other, **({"vs3": self.vs3} if self.vs3 else {})}

    def part(self) -> Part | None:
        """The part of the job that is drawn, or None for all of it.

        Without a number of its own it is the part that holds the pinned rank, or part 0. LayoutError
        where the degrees make no layout, have no part of that number, or lack the pinned rank.

        >>> Address(fold="stage", pin=13).part().number
        1
        """
        if self.fold == "none":
            return None
        grid, axes, number = self.layout().grid, FOLDS[self.fold], self.which
        if number is None:
            number = 0 if self.pin is None else grid.group_index_of(self.pin, *axes)
        return Part(grid, axes, number)

    @property
    def grids(self) -> tuple[str, ...]:
        """The grids that are shown: "dense", "experts", or the two in this order.

        >>> Address(moe="on", grid="both").grids, Address(grid="both").grids
        (('dense', 'experts'), ('dense',))
        """
        if self.moe == "off":
            return ("dense",)
        return ("dense", "experts") if self.grid == "both" else (self.grid,)

    @property
    def lights(self) -> Mapping[str, tuple[Axis, ...]]:
        """What may light up in the grids that are shown.

        >>> list(Address(moe="on", grid="experts").lights)
        ['axes', 'etp-ep', 'etp-ep-pp']
        """
        of_grid = {"dense": LIGHTS, "experts": EXPERT_LIGHTS}
        return {light: axes for grid in self.grids for light, axes in of_grid[grid].items()}

    def expert_grid(self) -> Experts:
        """The same ranks as the experts share them; LayoutError where the degrees do not allow it.

        >>> Address(moe="on", ep=4, etp=1).expert_grid().edp
        2
        """
        return Experts(self.layout(), ep=self.ep, etp=self.etp)

    def expert_part(self) -> Part | None:
        """The part of the expert grid that is drawn, or None for all of it.

        It is the one with the pinned rank, or, where a number is given, with the lowest rank of the dense
        part of that number. LayoutError where there is no such part.

        >>> Address(fold="copy", which=2, moe="on", etp=1).expert_part().ranks
        array([ 4, 12])
        """
        dense = self.part()
        if dense is None:
            return None
        grid, axes = self.expert_grid().grid, EXPERT_FOLDS[self.fold]
        near = self.pin if self.which is None and self.pin is not None else dense.lowest
        return Part(grid, axes, grid.group_index_of(near, *axes))

    def with_(self, **changes: Any) -> "Address":
        """A new address with some values changed.

        >>> Address().with_(tp=8).tp
        8
        """
        return replace(self, **changes)


@dataclass(frozen=True)
class Remark:
    """A part of a link that was ignored: its name and value, and why.

    `kind` is value, twice, unknown, clash or version; and pin or which, where the layout has no such
    rank or part, which pages/visit.py finds out.
    """

    kind: str
    name: str
    value: str


def read(
    query: Mapping[str, Iterable[str]], *, languages: Iterable[str] = ()
) -> tuple[Address, list[Remark]]:
    """The address in a link's parameters, and a remark for each part that was ignored.

    `query` maps each name to all its values, as `urllib.parse.parse_qs` does. Never raises.

    >>> read({"tp": ["4"], "cp": ["many"]})
    (Address(tp=4, cp=2, ...), [Remark(kind='value', name='cp', value='many')])
    """
    address, remarks = Address(), []
    known = {field.name for field in fields(Address)}
    for name, values in query.items():
        if name in _NOT_OURS:
            continue
        value, *others = list(values) or [""]
        if name == "v":
            if value != VERSION:
                remarks.append(Remark("version", "v", value))
            continue
        if name not in known:
            remarks.append(Remark("unknown", name, value))
            continue
        if others:
            remarks.append(Remark("twice", name, value))
        try:
            address = address.with_(**{name: _read_value(name, value, tuple(languages))})
        except ValueError:
            remarks.append(Remark("value", name, value))
    if address.world is not None and "dp" in query:
        remarks.append(Remark("clash", "dp", str(address.dp)))
        address = address.with_(dp=Address.dp)
    return address, remarks


def write(address: Address) -> str:
    """The link's parameters for `address`, defaults left out; `read` gives the same address back.

    >>> write(Address(tp=8, order="tp-cp-pp-dp"))
    'tp=8&order=tp-cp-pp-dp'
    """
    return urlencode(parameters(address))


def parameters(address: Address) -> dict[str, str]:
    """What `write` writes, name by name.

    >>> parameters(Address(world=24))
    {'world': '24'}
    """
    values = {field.name: getattr(address, field.name) for field in fields(Address)}
    if address.world is not None:
        del values["dp"]
    return {name: str(v) for name, v in values.items() if v != getattr(Address, name)}


def _read_value(name: str, text: str, languages: tuple[str, ...]) -> int | str:
    """The value of one parameter; ValueError where it cannot be one."""
    if name in ("order", "vs", "vs3"):
        normalised_order(text)
        return text.strip()  # as typed: Megatron's rules look at the case too
    if name == "hcp":
        return ",".join(map(str, read_levels(text)))
    choices = {
        "colour": COLOURS,
        "light": (*LIGHTS, *EXPERT_LIGHTS),
        "arrange": ARRANGEMENTS,
        "fold": tuple(FOLDS),
        "grid": GRIDS,
        "lang": languages,
        "moe": SWITCH,
        "sp": (UNSAID, *SWITCH),
        "cptype": (UNSAID, *CP_TYPES),
    }.get(name)
    if name == "table":
        choices = (text,) if is_table(text) else ()
    if choices is not None:
        if text not in choices:
            raise ValueError(text)
        return text
    number = int(text) if _WHOLE_NUMBER.fullmatch(text) else -1
    largest = NUM_STEPS if name == "step" else MAX_WORLD_SIZE
    if not (0 if name in ("pin", "which") else 1) <= number <= largest:
        raise ValueError(text)
    return number


def is_table(key: str) -> bool:
    """Whether the table may list the kind of group `key`, in a job that has it.

    >>> is_table("dp-cp"), is_table("embd"), is_table("hcp_0"), is_table("cp-dp")
    (True, True, True, False)
    """
    return key in TABLES or key in NAMED_TABLES or _LEVEL.fullmatch(key) is not None


def read_levels(text: str) -> tuple[int, ...]:
    """The sizes in a list such as "2,4", spaces allowed; ValueError where no CP could have such levels.

    >>> read_levels("2, 4"), read_levels("")
    ((2, 4), ())
    """
    sizes = [size.strip() for size in text.split(",")] if text.strip() else []
    if len(sizes) > MOST_LEVELS or not all(map(_WHOLE_NUMBER.fullmatch, sizes)):
        raise ValueError(text)
    levels = tuple(int(size) for size in sizes)
    if not all(1 <= size <= MAX_WORLD_SIZE for size in levels):
        raise ValueError(text)
    return levels
