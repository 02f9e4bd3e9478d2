"""Orders: the same degrees in two or three orders, side by side on the same nodes."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import streamlit as st

import assets.rank_grid
from assets.text import Words, count
from layout import (
    MEGATRON_ORDER,
    Axis,
    Crossing,
    Layout,
    LayoutError,
    address,
    first_objections,
)
from layout.address import Address
from layout.frameworks import FRAMEWORKS, frameworks_with
from layout.job import Job
from layout.orders import ORDERS, Along, against_rule_of_thumb, compare, dense_order, order_with_ep
from layout.presets import LLAMA_3_ORDER
from pages import controls, problems, sentences, verdict
from pages.figures.placement import by_node
from pages.figures.rank_grid import MAX_RANKS_DRAWN, geometry, legend, rank_grid
from pages.grids import shown_grid
from pages.sentences import listed, table
from pages.visit import Visit, widget

# Pixels that a picture may be high; less in an embed, where several may stand below each other.
HEIGHT, HEIGHT_IN_EMBED = 420, 220

# Of the frameworks with the same order, the one whose name stands beside it in a list.
_BEST_KNOWN = ("megatron", "llama-3", "torchtune", "deepspeed")

# What a third order is at first: of these the first that is not shown yet. In the last all is reversed.
_THIRDS = (MEGATRON_ORDER, LLAMA_3_ORDER, "pp-dp-cp-tp")


class Panel(NamedTuple):
    """One of the orders: its name in the address, itself, and the layout, or why there is none."""

    name: str
    order: str
    layout: Layout | LayoutError


Comparison = Mapping[Axis, Mapping[str, Along]]
"""For each axis, what its groups are like in each order."""


def show(visit: Visit) -> None:
    """The page, in reading order."""
    words, panels = visit.words, panels_of(visit.address)
    layouts = {p.order: p.layout for p in panels if isinstance(p.layout, Layout)}
    layout = next(iter(layouts.values()), None) or problems.layout_or_problem(visit)
    if layout is None:
        return
    headline = f"# {sentences.headline(layout, visit.address.gpn, words)}"
    st.markdown(headline if visit.is_embedded else f"{headline}\n{words.prose('orders')}")
    if not visit.is_embedded:
        with st.container(horizontal=True, vertical_alignment="bottom", key="view"):
            controls.draw(controls.PANEL_CONTROLS, visit)
            _third(panels, visit)
    if layout.world_size > MAX_RANKS_DRAWN:
        said = "orders.too_many_embedded" if visit.is_embedded else "orders.too_many"
        st.warning(words(said, n=layout.world_size, limit=count(MAX_RANKS_DRAWN)))
    with st.container(key="panels"):
        for number, column in enumerate(st.columns(len(panels), gap="medium")):
            with column:
                _panel(panels[number], number + 1, visit)
    comparison = compare(
        layouts, gpus_per_node=visit.address.gpn, nvlink_domain=visit.address.nvlink_domain
    )
    _axes(comparison, visit)
    if visit.is_embedded:
        st.markdown(f"[{words('share.open')}](./orders?{address.write(visit.address)})")
        return
    with st.container(key="changes"):
        changes = differences_in_words(comparison, words)
        st.markdown(_in_lines(f"## {words('orders.changes')}", *changes))
        rule = rule_in_words(
            layouts,
            comparison,
            words,
            nvlink_domain=visit.address.nvlink_domain,
            has_experts=visit.address.moe == "on",
        )
        st.markdown(_in_lines(f"## {words('orders.rule_heading')}", words("orders.rule"), *rule))
    with st.container(key="who"):
        st.markdown(_in_lines(f"## {words('orders.who')}", who_in_words(layouts, words)))


def _in_lines(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


def panels_of(chosen: Address) -> list[Panel]:
    """The orders that the address compares, each with its layout.

    >>> [panel.order for panel in panels_of(Address())]
    ['tp-cp-dp-pp', 'tp-cp-pp-dp']
    """
    found = []
    for name, order in chosen.orders().items():
        try:
            layout: Layout | LayoutError = chosen.with_(order=order).layout()
        except LayoutError as error:
            layout = error
        found.append(Panel(name, dense_order(order), layout))
    return found


def _third(panels: list[Panel], visit: Visit) -> None:
    """The button that brings a third order, or takes it away."""
    shown = [panel.order for panel in panels]
    third = ""
    if len(shown) == 2:
        third = next(order for order in map(dense_order, _THIRDS) if order not in shown)
        third = order_with_ep(third) if visit.address.moe == "on" else third
    label = "orders.add" if third else "orders.remove"
    st.button(visit.words(label), key="third", on_click=visit.hears_click(vs3=third))


def _panel(panel: Panel, number: int, visit: Visit) -> None:
    """One order: what it is called, its picture, and what Megatron says of it."""
    words, layout = visit.words, panel.layout
    if visit.is_embedded:
        st.markdown(f"**{named(panel.order, words)}**")
    else:
        _choice(panel, visit)
    if isinstance(layout, LayoutError):
        lacking = lacking_in_words(panel.order, visit.address.job(), words)
        problem = (problems.error_in_words(layout, words), *map(problems.plain, lacking))
        st.warning(words("list.sentences").join(problem))
        fixes = [str(fix["order"]) for fix in layout.fixes if "order" in fix]
        labels = {words("fix.order", value=order): {panel.name: order} for order in fixes}
        st.markdown(words("fix.heading"))
        problems.offer(labels, visit, place=panel.name)
        return
    if layout.world_size <= MAX_RANKS_DRAWN:
        _picture(panel, layout, number, visit)
    job = visit.address.with_(order=visit.address.orders()[panel.name]).job()
    users = [framework.name for framework in frameworks_with(panel.order)]
    used = words("orders.used_by", names=listed(users, words)) if users else ""
    said = (
        start_in_words(job, words),
        used or words("orders.used_by_nobody"),
        *lacking_in_words(panel.order, job, words),
    )
    st.caption(problems.plain(words("list.sentences").join(said)))


def start_in_words(job: Job, words: Words) -> str:
    """Whether Megatron would start with the job's order; what else it objects to is not the order's fault.

    >>> start_in_words(Job(dp=8, num_layers=7, pp=2), Words("en"))
    'Megatron would not start this job, whatever the order; the Explorer says why.'
    """
    to_order, other = first_objections(job)
    if to_order:
        return words("orders.refuses", objection=verdict.in_words(to_order, words))
    if other:
        return words("orders.refuses_job")
    return words("orders.accepts")


def _choice(panel: Panel, visit: Visit) -> None:
    """The list to choose a panel's order from: those with a name, then all others."""
    known = [dense_order(FRAMEWORKS[key].order) for key in _BEST_KNOWN]
    options = list(dict.fromkeys((*known, *ORDERS, panel.order)))

    def take(order: str) -> None:
        # Experts need ep named.
        with_ep = order == dense_order(MEGATRON_ORDER) or visit.address.moe == "on"
        visit.change(**{panel.name: order_with_ep(order) if with_ep else order})

    widget(
        st.selectbox,
        visit.words(f"orders.{panel.name}"),
        name=f"panel_{panel.name}",
        value=panel.order,
        take=take,
        options=options,
        format_func=lambda order: named(order, visit.words),
    )


def named(order: str, words: Words) -> str:
    """An order, and beside it who is best known for it."""
    for key in _BEST_KNOWN:
        if dense_order(FRAMEWORKS[key].order) == order:
            return words("orders.known", order=order, name=FRAMEWORKS[key].name)
    return order


def _picture(panel: Panel, layout: Layout, number: int, visit: Visit) -> None:
    chosen, key = visit.address, f"grid_{panel.name}"
    height = HEIGHT_IN_EMBED if visit.is_embedded else HEIGHT
    fit, *_ = by_node(
        layout.world_size, gpus_per_node=chosen.gpn, width=visit.panel_room, height=height
    )
    shading = None if chosen.colour == "none" else chosen.colour
    shown = shown_grid("dense", chosen.with_(order=panel.order))
    assets.rank_grid.show(
        rank_grid(layout, fit, colour_by=shading, theme=visit.theme),
        key=key,
        language=visit.words.language,
        facts={
            "grid": {"axes": layout.axes, "sizes": [layout.degree_of(a) for a in layout.axes]},
            "name": shown.name,
            "axes": shown.axes,
            "sets": [shown.lit] if shown.lit else [],
            "kinds": shown.kinds,
            "also": [],
            "place": "alone",
            "gpusPerNode": chosen.gpn,
            "placements": [geometry(fit)],
            "arrange": "node",
            "circle": "orders",
            "compact": {
                "name": visit.words("orders.picture", number=number, order=panel.order),
            },
            "isEmbedded": visit.is_embedded,
            "height": height,
            "part": None,
            "light": shown.lit,
            "legend": legend(layout, shading, visit.theme),
            "pin": chosen.pin,
            "heard": visit.heard.get(key),
            "look": {"room": visit.panel_room, "theme": visit.theme, "card": "below"},
        },
        on_pin_change=visit.hears(key, "pin", lambda told: visit.change(pin=told["rank"])),
        on_look_change=visit.hears(key, "look", lambda told: visit.set_panel_look(**told)),
    )


def _axes(comparison: Comparison, visit: Visit) -> None:
    """A table for each axis, a row for each order."""
    words, chosen = visit.words, visit.address
    terms = words("orders.terms", n=chosen.gpn, nvl=count(chosen.nvlink_domain))
    st.markdown(f"## {words('orders.axes')}\n\n{terms}")
    with st.container(key="axes"):
        for axis, along in comparison.items():
            degree = next(iter(along.values())).degree
            heading = words("orders.axis", axis=words(f"axis.{axis}"), degree=count(degree))
            st.markdown(f"### {heading}\n\n{table_of(along, words)}")


def table_of(along: Mapping[str, Along], words: Words) -> str:
    """What the groups along one axis are like in each order, as Markdown.

    >>> pp = compare({"tp-cp-dp-pp": Layout(tp=2, pp=8)}, gpus_per_node=4, nvlink_domain=16)["pp"]
    >>> print(table_of(pp, Words("en")).splitlines()[-1])
    |tp-cp-dp-pp|2|14|2 of 2|0 of 2|
    """
    columns = ("order", "stride", "farthest", "nodes", "domains")
    head = [words(f"orders.head_{column}") for column in columns]
    rows = [
        (
            order,
            count(found.stride),
            count(found.farthest),
            *(_of_all(crossing, words) for crossing in (found.reach.nodes, found.reach.domains)),
        )
        for order, found in along.items()
    ]
    return table([head, *rows])


def _of_all(found: Crossing, words: Words) -> str:
    of_all = {"crossing": count(found.num_crossing), "all": count(found.num_groups)}
    return words("summary.crossing_of", **of_all)


def differences_in_words(comparison: Comparison, words: Words) -> list[str]:
    """Which groups are the same in every order; and of each other axis, in which order it is closest.

    >>> both = {order: Layout(tp=2, dp=2, order=order) for order in ("tp-dp", "dp-tp")}
    >>> comparison = compare(both, gpus_per_node=8, nvlink_domain=8)
    >>> differences_in_words(comparison, Words("en"))[0][:77]
    '**TP** is closest in tp-dp: its neighbours are 1 rank apart there, but 2 in d'
    """
    strides = {
        axis: {order: found.stride for order, found in along.items()}
        for axis, along in comparison.items()
        if next(iter(along.values())).degree > 1
    }
    if not strides:
        return [words("orders.single")]
    said = []
    same = [words(f"axis.{axis}") for axis in strides if len(set(strides[axis].values())) == 1]
    if same:
        said.append(words("orders.same", n=len(same), axes=listed(same, words)))
    for axis, by_order in strides.items():
        least = min(by_order.values())
        if least == max(by_order.values()):
            continue
        closest = [order for order, stride in by_order.items() if stride == least]
        farther = [
            words("orders.farther", stride=count(stride), order=order)
            for order, stride in by_order.items()
            if stride > least
        ]
        sentence = words(
            "orders.closest",
            n=least,
            axis=words(f"axis.{axis}"),
            orders=listed(closest, words),
            farther=listed(farther, words),
        )
        traffic = words(f"orders.traffic_{axis}")
        leaving = _leaving(comparison[axis], words)
        said.append(words("list.sentences").join((sentence, leaving, traffic)))
    return said


def _leaving(along: Mapping[str, Along], words: Words) -> str:
    """In which orders the groups along an axis leave their NVLink domain."""
    domains = {order: found.reach.domains for order, found in along.items()}
    if not any(found.num_crossing for found in domains.values()):
        return words("orders.inside")
    counts = [
        words("orders.leaving_of", crossing=_of_all(found, words), order=order)
        for order, found in domains.items()
    ]
    return words("orders.leaving", counts=listed(counts, words))


def rule_in_words(
    layouts: Mapping[str, Layout],
    comparison: Comparison,
    words: Words,
    *,
    nvlink_domain: int,
    has_experts: bool = False,
) -> list[str]:
    """Which orders keep to the rule of thumb, where others depart from it, and what no order mends.

    >>> layouts = {order: Layout(tp=2, dp=4, order=order) for order in ("tp-dp", "dp-tp")}
    >>> comparison = compare(layouts, gpus_per_node=8, nvlink_domain=8)
    >>> rule_in_words(layouts, comparison, Words("en"), nvlink_domain=8)
    ['**tp-dp** keeps to it.', '**dp-tp** departs from it: DP is faster than TP.']
    """
    keeping, departing = [], []
    tp = next((layout.tp for layout in layouts.values()), 1)
    for order, layout in layouts.items():
        slower: dict[Axis, list[str]] = {}
        for faster, other in against_rule_of_thumb(layout):
            slower.setdefault(faster, []).append(words(f"axis.{other}"))
        departures = [
            words("orders.faster", faster=words(f"axis.{faster}"), slower=listed(others, words))
            for faster, others in slower.items()
        ]
        groups = comparison["tp"][order].reach.domains
        if groups.num_crossing and tp <= nvlink_domain:
            all_groups = count(groups.num_groups)
            departures.append(words("orders.tp_leaves", n=groups.num_crossing, all=all_groups))
        if departures:
            said = words("orders.departure_separator").join(departures)
            departing.append(words("orders.departs", order=order, departures=said))
        else:
            keeping.append(f"**{order}**")
    told = []
    if keeping:
        told.append(words("orders.keep", n=len(keeping), orders=listed(keeping, words)))
    told += departing
    if tp > nvlink_domain:
        told.append(words("orders.tp_too_large", tp=count(tp)))
    if has_experts:
        told.append(words("orders.ep_not_looked_at"))
    return told


def lacking_in_words(order: str, job: Job, words: Words) -> list[str]:
    """Which frameworks that lay ranks out in this order have no axis for a degree over 1.

    >>> lacking_in_words("tp-dp-pp", Job(tp=2, cp=2, pp=2), Words("en"))
    ['DeepSpeed pipeline and gpt-neox have no axis for CP 2.']
    """
    etp = job.etp_degree if job.ep > 1 else job.etp or 1
    degrees = {"tp": job.tp, "cp": job.cp, "pp": job.pp, "ep": job.ep, "etp": etp}
    names: dict[tuple[str, tuple[Axis, ...]], list[str]] = {}
    for found in frameworks_with(order):
        for label, axes in (("lacks", found.lacking(degrees)), ("fails", found.failing(degrees))):
            if axes:
                names.setdefault((label, axes), []).append(found.name)
    return [
        words(
            f"orders.{label}",
            n=len(having),
            names=listed(having, words),
            degrees=listed([f"{axis.upper()} {count(degrees[axis])}" for axis in axes], words),
        )
        for (label, axes), having in names.items()
    ]


def who_in_words(orders: Iterable[str], words: Words) -> str:
    """The frameworks and jobs that lay ranks out in these orders, as lists in Markdown."""
    said = []
    for order in orders:
        users = [
            words(
                "orders.user",
                name=problems.plain(found.name),
                version=problems.plain(found.version),
                source=problems.plain(found.source),
            )
            for found in frameworks_with(order)
        ]
        said.append(f"**{order}**")
        said.append("\n".join(f"- {user}" for user in users) or words("orders.used_by_nobody"))
    return _in_lines(*said)
