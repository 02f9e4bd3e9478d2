"""Who imports whom: data comes in at one side of the house and leaves at the other, nothing walks back.

README.md draws the house. Each rule names the only things its files may import besides the standard
library; the first rule that fits a file counts.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent


class Rule(NamedTuple):
    """What the files that fit `files` may import, and the reason in words."""

    files: str
    may: tuple[str, ...]
    because: str


# Not pages themselves, but what every page needs.
FRONT_OF_HOUSE = (
    "pages.controls",
    "pages.kinds",
    "pages.levels_field",
    "pages.machine",
    "pages.problems",
    "pages.reading_order",
    "pages.sentences",
    "pages.verdict",
    "pages.visit",
)

RULES = (
    Rule(
        "app.py",
        ("streamlit", "starlette", "plotly", "assets.served", "layout"),
        "the front door serves, files of groups too; it knows no page",
    ),
    Rule("layout/*", ("numpy", "layout"), "the foundation stands alone"),
    Rule(
        "assets/*",
        ("streamlit", "plotly", "assets"),
        "a window shows what it is given; it knows neither layouts nor pages",
    ),
    Rule(
        "pages/figures/*",
        ("numpy", "plotly", "layout", "pages.figures"),
        "a drawing takes a layout and returns a figure",
    ),
    Rule(
        "pages/rank_atlas.py",
        ("streamlit", "layout", "assets", *FRONT_OF_HOUSE),
        "the hall sends readers to a page; it draws nothing",
    ),
    Rule(
        "pages/reading_order.py",
        ("pages",),
        "the reading order is a list of pages",
    ),
    Rule(
        "pages/explorer.py",
        (
            "streamlit",
            "layout",
            "assets",
            "pages.figures",
            "pages.group_table",
            "pages.grids",
            *FRONT_OF_HOUSE,
        ),
        "one long room is two: its picture, and pages.group_table, the same in words, right below it",
    ),
    Rule(
        "pages/orders.py",
        (
            *("streamlit", "layout", "assets", "pages.figures", "pages.grids"),
            *FRONT_OF_HOUSE,
        ),
        "its panels show the Explorer's dense grid",
    ),
    Rule(
        "pages/placement.py",
        (
            *("streamlit", "layout", "assets", "pages.figures", "pages.hierarchical_cp"),
            *FRONT_OF_HOUSE,
        ),
        "one long room is two: which groups leave, and pages.hierarchical_cp, what helps CP",
    ),
    Rule(
        "pages/*",
        ("streamlit", "layout", "assets", "pages.figures", *FRONT_OF_HOUSE),
        "a room does not lead through another room, and its pictures come from pages/figures/",
    ),
)

# Beside these, only names that start with a dot.
TOP_LEVEL = {
    *("README.md", "LICENSE"),
    *("app.py", "pages", "layout", "assets", "tests"),
    *("pyproject.toml", "requirements.txt", "requirements-dev.txt"),
}


def names_imported(path: str, source: str) -> Iterator[str]:
    """Modules that `source` imports, in full: `from pages import explorer` gives `pages.explorer`."""
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # One dot is the file's own package, each further dot the one around it.
            near = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*near, node.module] if node.module else near)
            for alias in node.names:
                is_module = is_ours(f"{module}.{alias.name}")
                yield f"{module}.{alias.name}" if is_module else module


def is_ours(module: str) -> bool:
    """Whether a module of that name lies in the project."""
    path = ROOT.joinpath(*module.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def trespasses(path: str, source: str) -> list[str]:
    """One sentence for each import that the file's rule does not allow."""
    rule = next(rule for rule in RULES if fnmatch(path, rule.files))
    return [
        f"{path} imports {name}, but {rule.because} (may import: {', '.join(rule.may)})"
        for name in names_imported(path, source)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(f"{name}.".startswith(f"{allowed}.") for allowed in rule.may)
    ]


def files_of_the_project() -> list[str]:
    """Paths that git knows, or that lie there where the project came without git."""
    if not (ROOT / ".git").exists():
        return [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("[!.]*")]
    # A checkout may belong to someone else than who runs the tests, as in a container.
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.splitlines()


OURS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [
        ROOT / "app.py",
        *(file for room in ("assets", "layout", "pages") for file in (ROOT / room).rglob("*.py")),
    ]
)


@pytest.mark.parametrize("path", OURS)
def test_imports_only_what_its_place_in_the_house_allows(path: str) -> None:
    assert trespasses(path, (ROOT / path).read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("path", "wrong", "name"),
    [
        ("app.py", "from pages import visit", "pages.visit"),
        ("app.py", "import assets.rank_grid", "assets.rank_grid"),
        ("layout/ranks.py", "import streamlit as st", "streamlit"),
        ("layout/ranks.py", "from plotly import graph_objects", "plotly"),
        ("assets/rank_grid/__init__.py", "from layout.ranks import Layout", "layout.ranks"),
        ("pages/figures/rank_grid.py", "import streamlit", "streamlit"),
        ("pages/figures/rank_grid.py", "from ..controls import draw", "pages.controls"),
        ("pages/explorer.py", "from pages import checked", "pages.checked"),
        ("pages/explorer.py", "from . import checked", "pages.checked"),
        ("pages/explorer.py", "def show():\n    import plotly.express", "plotly.express"),
        ("pages/rank_atlas.py", "from pages.figures.palette import Theme", "pages.figures.palette"),
        ("pages/rank_atlas.py", "import plotly", "plotly"),
    ],
)
def test_a_wrong_import_is_found_and_named(path: str, wrong: str, name: str) -> None:
    (sentence,) = trespasses(path, f"import json\n{wrong}\n")
    assert sentence.startswith(f"{path} imports {name}, but ")


def test_nothing_new_lies_on_the_top_level() -> None:
    top = {path.split("/")[0] for path in files_of_the_project()}
    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL
