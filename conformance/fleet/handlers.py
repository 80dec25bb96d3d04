"""Handlers of slices in a helper process, one for each kind of slice.

A helper is told once what stands for the card (``given``): ``target`` (``real``, ``model``, or ``alone`` for checks of the
model), ``profile`` (a name) and ``text`` (a probed profile's TOML, or empty), ``planted`` bugs of a model, ``library``,
``cudart`` and ``limit`` of a driver, ``seed``, ``machine``, ``chapters``. With each slice comes what others know: ``seen``, ``lacking``
and ``examples``.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field
from hypothesis import Phase
from hypothesis.database import InMemoryExampleDatabase

import conformance
from conformance.fleet.slices import (
    AGAIN,
    AGREES,
    DESCRIBE,
    DIFFERS,
    EXAMPLES,
    OTHERWISE,
    PROBE,
    RECORD,
    SEARCH,
    UNASKED,
)
from conformance.fuzz.programs import DRIVER, RUNTIME, SLICE, draw, slice_seed
from conformance.record import recorder
from conformance.record.recording_plan import Task
from conformance.runner.checks import text_of
from conformance.search.journal import Journal, told_of
from conformance.search.planted import Card
from conformance.search.process_pool import Stable
from conformance.search.searcher import Searcher
from conformance.search.workers import draw as draw_programs
from conformance.targets.divergences import load
from conformance.targets.target import Target
from fakecuda import profiles
from fakecuda.profiles import HERE as PROFILES
from fakecuda.spec.codes import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.profiles import Profile

    Begin = Callable[[int], None]

REAL, MODEL, ALONE = "real", "model", "alone"
KINDS = {kind.name: kind for kind in (DRIVER, RUNTIME)}
"""The state machines that also run on a driver."""
SMALLER = (Phase.reuse, Phase.generate, Phase.shrink)
SHRINKING = 60.0
"""Seconds that must remain to shrink a program."""
SHARED = 50
"""The maximum number of state machine examples to pass on."""
FOREVER = float("inf")
OF_A_CHECKOUT = {"pyproject.toml", "hatch_build.py"}
"""Files that the wheels do not contain."""


@define
class Helper:
    """The state of a helper process.

    Attributes:
        given: What it was told.
    """

    given: dict[str, Any]
    _profile: Profile | None = field(default=None, init=False)
    _machine: Any = field(default=None, init=False)
    _searcher: Searcher | None = field(default=None, init=False)
    _recorder: bool = field(default=False, init=False)

    @property
    def profile(self) -> Profile:
        """The model's profile."""
        if self._profile is None:
            self._profile = profiles.load(self.path())
        return self._profile

    def path(self) -> str:
        """The name of the profile, or the file of a probed profile."""
        if not self.given["text"]:
            return str(self.given["profile"])
        path = Path(tempfile.gettempdir(), f"fleet-{os.getpid()}-{zlib.crc32(self.given['text'].encode())}.toml")
        if not path.exists():
            path.write_text(self.given["text"], encoding="utf-8")
        return str(path)

    @property
    def machine(self) -> Any:
        """The card: a driver's machine, or a model in its place."""
        if self._machine is None:
            if self.given["target"] == REAL:
                import realcuda  # noqa: PLC0415 - a model needs none of it

                told = {name: self.given[name] for name in ("library", "cudart", "limit")}
                self._machine = realcuda.Machine(preloaded=("cuda.bindings.driver",), **told)
            else:
                self._machine = Card(self.profile, tuple(self.given["planted"]))
        return self._machine

    def target(self) -> Target:
        """The target of the suite's checks."""
        if self.given["target"] == ALONE:
            return Target("model", self.profile)
        return Target("both", self.profile, self.machine, load())

    @property
    def searcher(self) -> Searcher:
        """The searcher, which draws programs and asks the card."""
        if self._searcher is None:
            stable = Stable(self.machine)
            driver = self.profile.driver_version
            chapters = tuple(self.given.get("chapters", ()))
            self._searcher = Searcher(self.profile, stable, self.given["seed"], driver, load(), chapters)
        return self._searcher

    def handle(
        self, kind: str, items: list[Any], shared: dict[str, Any], begin: Begin, seconds: float
    ) -> dict[str, Any]:
        """Run a slice, and return its results.

        Args:
            kind: The slice's kind.
            items: What it consists of.
            shared: What other slices have found.
            begin: Takes the place of each item that begins.
            seconds: How long it has.
        """
        until = time.time() + seconds
        return HANDLERS[kind](self, items, shared, begin, until)

    def close(self) -> None:
        """End the processes of the card."""
        if self._searcher is not None:
            self._searcher.close()
        if self._machine is not None:
            self._machine.close()


def describe(helper: Helper, _: list[Any], __: dict[str, Any], begin: Begin, ___: float) -> dict[str, Any]:
    """Return the kind of machine of this host, and the hash of its code."""
    begin(0)
    told = {"host": socket.gethostname(), "code": code()}
    if helper.given["target"] != REAL:
        return {**told, "machine": helper.given["profile"]}
    from realcuda import available  # noqa: PLC0415 - a model needs none of it

    if reason := available(helper.given["library"]):
        raise RuntimeError(reason)
    process = helper.machine.spawn()
    try:
        answers = [process.c.cuInit(0), process.c.cuDeviceGetName(256, 0)]
    finally:
        process.kill()
    if refused := next((answer[0] for answer in answers if answer[0]), 0):
        msg = f"the driver answers {name_of(refused)}"
        raise RuntimeError(msg)
    name = answers[1][1]
    text = name.partition(b"\0")[0].decode() if isinstance(name, bytes) else str(name)
    return {**told, "machine": f"{text}, driver {helper.machine.driver_version}"}


def code() -> str:
    """Return a hash of the suite's and the product's code on the host."""
    digest = 0
    for root in (Path(profiles.__file__).parents[1], conformance.SUITE):
        for path in sorted([*root.rglob("*.py"), *root.rglob("*.toml")]):
            if path.name in OF_A_CHECKOUT:
                continue
            digest = zlib.crc32(path.read_bytes(), zlib.crc32(path.relative_to(root).as_posix().encode(), digest))
    return f"{digest:08x}"


def probe(helper: Helper, _: list[Any], __: dict[str, Any], begin: Begin, ___: float) -> dict[str, Any]:
    """Return the probed profile of a group of GPUs."""
    begin(0)
    if helper.given["target"] != REAL:
        path = PROFILES / f"{helper.given['profile']}.toml"
        return {"profile": helper.given["profile"], "text": path.read_text(encoding="utf-8") if path.exists() else ""}
    from realcuda.probe import Probe  # noqa: PLC0415 - likewise
    from realcuda.toml import render  # noqa: PLC0415 - likewise

    document = Probe(helper.machine).document("")
    return {"profile": document["name"], "text": render(document)}


def search(helper: Helper, items: list[Any], shared: dict[str, Any], begin: Begin, until: float) -> dict[str, Any]:
    """Draw programs; return what they reached, their differences and the rest."""
    searcher = helper.searcher
    searcher.lacking |= set(shared.get("lacking", ()))
    for *codes, count in shared.get("seen", ()):
        searcher.seen[tuple(codes)] = max(searcher.seen.get(tuple(codes), 0), count)
    places = {number: place for place, number in enumerate(items)}
    begun = time.monotonic()
    block = draw_programs(searcher, items, lambda number: begin(places.get(number, -1)), until)
    journal = Journal(helper.given["seed"], helper.given["machine"], seconds=time.monotonic() - begun)
    journal.take(block)
    journal.reached.pairs.clear()  # most of all there is, and nobody tells it
    journal.slowest.clear()  # likewise
    return {
        "journal": journal.as_json(),
        "lacking": sorted(block.lacking),
        "left": list(range(block.reached.programs, len(items))),
    }


def again(helper: Helper, items: list[Any], _: dict[str, Any], begin: Begin, until: float) -> dict[str, Any]:
    """Return the differences of other hosts as they are on this one."""
    verdicts = []
    for place, item in enumerate(items):
        if time.time() >= until:
            break
        begin(place)
        told = told_of(item)
        searcher = helper.searcher
        before = dict(searcher.problems)
        found, codes = searcher.asked(told.steps, told.answers, fresh=True)
        led = codes[: len(told.steps) - 1] == [answer["code"] for answer in told.answers[:-1]]
        if found is not None:
            same = found.key.codes == told.key.codes
            verdicts.append([DIFFERS if same else OTHERWISE, found.key.card])
        elif codes and (not led or len(codes) < len(told.steps)):
            verdicts.append([UNASKED, "a call that leads there answers otherwise here"])
        elif searcher.problems != before:
            odd = [one for one, count in searcher.problems.items() if count != before.get(one, 0)]
            verdicts.append([UNASKED, "; ".join(odd)])
        else:
            verdicts.append([AGREES, told.key.model])
    return {"verdicts": verdicts, "left": list(range(len(verdicts), len(items)))}


def drawn(helper: Helper, items: list[Any], shared: dict[str, Any], begin: Begin, until: float) -> dict[str, Any]:
    """Draw state machine programs, earlier failures first; return shrunk failures."""
    database = InMemoryExampleDatabase()
    for key, values in shared.get("examples", {}).items():
        for value in values:
            database.save(bytes.fromhex(key), bytes.fromhex(value))
    given = {key: set(values) for key, values in database.data.items()}
    failures, left, steps = [], [], 0
    for place, (name, seed) in enumerate(items):
        if time.time() >= until:
            left.append(place)
            continue
        begin(place)
        kind = KINDS[name]
        number = slice_seed(helper.given["seed"], kind, seed)
        try:
            phases = SMALLER if until - time.time() > SHRINKING else SMALLER[:-1]
            steps += draw(kind, helper.target(), number, SLICE, phases, database).counts["steps"]
        except Exception as error:  # noqa: BLE001 - whatever fails is told
            failures.append([name, text_of(error)])
    found = {
        key.hex(): sorted(value.hex() for value in values - given.get(key, set()))[:SHARED]
        for key, values in database.data.items()
        if not key.endswith((b".secondary", b".pareto"))
    }
    return {
        "failures": failures,
        "steps": steps,
        "left": left,
        "examples": {key: values for key, values in found.items() if values},
    }


def record(helper: Helper, items: list[Any], _: dict[str, Any], begin: Begin, until: float) -> dict[str, Any]:
    """Record the card's answers to recorder tasks."""
    if not helper._recorder:  # noqa: SLF001 - its own
        given = helper.given
        target = REAL if given["target"] == REAL else MODEL
        recorder.start_worker(
            recorder.Setup(target, given["library"], given["cudart"], helper.path(), FOREVER, given["limit"])
        )
        helper._recorder = True  # noqa: SLF001 - likewise
    programs, problems, left = [], [], []
    for place, item in enumerate(items):
        if time.time() >= until:
            left.append(place)
            continue
        begin(place)
        made, odd = recorder.work(Task(**{**item, "numbers": tuple(item["numbers"])}))
        programs += [asdict(one, recurse=False) for one in made]
        problems += odd
    return {"programs": programs, "problems": problems, "left": left}


HANDLERS: dict[str, Callable[[Helper, list[Any], dict[str, Any], Begin, float], dict[str, Any]]] = {
    DESCRIBE: describe,
    PROBE: probe,
    SEARCH: search,
    AGAIN: again,
    EXAMPLES: drawn,
    RECORD: record,
}
"""Handlers of a helper without the collected suite."""
