"""The recordings in tests/golden/, read once."""

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "golden"

MEGATRON: dict[str, Any] = json.loads((_FOLDER / "megatron_core_0.19.2.json").read_text("utf-8"))
OTHER_FRAMEWORKS: dict[str, Any] = json.loads(
    (_FOLDER / "other_frameworks.json").read_text("utf-8")
)
