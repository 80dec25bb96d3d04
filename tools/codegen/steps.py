"""What the command writes, in an order in which each step may read what those before it wrote."""

from __future__ import annotations

import importlib
import importlib.metadata
from pathlib import Path

from attrs import frozen

from fakecuda.explain.ledger.codes import version
from fakecuda.rules.registry import NVML
from fakecuda.spec import driver, hip

ROOT = Path(__file__).parents[2]
"""The checkout."""


@frozen
class Step:
    """Some generated files, and what writes them.

    Attributes:
        name: What the command calls it.
        about: What it writes.
        modules: The generators, modules below ``tools``: ``files()`` of each returns texts by path.
        source: The distribution that the files are made from, and its release that the committed ones are of; may be empty.
        owns: A pattern of files all of which it writes, so that one that it does not write any more goes; may be empty.
        apart: Why the command takes it only if it is named, and what else checks its files; may be empty.
        on_demand: Whether a run of all steps leaves it out, unless it compares.
    """

    name: str
    about: str
    modules: tuple[str, ...]
    source: tuple[str, str] = ("", "")
    owns: str = ""
    apart: str = ""
    on_demand: bool = False

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
            texts |= importlib.import_module(f"tools.{module}").files()
        return texts

    def differing(self, files: dict[Path, str] | None = None) -> dict[Path, str | None]:
        """Return those of them that the checkout lacks or has otherwise, and None for those that it should not have.

        Args:
            files: What :meth:`files` returned, if it was called.
        """
        files = self.files() if files is None else files
        there = {*ROOT.glob(self.owns)} if self.owns else set()
        return {
            path: files.get(path)
            for path in files.keys() | there
            if path not in files or not path.exists() or path.read_text() != files[path]
        }


STEPS = {
    step.name: step
    for step in (
        Step(
            "description",
            "the calls of the driver API and of the runtime API: fakecuda/spec/generated",
            ("codegen.description",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step(
            "hip-description",
            "the calls of HIP: fakecuda/spec/generated",
            ("codegen.hip_description",),
            ("hip-python", hip.DESCRIPTION.release),
        ),
        Step(
            "documented",
            "the codes that the manual names for each call: fakecuda/spec/generated",
            ("codegen.documented",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step(
            "nvml",
            "the functions of NVML: fakecuda/spec/generated",
            ("codegen.nvml",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step(
            "nvml-documented",
            "the codes that the manual of NVML names for each call: fakecuda/spec/generated",
            ("codegen.nvml_manual",),
            ("nvidia-nvml-dev", version(NVML)),
        ),
        Step("index", "which module declares a call: fakecuda/rules/generated", ("codegen.index",)),
        Step("halted", "what calls of halted processes do: fakecuda/rules/generated", ("codegen.halted",)),
        Step("cards", "what cards were recorded to tell: fakecuda/profiles/cards/generated", ("codegen.cards",)),
        Step(
            "surfaces",
            "the look-alikes: fakecuda/reach/bindings/generated",
            ("codegen.surfaces", "codegen.hip_surface"),
        ),
        Step("native", "what is behind symbols of C: fakecuda/reach/native/generated", ("codegen.native",)),
        Step(
            "answers",
            "what recorded drivers answered where rules are broken: fakecuda/explain/evidence/generated",
            ("codegen.answers",),
            apart="it runs all recordings, half a minute; a whole python -m fakecuda conform compares its file",
        ),
        Step("pages", "the pages of rules: docs/rules", ("pages.chapters",), owns="docs/rules/**/*.md"),
        Step("profiles", "where the values of profiles are from: docs/profiles.md", ("pages.profiles",)),
        Step("drivers", "what drivers differ in: docs/drivers.md", ("pages.drivers",)),
        Step(
            "museum",
            "the gallery of bugs: docs/museum.md",
            ("pages.museum",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step(
            "pictures",
            "what docs/architecture.md shows: docs/pictures",
            ("pictures.drawn",),
            owns="docs/pictures/*.svg",
            on_demand=True,
        ),
    )
}
"""The steps by name."""
