"""How a component of ours reaches the browser: a few lines that import its module from our own server.

The module and the stylesheet are files in `assets/`, served under a versioned address and kept by the
browser; what travels with each change is only these lines and the component's data. Styles are not
isolated in a shadow root, because Plotly puts its own in the document's head.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from assets.served import ASSETS_URL

# An inline script runs as a blob: module, so the address is resolved against Streamlit's own script tag;
# that stays right under a base path and on every page. These lines travel with each change: few of them.
_BOOT = """export default async c=>(await import(
document.querySelector('[src*="static/js/"]').src.split("static/js/")[0]+"%s")).default(c)"""


def component(name: str) -> Callable[..., Any]:
    """The mount function of the component `name`, whose module is `assets/<name>/<name>.js`.

    The module's default export is called with Streamlit's component arguments. A component reports with
    `setTriggerValue(event, value)`, and its mount function takes `on_<event>_change`. Mount with a fixed
    `key`: without one every change of data mounts anew. It marks its element `data-ready="yes"` when
    it shows what it was given, and "no" while an answer to the reader's last change is to come.
    """
    return st.components.v2.component(
        f"atlas.{name}",
        html="<div class='ra-root'></div>",
        js=_BOOT % f"{ASSETS_URL}{name}/{name}.js",
        isolate_styles=False,
    )
