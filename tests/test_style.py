"""The formatter, the linter and the type checker have nothing to say."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [("ruff", "format", "--check", "."), ("ruff", "check", "."), ("mypy",)],
    ids=" ".join,
)
def test_is_clean(command: tuple[str, ...]) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"{' '.join(command)}\n{checked.stdout}{checked.stderr}"
