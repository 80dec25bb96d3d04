"""Writing of TOML: tables of numbers, texts and lists, in the given order."""

from __future__ import annotations

import json
import re
from typing import Any

BARE = re.compile(r"^[A-Za-z0-9_-]+$")
ESCAPED_DELETE = "\\u007f"


def render(document: dict[str, Any]) -> str:
    """Return a document as TOML.

    None values are left out, because TOML has no such value.
    """
    return "\n".join(_table(document, ())).lstrip("\n") + "\n"


def _table(table: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in table.items() if _plain(value)]
    for key, value in table.items():
        inner = (*path, key)
        header = ".".join(_key(part) for part in inner)
        if isinstance(value, dict):
            lines += ["", f"[{header}]", *_table(value, inner)]
        elif _is_tables(value):
            for row in value:
                lines += ["", f"[[{header}]]", *_table(row, inner)]
    return lines


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _plain(value: object) -> bool:
    return value is not None and not isinstance(value, dict) and not _is_tables(value)


def _key(key: str) -> str:
    return key if BARE.match(key) else json.dumps(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_value(item) for item in value if item is not None)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", ESCAPED_DELETE)
    return repr(value)
