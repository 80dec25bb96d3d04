"""Writes ``everyday.json``: the recorded programs that a run of ``conform`` leaves out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.record.choice import derived
from conformance.record.everyday import FILE

if TYPE_CHECKING:
    from pathlib import Path


def files() -> dict[Path, str]:
    """Return the text of the file, by its path."""
    return {FILE: json.dumps(derived(), indent=1) + "\n"}
