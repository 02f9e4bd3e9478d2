"""The link: everything the reader set, out and back again; rubbish is named and ignored."""

from typing import Any
from urllib.parse import parse_qs

from hypothesis import given, settings
from hypothesis import strategies as st

from layout import LayoutError, address, objections
from layout.address import (
    ARRANGEMENTS,
    COLOURS,
    EXPERT_LIGHTS,
    FOLDS,
    GRIDS,
    LIGHTS,
    NAMED_TABLES,
    NUM_STEPS,
    SWITCH,
    TABLES,
    UNSAID,
    Address,
    Remark,
)
from layout.errors import MAX_WORLD_SIZE
from layout.job import CP_TYPES
from tests.rubbish import RUBBISH_LINKS

degrees = st.integers(1, MAX_WORLD_SIZE)
orders = st.permutations(["tp", "cp", "ep", "dp", "pp"]).map("-".join)


@st.composite
def addresses(draw: st.DrawFn) -> Address:
    world = draw(st.none() | degrees)
    return Address(
        tp=draw(degrees),
        cp=draw(degrees),
        pp=draw(degrees),
        dp=Address.dp if world else draw(degrees),
        world=world,
        order=draw(orders),
        gpn=draw(degrees),
        colour=draw(st.sampled_from(COLOURS)),
        light=draw(st.sampled_from(sorted({*LIGHTS, *EXPERT_LIGHTS}))),
        arrange=draw(st.sampled_from(ARRANGEMENTS)),
        fold=draw(st.sampled_from(sorted(FOLDS))),
        which=draw(st.integers(0, MAX_WORLD_SIZE)),
        table=draw(st.sampled_from((*TABLES, *NAMED_TABLES, "hcp_1"))),
        pin=draw(st.none() | st.integers(0, MAX_WORLD_SIZE)),
        step=draw(st.integers(1, NUM_STEPS)),
        moe=draw(st.sampled_from(SWITCH)),
        ep=draw(degrees),
        etp=draw(st.none() | degrees),
        grid=draw(st.sampled_from(GRIDS)),
        nvl=draw(st.none() | degrees),
        vs=draw(st.just("") | orders),
        vs3=draw(st.just("") | orders),
        layers=draw(st.none() | degrees),
        heads=draw(st.none() | degrees),
        kv=draw(st.none() | degrees),
        seq=draw(st.none() | degrees),
        experts=draw(st.none() | degrees),
        sp=draw(st.sampled_from((UNSAID, *SWITCH))),
        cptype=draw(st.sampled_from((UNSAID, *CP_TYPES))),
        hcp=draw(st.lists(degrees, max_size=3).map(lambda sizes: ",".join(map(str, sizes)))),
        distopt=draw(degrees),
        vpp=draw(degrees),
        lang=draw(st.sampled_from(["", "en"])),
    )


def read(query: str) -> tuple[Address, list[Remark]]:
    return address.read(parse_qs(query, keep_blank_values=True), languages=["en"])


small = st.sampled_from([1, 2, 3, 4, 8])


@settings(max_examples=60)
@given(
    st.fixed_dictionaries(
        dict.fromkeys(("tp", "cp", "dp", "pp", "ep", "etp", "distopt", "vpp"), small)
        | {"order": orders, "moe": st.sampled_from(SWITCH), "sp": st.sampled_from(("on", "off"))}
        | {"experts": st.sampled_from([None, 1, 6, 64]), "layers": st.sampled_from([None, 7, 32])}
    )
)
def test_every_fix_of_a_verdict_leads_to_a_link_that_megatron_starts(said: dict[str, Any]) -> None:
    asked = Address(**said)
    for objection in objections(asked.job()):
        for fix in objection.fixes:
            assert not objections(asked.with_(**asked.changes_for(fix)).job()), (asked, fix)


def test_the_default_link_is_empty() -> None:
    assert address.write(Address()) == ""
    assert read("") == (Address(), [])


def test_defaults_are_left_out() -> None:
    assert address.write(Address(tp=4, pin=13)) == "tp=4&pin=13"


def test_a_world_takes_the_place_of_dp() -> None:
    assert address.write(Address(world=24, dp=3)) == "world=24"


@given(addresses())
def test_a_link_survives_the_round_trip(given_address: Address) -> None:
    assert read(address.write(given_address)) == (given_address, [])


def test_each_part_that_cannot_be_read_is_named_and_the_rest_is_kept() -> None:
    found, remarks = read("tp=4&cp=many&colour=pink&utm=x&pp=0")
    assert found == Address(tp=4)
    assert remarks == [
        Remark("value", "cp", "many"),
        Remark("value", "colour", "pink"),
        Remark("unknown", "utm", "x"),
        Remark("value", "pp", "0"),
    ]


def test_the_first_of_two_values_counts() -> None:
    assert read("tp=4&tp=8") == (Address(tp=4), [Remark("twice", "tp", "4")])


def test_dp_is_derived_where_a_world_is_given() -> None:
    assert read("world=32&dp=2") == (Address(world=32), [Remark("clash", "dp", "2")])


def test_a_link_may_say_its_version() -> None:
    assert read("v=1&tp=4") == (Address(tp=4), [])
    assert read("v=2&tp=4") == (Address(tp=4), [Remark("version", "v", "2")])


def test_streamlits_own_parameters_are_passed_over() -> None:
    assert read("embed=true&embed_options=dark_theme&tp=4") == (Address(tp=4), [])


def test_an_order_may_be_written_in_upper_case() -> None:
    typed = Address(order="TP-CP-PP-DP")  # kept as typed: one of Megatron's rules looks at the case
    assert read("order=TP-CP-PP-DP") == (typed, [])
    assert typed.layout().order == "tp-cp-pp-dp" and typed.job().order == "TP-CP-PP-DP"


def test_an_order_to_compare_with_that_is_none_is_named_and_nothing_else_is_lost() -> None:
    found, remarks = read("tp=4&vs=tp-xx&vs3=&order=tp-pp-cp-dp")
    assert found == Address(tp=4, order="tp-pp-cp-dp")
    assert remarks == [Remark("value", "vs", "tp-xx"), Remark("value", "vs3", "")]


def test_llama_3_is_compared_with_megatron_and_every_other_order_with_llama_3() -> None:
    llama, megatron = "tp-cp-pp-dp", "tp-cp-ep-dp-pp"
    for order, other in [(megatron, llama), ("pp-dp-cp-tp", llama), (llama, megatron)]:
        assert Address(order=order).orders() == {"order": order, "vs": other}
    assert Address(order="TP-CP-EP-PP-DP").orders()["vs"] == megatron


def test_two_hundred_rubbish_links_are_read_without_an_error() -> None:
    assert len(RUBBISH_LINKS) == 200
    for link in RUBBISH_LINKS:
        found, remarks = read(link)
        assert remarks, link
        try:
            found.layout()
        except LayoutError as error:
            assert "\n" not in str(error), link


@given(st.dictionaries(st.text(max_size=9), st.lists(st.text(max_size=30), max_size=3), max_size=5))
def test_no_query_at_all_raises(query: dict[str, list[str]]) -> None:
    found, _ = address.read(query)
    assert address.read(parse_qs(address.write(found)))[0] == found
