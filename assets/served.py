"""Where the browser finds what we serve: versions and addresses, known in this one place.

`app.py` serves these addresses and the components hand them to the browser, so neither imports the
other. An address has no leading slash: it is relative to the server's root, which the browser learns
from Streamlit's own script tag, and so it stays right under a `server.baseUrlPath`.

The version is part of the address: what lies at an address never changes, and a browser may keep it
for good.
"""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

ASSETS: Final = Path(__file__).parent
TEXT: Final = ASSETS / "text"
LABELS: Final = "labels.toml"

# What a browser asks for. Python, TOML and Markdown lie in the same folders and stay at home.
SERVED_SUFFIXES: Final = frozenset({".js", ".css", ".svg", ".png"})


def content_version(folder: Path) -> str:
    """Ten hex digits that change when a file we serve, or its name, changes.

    Labels count too, because the text catalogue is made from them. Python does not: no browser sees it.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SERVED_SUFFIXES or path.name == LABELS:
            digest.update(
                f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode()
            )
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


@cache
def languages() -> tuple[str, ...]:
    """Names of the languages that have labels, such as `en`: one folder each in `assets/text/`."""
    return tuple(sorted(path.parent.name for path in TEXT.glob(f"*/{LABELS}")))


# Computed once, when the process starts: a changed asset gets its new address at the next start.
ASSETS_VERSION: Final = content_version(ASSETS)
PLOTLY_VERSION: Final = version("plotly")

ASSETS_URL: Final = f"atlas/{ASSETS_VERSION}/assets/"
PLOTLY_URL: Final = f"atlas/plotly/{PLOTLY_VERSION}/plotly.min.js"

# Served where Streamlit's page asks for an icon of its own.
FAVICON: Final = ASSETS / "favicon.svg"


def text_url(language: str) -> str:
    """Address of the labels of one language, as JSON."""
    return f"atlas/{ASSETS_VERSION}/text/{language}.json"
