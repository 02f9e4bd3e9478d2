"""Placement: how far groups reach, against plain loops; what is said of it, and what is offered."""

import random
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from assets.text import Words
from layout import Job, LayoutError, factorizations, groups_of_key, kinds_of, shares_of_key
from layout.address import Address, read, write
from layout.reach import OFTEN, often, part_of_domain
from layout.staying import changes_that_keep
from pages import hierarchical_cp, sentences
from pages.figures.strip import strip
from pages.kinds import job_of, name_of
from pages.visit import Visit
from tests.test_pages import components, words_on

WORDS = Words("en")


def by_hand(job: Job, key: str, gpn: int, domain: int) -> tuple[list[int], list[int]]:
    """The same counts with plain loops: [in a node, in a domain, beyond], and where the last begin."""
    counts, begin = [0, 0, 0], []
    for group in groups_of_key(job, key).tolist():
        nodes = {rank // gpn for rank in group}
        domains = {rank // domain for rank in group}
        if len(domains) > 1:
            counts[2] += 1
            begin.append(min(group))
        else:
            counts[0 if len(nodes) == 1 else 1] += 1
    return counts, begin


def some_jobs() -> list[Job]:
    """Small jobs with odd and prime degrees, in several orders, some with experts, levels, instances."""
    chance = random.Random(5)
    orders = ["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "dp-tp-pp-ep-cp", "pp-dp-cp-tp-ep"]
    jobs = [Job()]
    while len(jobs) < 60:
        degrees: dict[str, Any] = {
            axis: chance.choice([1, 1, 2, 3, 4, 5, 7]) for axis in ("tp", "cp", "pp")
        }
        job = Job(**degrees, dp=chance.choice([1, 2, 3, 6, 8]), order=chance.choice(orders))
        job = job.with_(ep=chance.choice([1, 2, 3, 4]), etp=chance.choice([None, 1]))
        if job.world_size > 1500 or job.edp_degree is None:
            continue
        ways = factorizations(job.cp)
        jobs.append(job.with_(hierarchical_cp=ways[0]) if ways else job)
    return jobs


@pytest.mark.parametrize(
    ("gpn", "domain"), [(8, 8), (4, 72), (1, 1), (3, 9), (8, 72), (72, 72), (8, 4), (8, 12)]
)
def test_counts_equal_those_made_by_hand(gpn: int, domain: int) -> None:
    compared = 0
    for job in some_jobs():
        for kind in kinds_of(job):
            size = {"gpus_per_node": gpn, "nvlink_domain": domain}
            found = shares_of_key(job, kind.key, **size, most=10_000)
            counts, begin = by_hand(job, kind.key, gpn, domain)
            assert [found.in_node, found.in_domain, found.beyond] == counts, (job, kind.key)
            assert list(found.begin) == sorted(begin), (job, kind.key)
            compared += 1
            part = part_of_domain(job, kind.key, **size)
            if part and kind.cut != "instance":
                assert part < domain and part % gpn == 0
                assert by_hand(job, kind.key, gpn, part)[0][2] == 0, (job, kind.key, part)
    assert compared > 800


NVL72 = {"gpus_per_node": 4, "nvlink_domain": 72}


@pytest.mark.parametrize(
    ("ep", "world", "said"),
    [
        (8, 288, "All 36 EP groups stay inside an NVLink domain, across nodes."),
        (
            16,
            288,
            "2 of 18 EP groups leave the NVLink domain: those that begin at ranks 64 and 208.",
        ),
        (
            32,
            288,
            "3 of 9 EP groups leave the NVLink domain: those that begin at ranks 64, 128 and 192.",
        ),
        (
            64,
            320,
            "4 of 5 EP groups leave the NVLink domain: those that begin at ranks 64, 128, 192 and 256.",
        ),
    ],
)
def test_groups_that_straddle_racks_of_72(ep: int, world: int, said: str) -> None:
    job = Job(dp=world, ep=ep)
    shares = shares_of_key(job, "ep", **NVL72)
    assert sentences.shares_in_words(shares, "EP", WORDS) == said
    assert part_of_domain(job, "ep", **NVL72) == (None if ep == 8 else 64)


@pytest.mark.parametrize(
    ("job", "gpn", "leave"),
    [
        (Job(tp=2, cp=2, dp=2, pp=2), 8, ["pp"]),
        (Job(tp=2, cp=2, dp=2, pp=2), 4, ["dp", "dp_cp", "pp"]),
        (Job(tp=8, cp=2, dp=2), 8, ["cp", "dp", "dp_cp"]),
    ],
)
def test_the_worked_examples_of_nodes(job: Job, gpn: int, leave: list[str]) -> None:
    found = [
        key
        for key in ("tp", "cp", "dp", "dp_cp", "pp")
        if shares_of_key(job, key, gpus_per_node=gpn, nvlink_domain=gpn).beyond
    ]
    assert found == leave


def test_hierarchical_cp_of_the_worked_example() -> None:
    job = Job(tp=8, cp=4, hierarchical_cp=(2, 2))
    cp_group = job.layout.group_of(0, "cp")
    assert hierarchical_cp.groups_of_level(job, 0, cp_group) == [[0, 8], [16, 24]]
    assert hierarchical_cp.groups_of_level(job, 1, cp_group) == [[0, 16], [8, 24]]
    near = shares_of_key(job, "hcp_0", gpus_per_node=8, nvlink_domain=16)
    far = shares_of_key(job, "hcp_1", gpus_per_node=8, nvlink_domain=16)
    assert (near.beyond, far.beyond) == (0, 16)


def test_every_kind_that_megatron_makes_has_its_frequency_and_its_words() -> None:
    job = Job(tp=2, cp=4, dp=4, pp=2, hierarchical_cp=(2, 2), dist_opt_instances=2)
    for kind in kinds_of(job):
        if kind.key == "pos_embd":  # always one rank
            continue
        assert name_of(kind, WORDS) and WORDS(f"reach.often_{often(kind.key)}")
    ranked = list(dict.fromkeys(OFTEN.values()))
    assert ranked == ["layer", "boundary", "step", "few", "none"]


@pytest.mark.parametrize("seed", range(12))
def test_what_is_offered_keeps_the_groups_inside_and_the_number_of_gpus(seed: int) -> None:
    chance = random.Random(seed)
    offered = 0
    for _ in range(25):
        asked = Address(
            tp=chance.choice([1, 2, 3, 8, 16]),
            cp=chance.choice([1, 2, 3]),
            dp=chance.choice([4, 6, 16]),
            pp=chance.choice([1, 2, 5]),
            order=chance.choice(["tp-cp-ep-dp-pp", "dp-cp-tp-ep-pp"]),
            gpn=chance.choice([1, 3, 4, 8]),
            nvl=chance.choice([None, 8, 24, 72]),
            moe="on",
            ep=chance.choice([1, 2, 4, 8]),
            etp=chance.choice([None, 1]),
        )
        for key in ("tp", "cp", "ep", "expt_tp", "tp_ep"):
            try:
                changes = changes_that_keep(asked, key)
            except LayoutError:
                continue  # such as EP that does not divide
            for change in changes:
                changed = asked.with_(**change)
                assert changed.layout().world_size == asked.layout().world_size
                assert by_hand(changed.job(), key, changed.gpn, changed.nvlink_domain)[0][2] == 0
                assert read(parse_qs(write(changed))) == (changed, [])
                offered += 1
    assert offered > 5


def test_a_strip_shows_the_domains_that_a_group_touches() -> None:
    drawn = strip(np.arange(64, 80), gpus_per_node=4, nvlink_domain=72)
    assert drawn["num"] == 2 and drawn["bins"] == 72
    first, second = drawn["domains"]
    assert first["marks"] == [(64, 8)] and second["marks"] == [(0, 8)]
    assert first["nodes"] == [4.0 * node for node in range(1, 18)]


def test_a_strip_of_many_domains_keeps_the_first_two_and_the_last() -> None:
    drawn = strip(np.arange(0, 1024, 8), gpus_per_node=8, nvlink_domain=8)
    assert drawn["num"] == 128 and [d["number"] for d in drawn["domains"]] == [0, 1, 127]
    assert all(domain["marks"] == [(0, 1)] for domain in drawn["domains"])


def test_a_strip_of_a_large_domain_stays_short() -> None:
    ranks = np.arange(0, 2**22, 2)
    drawn = strip(ranks, gpus_per_node=8, nvlink_domain=2**21)
    for domain in drawn["domains"]:
        assert domain["marks"] == [(0, drawn["bins"])] and domain["nodes"] == []


def run(query: str) -> AppTest:
    def one_page(query: str) -> None:
        from urllib.parse import parse_qs

        from pages import machine, placement, visit

        reader = visit.current()
        if not reader.name.startswith("linked"):
            reader.name = "linked"
            reader.read(parse_qs(query, keep_blank_values=True))
        machine.show(reader, reader.words)
        placement.show(reader)

    return AppTest.from_function(one_page, kwargs={"query": query}, default_timeout=20).run()


def rows(app: AppTest) -> dict[str, Any]:
    return {row["key"]: row for row in components(app)["reach"]["rows"]}


def test_the_answer_for_sixteen_thousand_gpus() -> None:
    app = run("tp=8&cp=1&dp=128&pp=16&order=tp-cp-pp-dp")
    assert not app.exception
    assert "**7 of 9** kinds of group leave the NVLink domain: PP, DP×CP" in words_on(app)
    assert "**None of them talks in every layer**" in words_on(app)
    found = rows(app)
    assert found["tp"]["said"] == "All 2,048 TP groups stay inside a node."
    assert found["tp"]["numbers"] == [2048, 0, 0] and found["pp"]["numbers"] == [0, 0, 1024]
    assert "cp" not in found and any("one rank" in c.value and "CP" in c.value for c in app.caption)


def test_rows_begin_with_what_is_costliest_to_cross() -> None:
    listed = list(rows(run("tp=4&cp=4&dp=8&pp=2&moe=on&ep=4&hcp=2,2")))
    assert listed[:7] == ["tp", "expt_tp", "ep", "tp_ep", "cp", "hcp_0", "hcp_1"]
    order = list(dict.fromkeys(OFTEN.values()))
    places = [order.index(often(key)) for key in listed]
    assert all(one <= other for one, other in pairwise(places))


def test_a_rack_of_72_offers_64_of_it() -> None:
    app = run("tp=1&cp=1&dp=288&pp=1&gpn=4&nvl=72&moe=on&ep=16")
    assert "2 of 18 EP groups" in rows(app)["ep"]["said"]
    assert "use 64 of the 72 GPUs of each domain" in words_on(app)
    (button,) = [b for b in app.button if b.label == "64 of 72 GPUs per domain"]
    button.click().run()
    assert rows(app)["ep"]["numbers"] == [0, 18, 0]


def test_well_known_machines_set_nodes_and_domain() -> None:
    app = run("")
    app.segmented_control(key="machine_quick").set_value("nvl72").run()
    assert app.number_input(key="nvl").value == 72
    assert any("18 nodes of 4, 72 GPUs" in caption.value for caption in app.caption)
    app.segmented_control(key="machine_quick").set_value("hgx").run()
    assert app.number_input(key="nvl").value is None
    assert any("is one node of 8 GPUs" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("tp=2&cp=1&dp=6&pp=1&distopt=4", ["do not divide DP×CP 6"]),
        ("tp=2&cp=1&dp=6&pp=1&moe=on&ep=3&distopt=3", ["do not divide EDP 2"]),
        ("tp=2&cp=1&dp=6&pp=1&moe=on&ep=3&distopt=4", ["DP×CP 6", "EDP 2"]),
    ],
)
def test_instances_that_do_not_divide_say_what(query: str, said: list[str]) -> None:
    warnings = [warning.value for warning in run(query).warning]
    assert len(warnings) == len(said)
    assert all(part in warning for part, warning in zip(said, warnings, strict=True)), warnings


def test_each_remedy_names_what_it_helps_and_the_degree_that_changes() -> None:
    text = words_on(run("tp=16&cp=2&dp=2&pp=2"))
    assert "**TP**: TP 8, with more DP in return." in text
    assert (
        "**TP, CP**: TP 4, with more DP" in text or "**CP**: TP 4, with more DP in return" in text
    )


@pytest.mark.parametrize(("nvl", "offered"), [(4, [8]), (12, [8, 16])])
def test_a_domain_that_cuts_nodes_is_named(nvl: int, offered: list[int]) -> None:
    app = run(f"nvl={nvl}")
    assert f"An NVLink domain of {nvl} GPUs" in app.warning[0].value
    labels = [button.label for button in app.button if button.label.startswith("Domain")]
    assert labels == [f"Domain of {size} GPUs" for size in offered]


def test_levels_are_offered_drawn_and_refused() -> None:
    app = run("tp=8&cp=4&gpn=8&nvl=16")
    labels = [button.label for button in app.button if "level 1" in button.label]
    assert labels == ["2 × 2: level 1 inside the domain"]
    app.button[[b.label for b in app.button].index(labels[0])].click().run()
    near, far = components(app)["levels"]["levels"]
    assert [[m[0] for m in group["members"]] for group in near["groups"]] == [[0, 8], [16, 24]]
    assert [[m[0] for m in group["members"]] for group in far["groups"]] == [[0, 16], [8, 24]]
    assert (near["part"], far["part"]) == ("in_domain", "beyond")
    assert "Step × size = 8 × 2 = 16 divides the 16 GPUs of a domain." in words_on(app)
    app.text_input(key="cp_levels").set_value("two").run()
    assert "“two” is no list of levels" in app.warning[0].value and "2 × 2" in app.warning[0].value
    app.text_input(key="cp_levels").set_value("2,3").run()
    assert "2 × 3 = 6, but CP is 4" in app.warning[0].value
    assert "levels" not in components(app)


def test_a_prime_cp_has_no_levels_and_cp_1_none_either() -> None:
    assert "CP 7 is prime" in words_on(run("cp=7"))
    assert "CP is 1" in words_on(run("cp=1"))


def test_experts_that_do_not_divide_leave_the_dense_groups() -> None:
    app = run("moe=on&ep=3")
    assert "The experts’ groups are left out" in app.warning[0].value
    assert "tp" in rows(app) and "ep" not in rows(app)
    assert not app.exception


@pytest.mark.parametrize(
    "query",
    [
        "tp=1&cp=1&dp=1&pp=1",
        "tp=3&cp=5&dp=7&pp=2&gpn=3&nvl=9",
        "tp=5&cp=1&dp=1&pp=1&gpn=7",
        "world=16&tp=3",
        "moe=on&ep=2&etp=1&distopt=2&dp=4&hcp=2",
        "moe=on&order=tp-cp-dp-pp&ep=2",
        "distopt=3",
        "tp=8&cp=16&dp=8192&pp=4&gpn=4&nvl=72&moe=on&ep=64&etp=1",
        "nvl=4194304&gpn=1",
    ],
)
def test_no_settings_break_the_page(query: str) -> None:
    app = run(query)
    assert not app.exception, query
    drawn = components(app).get("reach")
    for row in drawn["rows"] if drawn else ():
        assert sum(row["numbers"]) > 0 and row["said"] and row["strip"]["domains"]


def test_the_model_of_a_row_is_the_reader_s_job() -> None:
    visit = Visit(address=Address(cp=4, hcp="2,3"), remarks=[])
    assert job_of(visit).hierarchical_cp == ()
    visit = Visit(address=Address(cp=4, hcp="2,2"), remarks=[])
    assert job_of(visit).hierarchical_cp == (2, 2)
