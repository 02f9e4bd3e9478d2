"""The controls: what the reader can choose, each a row of a table, drawn by one loop.

A control shows a value of the visit's address and hands a new one back; nothing else happens here.
"""

from collections.abc import Callable, Iterable
from functools import partial

import streamlit as st

import assets.degrees
import assets.hosts
from assets.served import languages
from assets.text import Words, count
from layout import DENSE_AXES, MEGATRON_ORDER, Hosts, Layout, num_nodes
from layout.address import (
    ARRANGEMENTS,
    COLOURS,
    FOLDS,
    GRIDS,
    LIGHTS,
    NAMES_IN_JOB,
    SWITCH,
    UNSAID,
    Address,
)
from layout.errors import MAX_WORLD_SIZE, one_line
from layout.job import CP_TYPES, Job
from layout.orders import order_with_ep
from layout.presets import LLAMA_3_ORDER, PRESETS, Preset
from pages import levels_field, machine, problems
from pages.visit import Visit, widget

CHOICE_WIDTH = 168  # pixels

_SAID = (UNSAID, *SWITCH)

Control = Callable[[Visit, Words], None]


def draw(controls: tuple[Control, ...], visit: Visit) -> None:
    """Draws the rows of a table of controls, one below the other."""
    for control in controls:
        control(visit, visit.words)


def _preset(visit: Visit, words: Words) -> None:
    chosen = _preset_of(visit)
    by_key = {preset.key: preset for preset in PRESETS}

    def in_words(key: str) -> str:
        if not key:
            return words("controls.preset_none")
        gpus = by_key[key].layout.world_size
        return words("controls.preset_option", n=gpus, name=words(f"presets.{key}.name"))

    widget(
        st.selectbox,
        words("controls.preset"),
        name="preset",
        value=chosen.key if chosen else "",
        take=visit.set_preset,
        options=["", *by_key],
        format_func=in_words,
    )
    if chosen:
        said = "preset_assumed" if chosen.order_assumed else "preset_source"
        st.caption(words(f"controls.{said}", source=words(f"presets.{chosen.key}.source")))


def _world_mode(visit: Visit, words: Words) -> None:
    widget(
        st.toggle,
        words("controls.world_mode"),
        name="world_mode",
        value=visit.address.world is not None,
        take=visit.know_world,
        help=words("controls.world_mode_help"),
    )


def _degrees(visit: Visit, words: Words) -> None:
    known_world = visit.address.world is not None
    names = ("world", "tp", "cp", "pp") if known_world else ("tp", "cp", "dp", "pp")
    values = {name: getattr(visit.address, name) for name in names}
    if visit.address.moe == "on":
        values |= {"ep": visit.address.ep, "etp": visit.address.etp or visit.address.tp}
    assets.degrees.show(
        values,
        key="degrees",
        language=words.language,
        largest=MAX_WORLD_SIZE,
        leaders={"etp": "tp"},
        following=() if visit.address.etp else ("etp",),
        heard=visit.heard.get("degrees"),
        on_degrees_change=visit.hears("degrees", "degrees", lambda told: visit.change(**told)),
    )
    layout = visit.layout()
    if layout is None:
        return
    said = []
    if known_world:
        degrees = {axis: count(layout.degree_of(axis)) for axis in DENSE_AXES}
        said.append(words("controls.derived_dp", world=count(layout.world_size), **degrees))
    if visit.address.moe == "on":
        said.append(_experts_in_words(visit.address.job(), words))
    if said:
        st.caption(words("list.sentences").join(said))


def _experts_in_words(job: Job, words: Words) -> str:
    """What EDP is, and whether ETP was set."""
    etp = words("controls.etp_is_tp" if job.etp is None else "controls.etp_is_set")
    if job.edp_degree is None:
        return etp
    degrees = {"etp": job.etp_degree, "ep": job.ep, "pp": job.pp, "edp": job.edp_degree}
    numbers = {axis: count(degree) for axis, degree in degrees.items()}
    edp = words("controls.derived_edp", world=count(job.world_size), **numbers)
    return words("list.sentences").join((edp, etp))


def _experts(visit: Visit, words: Words) -> None:
    widget(
        st.toggle,
        words("controls.moe"),
        name="moe",
        value=visit.address.moe == "on",
        take=lambda on: visit.change(moe="on" if on else "off"),
        help=words("controls.moe_help"),
    )


def _more_of_the_job(visit: Visit, words: Words) -> None:
    """What only the question "would Megatron start?" needs, folded away until it is wanted."""
    address = visit.address
    told = [
        name
        for name in NAMES_IN_JOB
        if getattr(address, name) != getattr(Address, name)
        and (name != "experts" or address.moe == "on")
    ]

    def tell(wants: bool) -> None:
        visit.tells = wants

    widget(
        st.toggle,
        words("tell.heading", n=len(told)) if told else words("tell.heading_none"),
        name="tells",
        value=visit.tells,
        take=tell,
        help=words("tell.help"),
    )
    if not visit.tells:
        return
    for name in ("layers", "heads", "kv", "seq", "experts", "vpp", "distopt"):
        if name == "experts" and address.moe == "off":
            continue
        least = getattr(Address, name)  # 1, or nothing said
        widget(
            partial(st.number_input, value=None),  # may be emptied
            words(f"tell.{name}"),
            name=name,
            value=getattr(address, name),
            take=lambda number, name=name, least=least: visit.change(**{name: number or least}),
            min_value=1,
            max_value=MAX_WORLD_SIZE,
            step=1,
            placeholder=words("tell.unsaid"),
        )
    for name, options in (("sp", (UNSAID, *SWITCH)), ("cptype", (UNSAID, *CP_TYPES))):
        widget(
            st.selectbox,
            words(f"tell.{name}"),
            name=name,
            value=getattr(address, name),
            take=lambda option, name=name: visit.change(**{name: option}),
            options=list(options),
            format_func=lambda option: words(f"tell.{option}") if option in _SAID else option,
        )
    levels_field.show(visit, words, name="hcp")


def _order(visit: Visit, words: Words) -> None:
    order = visit.address.order
    refused = visit.refused_order
    widget(
        st.text_input,
        words("controls.order"),
        name="order",
        value=refused[0] if refused else order,
        take=visit.set_order,
        help=words("controls.order_help"),
        autocomplete="off",
    )
    with_ep = order_with_ep(LLAMA_3_ORDER)
    known = {MEGATRON_ORDER: "megatron", with_ep: "llama"}
    if visit.address.moe == "on":  # then ep counts
        likeness = order
    else:
        likeness = {"tp-cp-dp-pp": MEGATRON_ORDER, LLAMA_3_ORDER: with_ep}.get(order, order)

    def take(chosen: str | None) -> None:
        without_ep = chosen == with_ep and visit.address.moe == "off"
        visit.set_order(LLAMA_3_ORDER if without_ep else chosen or order)

    widget(
        st.segmented_control,
        words("controls.order_quick"),
        name="order_quick",
        value=likeness if likeness in known else None,
        take=take,
        options=list(known),
        format_func=lambda text: words(f"controls.order_{known[text]}"),
        label_visibility="collapsed",
    )
    if refused:
        problems.problem(refused[1], visit, words, place="typed order", kept=order)
    if visit.layout() is not None:
        st.caption(words(f"controls.order_who_{known.get(likeness, 'other')}"))


def _hosts(visit: Visit, words: Words) -> None:
    refused = visit.refused_hosts
    with st.expander(words("hosts.heading")):
        widget(
            st.text_area,
            words("hosts.list"),
            name="hosts",
            value=refused[0] if refused else visit.hosts_text,
            take=visit.set_hosts,
            help=words("hosts.help"),
            placeholder=words("hosts.placeholder"),
            height=120,
        )
        st.caption(words("hosts.private"))
    if refused:
        said = problems.error_in_words(refused[1], words)
        kept = words("hosts.kept") if visit.hosts else words("hosts.none_kept")
        st.warning(words("list.sentences").join((said, kept)))
    layout = visit.layout()
    if visit.hosts is None or layout is None:
        return
    _hosts_in_use(visit.hosts, layout, visit, words)
    nodes = num_nodes(layout.world_size, gpus_per_node=visit.address.gpn)
    assets.hosts.show(visit.hosts.names[:nodes], key="host_names")


def _hosts_in_use(hosts: Hosts, layout: Layout, visit: Visit, words: Words) -> None:
    """Which ranks the first host holds, and where the list and the layout differ."""
    gpn, num = visit.address.gpn, len(hosts.names)
    nodes = num_nodes(layout.world_size, gpus_per_node=gpn)
    last = min(gpn, layout.world_size) - 1
    ranks = words("hosts.ranks", last=last) if last else words("hosts.rank")
    first = problems.plain(one_line(hosts.names[0]))
    said = [words("hosts.in_use", n=min(num, nodes), ranks=ranks, host=first)]
    if num < nodes:
        said.append(words("hosts.unnamed", n=nodes - num))
    if num > nodes:
        said.append(words("hosts.unused", n=num - nodes, nodes=words("hosts.nodes", n=nodes)))
    slots = hosts.slots or gpn
    if slots != gpn:
        said.append(words("hosts.slots_differ", slots=count(slots), gpn=count(gpn)))
    st.caption(words("list.sentences").join(said))
    if slots != gpn:
        use = {words("hosts.use_slots", slots=count(slots)): {"gpn": slots}}
        problems.offer(use, visit, place="hosts")


def _language(visit: Visit, words: Words) -> None:
    if len(languages()) > 1:
        widget(
            st.segmented_control,
            words("controls.language"),
            name="lang",
            value=words.language,
            take=lambda language: visit.change(lang=language or words.language),
            options=languages(),
            format_func=lambda language: Words(language)("name"),
        )


def _choice(name: str, options: Iterable[str], *, labels: str) -> Control:
    """A list to choose the address' value `name` from; the catalogue's table `labels` names each.

    A value that is not among `options`, such as a set of the grid that is not shown, counts as the first.
    """
    options = list(options)

    def control(visit: Visit, words: Words) -> None:
        chosen = getattr(visit.address, name)
        widget(
            st.selectbox,
            words(f"view.{name}"),
            name=name,
            value=chosen if chosen in options else options[0],
            take=lambda option: visit.change(**{name: option}),
            options=options,
            format_func=lambda option: words(f"{labels}.{option}"),
            width=CHOICE_WIDTH,
        )

    return control


def _segments(name: str, options: Iterable[str], *, labels: str) -> Control:
    """A row of buttons for the address' value `name`; the catalogue's table `labels` names each."""

    def control(visit: Visit, words: Words) -> None:
        chosen = getattr(visit.address, name)
        widget(
            st.segmented_control,
            words(f"view.{name}"),
            name=name,
            value=chosen,
            take=lambda option: visit.change(**{name: option or chosen}),
            options=list(options),
            format_func=lambda option: words(f"{labels}.{option}"),
            wrap=True,
        )

    return control


def _light(visit: Visit, words: Words) -> None:
    _choice("light", visit.address.lights, labels="light")(visit, words)


def _grid(visit: Visit, words: Words) -> None:
    if visit.address.moe == "on":
        _segments("grid", GRIDS, labels="grid")(visit, words)


def _which(visit: Visit, words: Words) -> None:
    part = visit.address.part()
    if part is None or part.num_parts == 1:
        return
    widget(
        st.number_input,
        words(f"part.{visit.address.fold}"),
        name="which",
        value=part.number,
        take=lambda number: visit.change(which=number),
        min_value=0,
        max_value=part.num_parts - 1,
        step=1,
        width=CHOICE_WIDTH,
    )


LAYOUT_CONTROLS: tuple[Control, ...] = (
    _preset,
    _world_mode,
    _experts,
    _degrees,
    _order,
    machine.show,
    _hosts,
    _more_of_the_job,
    _language,
)
"""What makes the layout: beside every page."""

VIEW_CONTROLS: tuple[Control, ...] = (
    _grid,
    _light,
    _choice("colour", COLOURS, labels="shade"),
    _choice("fold", FOLDS, labels="fold"),
    _which,
    _segments("arrange", ARRANGEMENTS, labels="arrangement"),
)
"""How the picture shows it: above the picture."""

PANEL_CONTROLS: tuple[Control, ...] = (
    _choice("light", LIGHTS, labels="light"),
    _choice("colour", COLOURS, labels="shade"),
)
"""What lights up and what shades the tiles, for several pictures of dense grids."""


def _preset_of(visit: Visit) -> Preset | None:
    """The preset that the address shows, if it shows one."""
    layout, address = visit.layout(), visit.address
    experts = (address.ep, address.etp) if address.moe == "on" else (1, None)
    shown = (layout, address.gpn, address.nvlink_domain, *experts)
    for preset in PRESETS:
        domain = preset.nvlink_domain or preset.gpus_per_node
        if (preset.layout, preset.gpus_per_node, domain, preset.ep, preset.etp) == shown:
            return preset
    return None
