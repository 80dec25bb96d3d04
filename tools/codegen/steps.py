"""What the command writes, in an order in which each step may read what those before it wrote."""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path

from attrs import frozen

from fakecuda.api import driver, hip

ROOT = Path(__file__).parents[2]
"""The checkout."""


@frozen
class Step:
    """Some generated files, and what writes them.

    Attributes:
        name: What the command calls it.
        about: What it writes.
        modules: The generators, modules of this package: ``files()`` of each returns texts by path.
        source: The distribution that the files are made from, and its release that the committed ones are of; may be empty.
    """

    name: str
    about: str
    modules: tuple[str, ...]
    source: tuple[str, str] = ("", "")

    @property
    def lacks(self) -> str:
        """What keeps this environment from writing the committed files anew; empty if nothing does."""
        name, release = self.source
        if not name:
            return ""
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            installed = "none"
        return "" if installed == release else f"it is made from {name} {release}; {installed} is installed"

    def files(self) -> dict[Path, str]:
        """Return what the files should be, by path.

        Raises:
            ImportError: What they are made from is not installed.
        """
        texts: dict[Path, str] = {}
        for module in self.modules:
            texts |= importlib.import_module(f"tools.codegen.{module}").files()
        return texts

    def differing(self) -> dict[Path, str]:
        """Return those of them that the checkout lacks or has otherwise."""
        return {path: text for path, text in self.files().items() if not path.exists() or path.read_text() != text}


STEPS = {
    step.name: step
    for step in (
        Step(
            "description",
            "the calls of the driver API and of the runtime API: fakecuda/api/generated",
            ("description",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step(
            "hip-description",
            "the calls of HIP: fakecuda/api/generated",
            ("hip_description",),
            ("hip-python", hip.DESCRIPTION.release),
        ),
        Step("index", "which module declares a call: fakecuda/rules/generated", ("index",)),
        Step("surfaces", "the look-alikes: fakecuda/surfaces/generated", ("surfaces", "hip_surface")),
        Step("native", "what is behind symbols of C: fakecuda/native/generated", ("native",)),
    )
}
"""The steps by name."""
