"""NVLink domains of several nodes are outlined in the picture by node."""

import re

import numpy as np
import pytest

from layout.address import Address, write
from layout.nodes import node_of
from tests.browser.conftest import OpenExplorer


@pytest.mark.parametrize(
    "address",
    [
        Address(tp=4, cp=2, dp=4, pp=2, gpn=4, nvl=16),
        Address(tp=3, cp=2, dp=3, pp=5, gpn=2, nvl=6),
        Address(tp=8, cp=1, dp=9, pp=2, gpn=4, nvl=72),
    ],
    ids=write,
)
def test_each_domain_has_an_outline_in_each_of_its_lines(
    open_explorer: OpenExplorer, address: Address
) -> None:
    explorer = open_explorer(write(address))
    fit = explorer.placements(address)[0]
    ranks = np.arange(address.layout().world_size)
    x, y = fit.corners_of(ranks)
    line = y - (y - y.min()) % fit.down[0].pitch
    domain = node_of(ranks, gpus_per_node=address.nvlink_domain)
    expected = {
        (int(d), int(top)): (int(x[held].min()), int(x[held].max()))
        for d in np.unique(domain)
        for top in np.unique(line[domain == d])
        for held in [(domain == d) & (line == top)]
    }
    path = explorer.page.locator(".ra-domains").get_attribute("d") or ""
    outlines = re.findall(r"M([\d.-]+) ([\d.-]+)h([\d.-]+)", path)
    assert len(outlines) == len(expected)
    lefts = sorted(round(float(left)) for left, *_ in outlines)
    near = sorted(first for first, _ in expected.values())
    assert all(0 <= first - left <= 14 for left, first in zip(lefts, near, strict=True))
    legend = explorer.page.locator(".ra-legend-domain").inner_text()
    assert legend == f"NVLink domain of {address.nvlink_domain} GPUs"


def test_a_domain_of_one_node_has_none(open_explorer: OpenExplorer) -> None:
    for query in ("", "gpn=4&nvl=6"):
        explorer = open_explorer(query)
        assert explorer.page.locator(".ra-domains").get_attribute("d") == ""
        assert explorer.page.locator(".ra-legend-domain").count() == 0
