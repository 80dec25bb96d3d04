"""Writes ``answers.json``: recorded drivers' answers to calls that break rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from conformance.record.answers import derived
from fakecuda.explain.evidence import ANSWERS

if TYPE_CHECKING:
    from pathlib import Path


def files() -> dict[Path, str]:
    """Return the text of the file, by its path."""
    return {ANSWERS: json.dumps(derived(), indent=1) + "\n"}
