"""What keeps the groups of one kind inside their NVLink domains: changes, tried before they are offered."""

from collections.abc import Iterator
from typing import Any

from layout.address import Address
from layout.errors import LayoutError
from layout.nearest import divisors
from layout.ranks import MEGATRON_ORDER, normalised_order
from layout.reach import OFTEN, part_of_domain, shares_of_key

_DEGREES = {
    "tp": ("tp",),
    "cp": ("cp", "tp"),
    "ep": ("ep", "etp"),
    "expt_tp": ("etp",),
    "tp_ep": ("ep", "etp"),
}
"""The degrees that make the groups of a kind smaller, or bring their ranks closer."""


_OFTENEST = [key for key, often in OFTEN.items() if often == "layer"]


def changes_that_keep(address: Address, key: str) -> list[dict[str, Any]]:
    """Changes of `address` after which no `key` group leaves its domain; none where none leaves now.

    The number of GPUs stays, and so does what talks in every layer and is inside now. Using a part of each
    domain comes first, then Megatron's default order, then smaller degrees, each as large as will do.

    >>> nvl72 = Address(tp=1, cp=1, dp=288, pp=1, gpn=4, nvl=72, moe="on", ep=16)
    >>> changes_that_keep(nvl72, "ep")
    [{'nvl': 64}, {'ep': 8}]
    """
    if _stays(address, key):
        return []
    inside = [key, *(other for other in _OFTENEST if _stays(address, other))]
    found = []
    for ways in _ways(address, key):
        changed = ((change, address.with_(**change)) for change in ways)
        working = (change for change, new in changed if all(_stays(new, each) for each in inside))
        found += [change for change in [next(working, None)] if change]
    return found


def _ways(address: Address, key: str) -> Iterator[list[dict[str, Any]]]:
    """Ways to try, each a list of changes of which the first that works is the best."""
    part = part_of_domain(
        address.job(), key, gpus_per_node=address.gpn, nvlink_domain=address.nvlink_domain
    )
    yield [{"nvl": part}] if part else []
    if normalised_order(address.order) != normalised_order(MEGATRON_ORDER):
        yield [{"order": MEGATRON_ORDER}]
    job = address.job()
    degrees = {"tp": job.tp, "cp": job.cp, "ep": job.ep, "etp": job.etp_degree}
    for name in _DEGREES.get(key, ()):
        smaller = divisors(degrees[name])[-2::-1]
        yield [_with_degree(address, name, degree) for degree in smaller]


def _with_degree(address: Address, name: str, degree: int) -> dict[str, Any]:
    """The change of one degree; what TP or CP gives up goes to DP, which a stated world does by itself."""
    if name in ("tp", "cp") and address.world is None:
        return {name: degree, "dp": address.dp * getattr(address, name) // degree}
    return {name: degree}


def _stays(address: Address, key: str) -> bool:
    try:
        shares = shares_of_key(
            address.job(), key, gpus_per_node=address.gpn, nvlink_domain=address.nvlink_domain
        )
    except LayoutError:
        return False
    return shares.beyond == 0
