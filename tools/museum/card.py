"""The programs on a card, each in a process of its own: what ``check --real`` says of them, and what compute-sanitizer does.

``python -m tools.museum --card FILE`` writes :data:`HEARD`. The processes that a program spawns are processes of the system, and
each call of them is recorded. So a card has answered a program as the model does if no recorded answer differs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.record.beside import logged
from conformance.record.checked import checked_on
from conformance.record.findings import UNDEFINED
from conformance.record.swept import limited
from fakecuda import profiles
from realcuda import Machine
from realcuda.probe import kernel_driver
from realcuda.probe import main as probe
from tools.museum.exhibit import Part, id_of
from tools.museum.registry import every_exhibit
from tools.museum.visit import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from realcuda.process import Process
    from tools.museum.exhibit import Exhibit

AT_ONCE = max(1, (os.cpu_count() or 1) - 3)
TIMEOUT = 60
"""Seconds that a program has."""
HEARD = Path(__file__).with_name("card.json")
"""A card, its driver, and what was said of each program there."""
SANITIZER = (
    "compute-sanitizer",
    "--tool=memcheck",
    "--leak-check=full",
    "--report-api-errors=all",
    "--track-stream-ordered-races=all",
    "--target-processes=all",
)
SAYS = re.compile(
    r"^=+ (?P<text>(?:Program hit|Invalid|Leaked|Race|Potential|Warning: Race|Unused|Error:).*)", re.MULTILINE
)
"""What compute-sanitizer reports, rather than counts or explains."""
NUMBER = re.compile(r"0x[0-9a-f]+|\b\d[\d,]*\b")
RULE = re.compile(r"^ +rule +([\w.]+)", re.MULTILINE)


class Beside:
    """What a program takes for its machine: it spawns processes that call the real driver.

    Args:
        machine: The real machine.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def processes(self) -> Mapping[str, Spawned]:
        """The processes by name."""
        return {name: Spawned(process) for name, process in self._machine.processes.items()}

    def spawn(self, name: str | None = None) -> Spawned:
        """Start a process."""
        return Spawned(self._machine.spawn(name))


class Spawned:
    """A process that calls the real driver.

    Args:
        process: The process.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self.runtime = Runtime(process.c)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._process, name)


class Runtime:
    """A look-alike of ``cuda.bindings.runtime`` whose functions run in a process; it takes and returns no structs.

    Args:
        c: The process's calls at the level of C.
    """

    def __init__(self, c: Any) -> None:
        self._c = c

    def __getattr__(self, name: str) -> Any:
        from cuda.bindings import runtime  # noqa: PLC0415 - the bindings of the caller's driver

        found = getattr(runtime, name)
        if isinstance(found, type) or not callable(found):
            return found

        def call(*args: Any) -> tuple[Any, ...]:
            given = [one if isinstance(one, (bytes, bytearray)) else int(one) for one in args]
            code, *results = getattr(self._c, name)(*given)
            return runtime.cudaError_t(code), *results

        return call


def alone(name: str, library: str = "") -> int:
    """Run a program in this process, whose spawned processes end in order; return the exit status.

    Args:
        name: The program's id.
        library: The driver's library, as :class:`realcuda.Machine` takes it.
    """
    exhibit, variant, fixed = _program(name)
    with Machine(library=library or None) as machine:
        try:
            exhibit.programs[variant](Beside(machine), fixed=fixed)  # type: ignore[arg-type]
        except Exception as error:  # noqa: BLE001 - programs raise what they like
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            return 1
        finally:
            for process in machine.processes.values():
                if process.alive:
                    process.exit()
    return 0


def programs() -> Iterator[tuple[Exhibit, str, bool]]:
    """Yield the programs that a card can run: not HIP's, and none with faults."""
    for exhibit in every_exhibit():
        if exhibit.part is not Part.SWEPT and not str(exhibit.settings.get("profile", "")).startswith("hip"):
            for variant in exhibit.programs:
                yield from ((exhibit, variant, fixed) for fixed in (False, True))


def _program(name: str) -> tuple[Exhibit, str, bool]:
    return next(one for one in programs() if id_of(*one[:2], fixed=one[2]) == name)


def inside(name: str, profile: Path, sanitizer: str, library: str = "") -> dict[str, Any]:
    """Run a program beside the real driver, and a faulty one with compute-sanitizer, too; return what both say.

    Args:
        name: The program's id.
        profile: The machine's profile.
        sanitizer: The path of compute-sanitizer; empty for none.
        library: As for :func:`alone`.

    Returns:
        The calls that were compared, and what was found; only what the machine lacks if it has too few devices.
    """
    own = profiles.load(profile)
    exhibit, variant, _ = _program(name)
    if (needed := exhibit.devices.get(variant, 1)) > len(own.devices):
        return {"needs": f"{needed} devices"}
    said: list[str] = []
    command = [sys.executable, "-m", "tools.museum", "--alone", name, *(["--library", library] if library else [])]
    ran, log = logged(command, _start(said), None, stacks=True, faults=())
    checked = checked_on(own, log.program)
    found = Counter(f"{one.kind}: {_what(one.kind, one.text)}" for one in checked.found)
    heard = {
        "status": ran.status,
        "found": dict(found),
        "answers": checked.answers,
        "differ": [str(one) for one in checked.differences],
        "skipped": checked.skipped,
        "ended": checked.ended,
        "lost": log.program.lost,
        "said": "".join("".join(said).splitlines()[-1:])[-200:],
    }
    if sanitizer and not name.endswith("-fixed"):
        told: list[str] = []
        heard["sanitized"] = _start(told)([sanitizer, *SANITIZER[1:], *command], os.environ)
        heard["sanitizer"] = dict(Counter(NUMBER.sub("…", one["text"]) for one in SAYS.finditer("".join(told))))
    return heard


def _start(said: list[str]) -> Callable[[Sequence[str], Mapping[str, str]], int]:
    """Return what runs a command, and notes what it says."""

    def start(command: Sequence[str], environ: Mapping[str, str]) -> int:
        with tempfile.TemporaryFile() as file:
            status = limited(command, environ, TIMEOUT, file)
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
        return status

    return start


def _what(kind: str, text: str) -> str:
    """Return what a finding is about: a rule, or the kind of an object."""
    rule = RULE.search(text)
    if rule is not None:
        return rule[1]
    head = text.partition("\n")[0]
    return head.partition(" of process")[0] if kind != UNDEFINED else head


def visited() -> dict[str, Any]:
    """Return what is said of each program on this machine's card."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile.toml"
        if probe(["-o", str(profile)]):
            sys.exit("python -m tools.museum --card needs a card: see docs/gpu.md")
        names = [id_of(exhibit, variant, fixed=fixed) for exhibit, variant, fixed in programs()]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            heard = dict(zip(names, pool.map(lambda name: _outside(name, profile), names), strict=True))
        device = profiles.load(profile).devices[0].name
    return {"card": device, "driver": kernel_driver(), "programs": heard}


def _outside(name: str, profile: Path) -> Any:
    """Run :func:`inside` in a process of its own."""
    tool = shutil.which(SANITIZER[0]) or ""
    command = [sys.executable, "-m", "tools.museum", "--inside", name, "--profile", str(profile), "--sanitizer", tool]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if not done.returncode else {"failed": (done.stdout + done.stderr)[-300:]}


def unseen(programs: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each program that was not compared as a whole, if the reason is outside of its calls.

    Args:
        programs: What was heard of each.
    """
    for name, told in programs.items():
        if "needs" in told:
            yield f"{name}: needs {told['needs']}"
        elif "failed" in told:
            yield f"{name}: did not run: {told['failed']}"
        elif told.get("lost"):
            yield f"{name}: not all was seen: {told['lost']}"


def agreed(exhibit: Exhibit) -> str:
    """Return which programs of an exhibit a card has answered as the model does, as a sentence; nothing for none."""
    heard = heard_of()
    names = [
        f"`{variant}` {'fixed' if fixed else 'faulty'}"
        for variant in exhibit.programs
        for fixed in (False, True)
        if ran(exhibit, variant) and agrees(heard["programs"].get(id_of(exhibit, variant, fixed=fixed), {}))
    ]
    if not names:
        return ""
    return f"An {heard['card']} with driver {heard['driver']} answered every call as here in {', '.join(names)}."


def ran(exhibit: Exhibit, variant: str) -> bool:
    """Return whether the two programs of a variant have run on a card, and the fixed one did not fail."""
    told = heard_of()["programs"].get(id_of(exhibit, variant, fixed=True), {})
    return bool(told.get("answers")) and not told["status"]


def agrees(told: Mapping[str, Any]) -> bool:
    """Return whether a card has answered every call of a program as the model does, from what was heard of it."""
    return bool(told.get("answers")) and not (told["differ"] or told["ended"] or told["skipped"] or told.get("lost"))


@cache
def heard_of() -> dict[str, Any]:
    """Return what :data:`HEARD` has."""
    return dict(json.loads(HEARD.read_text()))
