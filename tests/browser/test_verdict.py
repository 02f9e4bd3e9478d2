"""Would Megatron start? One line that opens; what it offers leads to a job that starts."""

from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from layout import Job, objections
from layout.address import read
from tests.browser.conftest import OpenExplorer
from tests.browser.test_access import violations


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_the_line_opens_and_axe_finds_nothing(
    open_explorer: OpenExplorer, width: int, scheme: str
) -> None:
    explorer = open_explorer(
        "tp=4&moe=on&ep=3&order=tp-cp-ep-pp-dp", width=width, color_scheme=scheme
    )
    page = explorer.page
    said = page.get_by_text("ETP 4 × EP 3 × PP 2 = 24 does not divide a world of 32 ranks")
    expect(said).to_be_hidden()
    page.get_by_text("Megatron would not start this job").click()
    expect(said).to_be_visible()
    page.wait_for_timeout(400)
    assert violations(page) == []
    overflow = page.evaluate(
        "document.querySelector('[data-testid=stMain]').scrollWidth > innerWidth"
    )
    assert not overflow
    page.get_by_text("Megatron would not start this job").click()


def test_a_fix_button_leads_to_an_accepted_job(open_explorer: OpenExplorer) -> None:
    link = "order=tp-cp-ep-pp-dp&moe=on&ep=2&etp=1"
    explorer = open_explorer(link)
    page = explorer.page
    job = Job(tp=2, cp=2, dp=2, pp=2, ep=2, etp=1, order="tp-cp-ep-pp-dp")
    assert {"ep": 4} in objections(job)[0].fixes
    fix = page.get_by_role("button", name="EP 4", exact=True)
    if not fix.is_visible():  # the tab of another test may have left the line open
        page.get_by_text("Megatron would not start this job").click()
    fix.click()
    explorer.wait_for_query(link.replace("ep=2", "ep=4"))
    expect(page.get_by_text("Megatron would start this job")).to_be_visible()
    address, remarks = read(parse_qs(explorer.query))
    assert remarks == [] and objections(address.job()) == ()
    expect(page.locator("#ra-degree-ep")).to_have_value("4")


def test_experts_are_set_by_sliders_and_fields(open_explorer: OpenExplorer) -> None:
    explorer = open_explorer("tp=4")
    page = explorer.page
    page.get_by_text("Mixture of experts", exact=True).click()
    expect(page.locator("#ra-degree-etp")).to_have_value("4")
    explorer.set_degree("ep", 4)
    explorer.wait_for_query("tp=4&moe=on&ep=4")
    explorer.slide("TP tensor, common values", "ArrowLeft", "ArrowLeft")
    expect(page.locator("#ra-degree-etp")).to_have_value("2")  # not set, so it follows TP
    explorer.set_degree("etp", 1)
    explorer.wait_for_query("moe=on&ep=4&etp=1")
    explorer.slide("TP tensor, common values", "ArrowRight")
    expect(page.locator("#ra-degree-etp")).to_have_value("1")  # set, so it stays
    expect(page.get_by_text("EDP = 24 / (ETP 1 × EP 4 × PP 2) = 3.")).to_be_visible()
    explorer.empty_degree("etp")
    explorer.wait_for_query("tp=3&moe=on&ep=4")
    expect(page.locator("#ra-degree-etp")).to_have_value("3")  # not set any more
    explorer.slide("TP tensor, common values", "ArrowRight")
    expect(page.locator("#ra-degree-etp")).to_have_value("4")
