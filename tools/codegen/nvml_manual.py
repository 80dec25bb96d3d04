"""Write ``nvml.documented.json``: which codes the manual of NVML names for each call, as the comments of its header ``nvml.h`` say.

The header is that of the wheel ``nvidia-nvml-dev``, whose release the file names.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
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
"""A comment, and the function that is declared behind it."""
CODE = re.compile(r"\bNVML_ERROR_(\w+)")
LATER = 5
"""How many later versions of a function are looked at."""


def files() -> dict[Path, str]:
    """Return the text of the file by its path."""
    text = texts()
    lines = [f"  {json.dumps(name)}: {json.dumps(codes(text[name]))}" for name in text]
    head = f"{SOURCE} {importlib.metadata.version(WHEEL)}"
    return {DOCUMENTS["nvml"]: f'{{\n "from": {json.dumps(head)},\n "codes": {{\n' + ",\n".join(lines) + "\n }\n}\n"}


def texts() -> dict[str, str]:
    """Return what the manual says of each function that the library exports, in the manual's order.

    A function that the header declares for older programs, without a word, has the text of its next version.

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
    """Return what the next versions of a function are called, ``nvmlInit_v2`` of ``nvmlInit``."""
    plain, _, number = name.partition("_v")
    return [f"{plain}_v{later}" for later in islice(count(int(number or 1) + 1), LATER)]


def header() -> str:
    """Return the text of the header."""
    found = [file for file in importlib.metadata.files(WHEEL) or () if file.name == "nvml.h"]
    return found[0].read_text()


def plain(comment: str) -> str:
    """Return a function's comment on one line, without its stars and its markup."""
    text = re.sub(r"^\s*\* ?", " ", comment, flags=re.MULTILINE)
    return " ".join(re.sub(r"\\(?:ref|a)\s+", "", text).split())


def codes(comment: str) -> list[str]:
    """Return the codes that a function's comment names for what it returns, without their prefix."""
    return list(dict.fromkeys(CODE.findall(comment.partition("@return")[2])))
