"""The steps of the generators.

In their order, each may read what earlier ones wrote.
"""

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
    """Some generated files and their generators.

    Attributes:
        name: The name on the command line.
        about: A description of the files.
        modules: The generators, as modules below ``tools``. The ``files()`` of each returns texts by path.
        source: The distribution that the files are made from, with the release of the committed files; may be empty.
        owns: A pattern of files that the step owns. Such files that it does not write are deleted; may be empty.
        apart: Why the command runs it only if named, and what else checks its files; may be empty.
        on_demand: Whether a run of all steps leaves it out, unless it only compares.
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
        """Why this environment cannot write the committed files; empty if it can."""
        name, release = self.source
        if not name:
            return ""
        try:
            installed = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            installed = "none"
        return "" if installed == release else f"it is made from {name} {release}, but {installed} is installed"

    def files(self) -> dict[Path, str]:
        """Return the files with their contents, by path.

        Raises:
            ImportError: Their source is not installed.
        """
        texts: dict[Path, str] = {}
        for module in self.modules:
            texts |= importlib.import_module(f"tools.{module}").files()
        return texts

    def differing(self, files: dict[Path, str] | None = None) -> dict[Path, str | None]:
        """Return the files that are missing or differ.

        None stands for files that should not exist.

        Args:
            files: The result of :meth:`files`, if already known.
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
            "the calls of the driver and runtime APIs: fakecuda/spec/generated",
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
            "conventions",
            "how calls pass odd arguments: fakecuda/spec/generated",
            ("codegen.convention_rows",),
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
        Step("cards", "recorded answers of cards: fakecuda/profiles/cards/generated", ("codegen.cards",)),
        Step(
            "surfaces",
            "the look-alikes: fakecuda/reach/bindings/generated",
            ("codegen.surfaces", "codegen.hip_surface"),
        ),
        Step("native", "the functions behind C symbols: fakecuda/reach/native/generated", ("codegen.native",)),
        Step(
            "answers",
            "recorded drivers' answers to calls that break rules: fakecuda/explain/evidence/generated",
            ("codegen.answers",),
            apart="it runs all recordings, half a minute; python -m fakecuda conform compares its file",
        ),
        Step(
            "everyday",
            "the recorded programs that a run of conform leaves out: conformance/data",
            ("codegen.everyday",),
            apart="it runs all recordings, a minute; .ci/long compares its file",
        ),
        Step("pages", "the pages of rules: docs/rules", ("pages.chapters",), owns="docs/rules/**/*.md"),
        Step("profiles", "the origins of profiles' values: docs/profiles.md", ("pages.profiles",)),
        Step("drivers", "the differences between drivers: docs/drivers.md", ("pages.drivers",)),
        Step("races", "the accesses and orders that the detector of races knows: docs/races.md", ("pages.races",)),
        Step(
            "museum",
            "the gallery of bugs: docs/museum.md",
            ("pages.museum",),
            ("cuda-bindings", driver.DESCRIPTION.release),
        ),
        Step("gpu_team", "what is found on a GPU: docs/guides/gpu_team.md", ("pages.gpu_team",)),
        Step(
            "pictures",
            "the pictures of docs/architecture.md: docs/pictures",
            ("pictures.drawn",),
            owns="docs/pictures/*.svg",
            on_demand=True,
        ),
    )
}
"""The steps, by name."""
