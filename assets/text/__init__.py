"""Every word on the screen, by language: short labels in `labels.toml`, longer prose as Markdown.

A language is a folder here; a new folder is a new language, and no code knows which there are. The
browser's part reads the same labels (`words.js`).
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assets.served import LABELS, TEXT, languages

FALLBACK = "en"


@dataclass(frozen=True)
class Words:
    """The words of one language.

    >>> words = Words("en")
    >>> words("picture.node", node=3)
    'node 3'
    >>> words("card.nodes", n=1), words("card.nodes", n=2048)
    ('1 node', '2,048 nodes')
    """

    language: str
    folder: Path = TEXT

    def __call__(self, key: str, **values: Any) -> str:
        """The label `key` with its places filled; `n` is a count and chooses between one and more.

        Raises KeyError for a label or a place that is not there: a mistake of ours, not the reader's.
        """
        label: Any = labels(self.folder, self.language)
        for name in key.split("."):
            label = label[name]
        if isinstance(label, dict):
            label = label["one"] if values["n"] == 1 and "one" in label else label["other"]
        return re.sub(r"\{(\w+)\}", lambda place: _written(place[1], values[place[1]]), label)

    def prose(self, name: str) -> str:
        """The Markdown text `name`.

        >>> Words("en").prose("first_words").startswith("A training job")
        True
        """
        return (self.folder / self.language / f"{name}.md").read_text("utf-8")


@cache
def labels(folder: Path, language: str) -> dict[str, Any]:
    """All labels of one language, read once: nested tables of words."""
    return tomllib.loads((folder / language / LABELS).read_text("utf-8"))


def count(number: int) -> str:
    """A count with its thousands apart; ranks are names, so they are written without.

    >>> count(16384)
    '16,384'
    """
    return f"{number:,}"


def nearest_language(wanted: str | None) -> str:
    """The language that we have for a browser's locale such as `de-DE`; English where we have none.

    >>> nearest_language("en-GB"), nearest_language(None)
    ('en', 'en')
    """
    base = (wanted or "").split("-")[0].lower()
    return base if base in languages() else FALLBACK


def _written(name: str, value: Any) -> str:
    return count(value) if name == "n" else str(value)
