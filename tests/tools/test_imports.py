"""What a file imports is read from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.imports import imports, package

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
import os.path
from typing import TYPE_CHECKING
import typing

if TYPE_CHECKING:
    import checked
elif True:
    import other_branch
if typing.TYPE_CHECKING:
    import checked_too
try:
    import tried
except ImportError:
    import handler
finally:
    import last
with tried:
    from package import name, other
match os:
    case 1:
        import case
class Class:
    import in_class
    async def method(self):
        import both
        if tried:
            import lazy
import both
"""


def test_every_import_is_found(tmp_path: Path) -> None:
    """In every block; what functions alone import is told apart, and what a type checker reads is left out."""
    path = tmp_path / "module.py"
    path.write_text(TEXT)
    found = imports(path)
    assert [name for name, lazy in found.items() if lazy] == ["lazy"]
    early = "os.path typing.TYPE_CHECKING typing other_branch tried handler last package.name package.other case in_class both"
    assert sorted(name for name, lazy in found.items() if not lazy) == sorted(early.split())


def test_relative_names_are_refused(tmp_path: Path) -> None:
    """They would have to be resolved; the text says what to write."""
    path = tmp_path / "module.py"
    path.write_text("from ..model import va\n")
    with pytest.raises(ValueError, match=r"imports \.\.model: write the full name"):
        imports(path)


PACKAGES = {
    "fakecuda": "fakecuda",
    "fakecuda.model.memory.va": "model",
    "fakecuda.reach.native.door": "reach.native",
    "fakecuda.reach.process": "reach",
    "fakecuda.machine.machine": "machine",
    "fakecuda.machine.runs.sweep": "machine.runs",
    "realcuda.machine": "realcuda",
}


def test_packages() -> None:
    """Subpackages of the divided ones count by themselves; outside of the product the top does."""
    assert {name: package(name) for name in PACKAGES} == PACKAGES
