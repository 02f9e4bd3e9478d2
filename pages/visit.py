"""What the reader has set during a visit: the one place that touches Streamlit's session and URL.

The address is the single truth. Controls show it and change it through callbacks; the script then runs
again from the top. It is read from the link once, at the start of a visit; afterwards the session
holds it, so that it survives page changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal
from urllib.parse import parse_qs

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from assets.served import languages
from assets.text import Words, nearest_language
from layout import Hosts, Layout, LayoutError, address, normalised_order, read_hosts
from layout.address import NAMES_IN_JOB, Address, Remark, read_levels
from layout.presets import PRESETS
from pages.figures.palette import Theme

LEAST_ROOM = 200  # pixels, however narrow the window
CardPlace = Literal["beside", "below"]
ROOM_AT_1440 = 700  # pixels for the picture beside its card in a window 1440 pixels wide
PANEL_AT_1440 = 510  # and for one of two pictures side by side


@dataclass(frozen=True)
class Sent:
    """What came with a message of the browser, and who takes it: a widget's value, a report, a click."""

    value: Any
    take: Callable[[Any], None]
    widget: str | None = None


@dataclass
class Visit:
    """One reader's state: the address, and what is not part of a link.

    `name` tells one visit from another. `remarks` are the parts of the link that were ignored, until
    the reader changes something. `theme`, `room`, the width in pixels for the picture, `card`, its place
    beside or below the picture, and `panel_room`, the width for one of several pictures side by side, are
    the browser's. `heard` is the time of the newest message of each component. `sent` is what the browser
    has just sent, until it is weighed; `overtaken` has, by widget, the value before something else than the
    widget changed it, until the browser has heard of that. `refused_order` is an order as typed that
    is none, and why; `refused_levels` are levels of CP as typed that are none. `tells` says whether the
    reader wants to tell more of the job than its degrees.

    `doors` lead to the pages, by name: the hall hangs them.

    `hosts` are the hosts of the list in use, `hosts_text` that list as typed, and `refused_hosts` a list
    as typed that is none, and why. They may be private, so they stay in the session: no link has them.
    """

    address: Address
    remarks: list[Remark]
    name: str = field(default_factory=lambda: token_hex(4))
    theme: Theme = "light"
    room: int = ROOM_AT_1440
    card: CardPlace = "beside"
    panel_room: int = PANEL_AT_1440
    heard: dict[str, int] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    overtaken: dict[str, Any] = field(default_factory=dict)
    refused_order: tuple[str, LayoutError] | None = None
    tells: bool = False
    refused_levels: str | None = None
    hosts: Hosts | None = None
    hosts_text: str = ""
    refused_hosts: tuple[str, LayoutError] | None = None
    doors: Mapping[str, StreamlitPage] = field(default_factory=dict)

    @property
    def is_embedded(self) -> bool:
        """Whether the page stands in another one: the link says `embed=true`."""
        return bool(st.context.is_embedded)

    @property
    def words(self) -> Words:
        """The words in the reader's language: the link's, else the browser's, else English."""
        return Words(self.address.lang or nearest_language(st.context.locale))

    def layout(self) -> Layout | None:
        """The layout that the reader has set, or None where the settings make none."""
        try:
            return self.address.layout()
        except LayoutError:
            return None

    def change(self, **changes: Any) -> None:
        """Sets what the reader changed. A pinned rank stays while it exists.

        What is drawn follows the pinned rank, until the reader chooses another part.
        """
        if ("fold" in changes or changes.get("pin") is not None) and "which" not in changes:
            changes["which"] = None
        self.address = self.address.with_(**changes)
        self.remarks = []
        if "order" in changes:
            self.refused_order = None
        if "hcp" in changes:
            self.refused_levels = None
        pin, layout = self.address.pin, self.layout()
        if pin is not None and layout is not None and pin >= layout.world_size:
            self.address = self.address.with_(pin=None)
        if layout is not None and self._lacks_part():
            self.address = self.address.with_(which=None)

    def _lacks_part(self) -> bool:
        try:
            self.address.part()
        except LayoutError:
            return True
        return False

    def read(self, query: Mapping[str, list[str]]) -> None:
        """Takes over what a link says, and remembers the parts that were ignored."""
        self.address, remarks = address.read(query, languages=languages())
        self.refused_order = self.refused_levels = None
        linked = self.address
        self.change()
        for name in ("pin", "which"):
            if getattr(self.address, name) != getattr(linked, name):
                remarks.append(Remark(name, name, str(getattr(linked, name))))
        self.remarks = remarks

    def follow(self, query: str) -> None:
        """Takes over the link that the browser has just reported: its own address, or one followed."""
        self.read(parse_qs(query, keep_blank_values=True))

    def set_order(self, order: str) -> None:
        """Takes a typed order, or remembers why it is none and keeps the one before."""
        try:
            normalised_order(order)
            self.change(order=order.strip())
        except LayoutError as error:
            self.refused_order = (order, error)

    def set_levels(self, text: str) -> None:
        """Takes typed levels of CP, or remembers that they are none and keeps the ones before."""
        try:
            self.change(hcp=",".join(map(str, read_levels(text))))
        except ValueError:
            self.refused_levels = text

    def set_hosts(self, text: str) -> None:
        """Takes a typed list of hosts, or remembers why it is none and keeps the one before."""
        try:
            hosts = read_hosts(text)
        except LayoutError as error:
            self.refused_hosts = (text, error)
            return
        self.hosts = hosts if hosts.names else None
        self.hosts_text, self.refused_hosts = text, None

    def set_preset(self, key: str) -> None:
        """Sets all that is known of a published job: nothing stays of the job before."""
        for preset in PRESETS:
            if preset.key == key:
                degrees = {"tp": preset.tp, "cp": preset.cp, "dp": preset.dp, "pp": preset.pp}
                untold = {name: getattr(Address, name) for name in NAMES_IN_JOB}
                self.change(
                    **degrees,
                    world=None,
                    order=preset.order,
                    gpn=preset.gpus_per_node,
                    nvl=preset.nvlink_domain,
                    moe="on" if preset.has_experts else "off",
                    ep=preset.ep,
                    etp=preset.etp,
                    **{**untold, "vpp": preset.vpp, "seq": preset.seq_length},
                )

    def know_world(self, known: bool) -> None:
        """Changes between stating DP and stating the world; the layout stays the same if there is one."""
        layout = self.layout()
        if layout is None:
            self.change(world=16 if known else None)
        else:
            self.change(world=layout.world_size if known else None, dp=layout.dp)

    def hears(self, component: str, event: str, take: Callable[[Any], None]) -> Callable[[], None]:
        """A callback: what a component reports goes to `take`, without the time at which it was sent."""

        def hear() -> None:
            reported = _now().get(component, {}).get(event)
            if isinstance(reported, Mapping) and "sent" in reported:
                reported = dict(reported)
                self.heard[component] = reported.pop("sent")
            self.sent.append(Sent(reported, _drop if reported is None else take))

        return hear

    def hears_click(self, **changes: Any) -> Callable[[], None]:
        """A callback: a click on a button makes these changes."""
        return lambda: self.sent.append(Sent(changes, lambda these: self.change(**these)))

    def weigh(self) -> None:
        """Takes over what the browser has sent, now that all of it is known: the widgets' values first.

        The browser sends the one thing that happened there, and with it the values of all widgets. What it
        sends before it hears that a link or a button changed a widget still has the value before, which
        would take the change back: such a value is not taken where it does not come alone.
        """
        sent, self.sent = self.sent, []
        for one in sorted(sent, key=lambda one: one.widget is None):
            if one.widget in self.overtaken:
                if one.value == self.overtaken[one.widget] and len(sent) > 1:
                    continue
                del self.overtaken[one.widget]
            one.take(one.value)

    def set_look(self, *, room: int, theme: Theme, card: CardPlace) -> None:
        """Takes the browser's word for the picture's width in pixels, the theme and the card's place."""
        self.room, self.theme, self.card = max(room, LEAST_ROOM), theme, card

    def set_panel_look(self, *, room: int, theme: Theme, **_: CardPlace) -> None:
        """The same of one of several pictures side by side, whose cards are always below."""
        self.panel_room, self.theme = max(room, LEAST_ROOM), theme


def current() -> Visit:
    """The visit of this session, with what the browser has just sent; it begins with what the link says."""
    if "visit" not in st.session_state:
        st.session_state["visit"] = _begin()
    visit: Visit = st.session_state["visit"]
    visit.weigh()
    return visit


def widget(kind: Callable[..., Any], label: str, *, name: str, value: Any, **options: Any) -> None:
    """A Streamlit widget that shows `value` and hands what the reader chooses to `options["take"]`.

    It is taken when the visit is next asked for: `Visit.weigh` tells it from an old value.
    """
    take = options.pop("take")
    visit: Visit = st.session_state["visit"]
    if name in st.session_state:
        if st.session_state[name] == value:
            visit.overtaken.pop(name, None)  # the browser has heard of the change
        else:
            visit.overtaken[name] = st.session_state[name]
    st.session_state[name] = value

    def choose() -> None:
        now = _now()
        visit.sent.append(Sent(now.get(name), take if name in now else _drop, widget=name))

    kind(label, key=name, on_change=choose, **options)


def _now() -> dict[str, Any]:
    """What widgets and components say, for a callback.

    Looked up one by one in `st.session_state`, a newer message of the browser could break the callback off,
    and what it was called for would be lost.
    """
    return st.session_state.to_dict()


def _drop(_: Any) -> None:
    """What comes from a widget or component that has left the page: Streamlit forgot what it was."""


def _begin() -> Visit:
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    visit = Visit(address=Address(), remarks=[], theme=theme)
    visit.read({name: st.query_params.get_all(name) for name in st.query_params})
    return visit
