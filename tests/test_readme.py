"""What the README says can be pasted, and what it shows is what comes out."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from layout.address import read

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_two_commands_do_all_the_set_up_and_ci_runs_the_second() -> None:
    start, test = re.findall(r"```sh\n(.*)\n```", README)
    assert start.startswith("python3 -m venv .venv && ") and start.endswith("streamlit run app.py")
    assert test.startswith("python3 -m venv .venv && ") and test.endswith("python -m pytest")
    assert (ROOT / ".ci" / "run").read_text("utf-8").rstrip().endswith(test)


def test_the_command_line_prints_what_the_readme_shows() -> None:
    ((command, shown),) = re.findall(r"```console\n\$ python (.*)\n([^`]*)```", README)
    said = subprocess.run(
        [sys.executable, *shlex.split(command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == shown


def test_the_python_example_gives_what_the_readme_shows() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert found.attempted >= 2 and found.failed == 0


def test_every_link_to_the_running_app_is_a_layout_without_a_remark() -> None:
    links = re.findall(r"\(http://localhost:8501/([^)]*)\)", README)
    assert len(links) >= 2
    for link in links:
        address, remarks = read(parse_qs(urlsplit(link).query))
        assert remarks == [] and address.layout().world_size > 16


def test_every_file_that_the_readme_names_is_there() -> None:
    for path in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (ROOT / path).exists(), path
