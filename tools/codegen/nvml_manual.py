"""Writes ``nvml.documented.json``.

The codes that NVML's manual names for each call.
They come from the comments of ``nvml.h`` in the wheel ``nvidia-nvml-dev``. The file names the release.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from functools import cache
from itertools import count, islice
from typing import TYPE_CHECKING

from fakecuda.explain.ledger.codes import DOCUMENTS
from fakecuda.spec.nvml import NAMES

if TYPE_CHECKING:
    from pathlib import Path

WHEEL = "nvidia-nvml-dev"
SOURCE = f"the comments of nvml.h in {WHEEL}"
DESCRIBED = re.compile(
    r"/\*\*((?:(?!\*/).)*)\*/\s*(?:DEPRECATED\([\d.]+\)\s*)?(?:nvmlReturn_t|const char\s*\*)\s*DECLDIR\s+(nvml\w+)\s*\(",
    re.DOTALL,
)
"""Matches a comment and the function that is declared after it."""
CODE = re.compile(r"\bNVML_ERROR_(\w+)")
LATER = 5
"""Number of later versions of a function to look for."""


def files() -> dict[Path, str]:
    """Return the text of the file, by its path."""
    text = texts()
    lines = [f"  {json.dumps(name)}: {json.dumps(codes(text[name]))}" for name in text]
    head = f"{SOURCE} {importlib.metadata.version(WHEEL)}"
    return {DOCUMENTS["nvml"]: f'{{\n "from": {json.dumps(head)},\n "codes": {{\n' + ",\n".join(lines) + "\n }\n}\n"}


@cache
def texts() -> dict[str, str]:
    """Return the manual's text for each exported function, in the manual's order.

    An old function without a comment has the text of its next version.

    Raises:
        ImportError: The wheel is not installed.
    """
    described = {name: comment for comment, name in DESCRIBED.findall(header()) if name in NAMES}
    older = {
        name: described[later]
        for name in NAMES
        if name not in described and (later := next((one for one in versions(name) if one in described), None))
    }
    return described | older


def versions(name: str) -> list[str]:
    """Return the names of a function's next versions.

    For ``nvmlInit``, this is ``nvmlInit_v2``.
    """
    plain, _, number = name.partition("_v")
    return [f"{plain}_v{later}" for later in islice(count(int(number or 1) + 1), LATER)]


def header() -> str:
    """Return the text of the header."""
    found = [file for file in importlib.metadata.files(WHEEL) or () if file.name == "nvml.h"]
    return found[0].read_text()


def plain(comment: str) -> str:
    """Return a function's comment as one line, without stars and markup."""
    text = re.sub(r"^\s*\* ?", " ", comment, flags=re.MULTILINE)
    return " ".join(re.sub(r"\\(?:ref|a)\s+", "", text).split())


def codes(comment: str) -> list[str]:
    """Return the codes that a function's comment names for its result.

    The codes have no prefix.
    """
    return list(dict.fromkeys(CODE.findall(comment.partition("@return")[2])))
