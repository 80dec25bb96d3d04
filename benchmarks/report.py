"""One table of what must stay fast, against its limits: ``python -m benchmarks.report``.

The yardstick for calls is ``MagicMock(spec=cuda.bindings.driver)``, what tests without a simulator use; for those that
programs make most it is ``MagicMock()``, too. What cannot be measured here is a row that says why. The exit status is 1
when something is over its limit. ``--once`` does a single round of each benchmark: it tells that they run, and holds
nothing against a limit.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from importlib import import_module
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.progress import Progress
from fakecuda.rules.registry import DRIVER

from .copies import LIMIT as COPY_LIMIT
from .copies import SIZE, copies
from .effort import EFFORT
from .measure import LIVE, SAMPLE, Calls, Loaded, first, fixture, in_turn, machine, seconds
from .races import races

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLUGIN_LIMIT = 20e-3
MACHINE_LIMIT = 300e-6
FIXTURE_LIMIT = 500e-6
FIRST_LIMIT = 0.3
DOOR_LIMIT = 0.8e-6
GROWTH_LIMIT = 1.5
VISITS = 60
"""How often each sampled position is visited: what else runs empties the caches, so that the best of many is told."""
SHORT, MANY = 200, 200
"""Calls of a run, and runs, where the difference of two times is told."""
MACHINES = 50
UNITS = {"µs": 1e6, "ms": 1e3, "s": 1.0}
COMMANDS = {
    "conform, seconds of two cores": (("-m", "fakecuda", "conform"), 30.0),
    "the tests, seconds of two cores": (("-m", "pytest", "-q", "-n", "auto"), 300.0),
}
"""The commands that a newcomer tries, and what they may take."""
CORES = 2
HEADINGS = ("what", "value", "limit", "")


@frozen
class Row:
    """A line of the table.

    Attributes:
        what: What was measured.
        value: The time or the ratio, or why there is none.
        limit: What it may be at most, or nothing.
        within: Whether it is; None where there is no limit or no value.
    """

    what: str
    value: str
    limit: str = ""
    within: bool | None = None

    @property
    def verdict(self) -> str:
        """The last column."""
        return "" if self.within is None else "ok" if self.within else "OVER THE LIMIT"


def ratio(what: str, value: float, limit: float | None = None) -> Row:
    """Return the row of a ratio."""
    return Row(what, f"{value:.2f}", "" if limit is None else f"{limit:.2f}", None if limit is None else value <= limit)


def time(what: str, value: float, limit: float | None = None, unit: str = "µs") -> Row:
    """Return the row of a time in seconds, shown in microseconds, milliseconds or seconds."""
    scale = UNITS[unit]
    shown = f"{value * scale:.2f} {unit}"
    most = "" if limit is None else f"{limit * scale:g} {unit}"
    return Row(what, shown, most, None if limit is None else value <= limit)


def machines() -> Iterator[Row]:
    """Yield what the plugin costs a run that does not use it, and a machine its test or its interpreter, all of CPU."""
    plugin = first("import fakecuda.plugin", before="import pytest")
    yield time("the plugin, imported after pytest", plugin, PLUGIN_LIMIT, "ms")
    yield time(
        "a machine, set up and taken down", seconds(machine, number=MACHINES, timer=process_time), MACHINE_LIMIT, "ms"
    )
    yield time("a machine by the fixture", seconds(fixture, number=MACHINES, timer=process_time), FIXTURE_LIMIT, "ms")
    alone = "import fakecuda; fakecuda.Machine()"
    yield time("the first machine of an interpreter", first(alone), FIRST_LIMIT, "s")
    installed = "import fakecuda; fakecuda.machine().__enter__()"
    yield time("the first machine of an interpreter, by the fixture", first(installed), FIRST_LIMIT, "s")


def commands() -> Iterator[Row]:
    """Yield what the commands take that a newcomer tries; on more cores as much longer as there are more."""
    for what, (arguments, limit) in COMMANDS.items():
        begun = perf_counter()
        ended = subprocess.run([sys.executable, *arguments], check=False)  # noqa: S603 - our own interpreter
        taken = (perf_counter() - begun) * (os.cpu_count() or CORES) / CORES
        row = time(what, taken, limit, "s")
        yield (
            row
            if not ended.returncode
            else Row(what, f"{row.value}, exit status {ended.returncode}", row.limit, within=False)
        )


def growth() -> Iterator[Row]:
    """Yield what calls take among many allocations, by what they take among few."""
    few, *others = LIVE
    with Loaded(few) as base:
        for count in others:
            with Loaded(count) as loaded:
                for name in ("look_up", "replace"):
                    taken = in_turn(
                        {"few": getattr(base, name), "many": getattr(loaded, name)}, number=SAMPLE, repeats=VISITS
                    )
                    what = f"{name.replace('_', '-')} among {count:,} allocations / among {few:,}"
                    yield ratio(what, taken["many"] / taken["few"], GROWTH_LIMIT)


def operations() -> Iterator[Row]:
    """Yield what single calls take through ``Op.invoke``."""
    with Loaded(1) as loaded:
        calls = Calls(loaded.thread)
        yield time("getter, Op.invoke", seconds(calls.getter))
        yield time("alloc and free, Op.invoke", seconds(lambda: calls.free(calls.alloc())))
        yield time("map and unmap, Op.invoke", seconds(calls.map_and_unmap))


def bytes_moved() -> Iterator[Row]:
    """Yield what copies of a mebibyte take through the look-alike, by what memmove takes between the same buffers."""
    for name, value in copies():
        yield ratio(f"{name}, {SIZE >> 20} MiB / memmove", value, COPY_LIMIT)


def order() -> Iterator[Row]:
    """Yield what calls take where the order of accesses is looked at, by what they take where it is not."""
    for name, value, limit in races():
        yield ratio(f"{name}, races=True / races=False", value, limit)


def look_alike() -> Iterator[Row]:
    """Yield what each modelled call takes through the look-alike, by what it takes on a mock of the binding."""
    if not _bindings():
        yield Row("look-alike / mock", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from .calls import LIMIT, PLAIN, SYSTEM, LookAlike  # noqa: PLC0415 - it needs the binding

    for name, limit in PLAIN.items():
        with LookAlike() as timed:
            call, mock = timed.against_the_mock(name, None)
            what = f"{name}, look-alike ({call * 1e6:.2f} µs) / mock without a spec ({mock * 1e6:.1f} µs)"
            yield ratio(what, call / mock, limit)
    for name in sorted(DRIVER.ops):
        with LookAlike() as timed:
            call, mock = timed.against_the_mock(name)
            yield ratio(
                f"{name}, look-alike ({call * 1e6:.2f} µs) / mock ({mock * 1e6:.1f} µs)",
                call / mock,
                SYSTEM.get(name, LIMIT),
            )


def above() -> Iterator[Row]:
    """Yield what calls of the runtime API and of HIP take above the driver's that do the same, through the look-alikes."""
    if not _bindings():
        yield Row("runtime - driver", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from .beneath import LIMIT, STRUCTS, above_the_driver  # noqa: PLC0415 - it needs the binding

    for name, under, upper, lower in above_the_driver():
        what = f"{name} ({upper * 1e6:.2f} µs) - {under} ({lower * 1e6:.2f} µs), {upper / lower:.2f} times"
        yield time(what, upper - lower, STRUCTS.get(name, LIMIT))


def native() -> Iterator[Row]:
    """Yield what the native door adds to an operation, the binding's own share included."""
    if importlib.util.find_spec("fakecuda.reach.native.door") is None or not _bindings():
        yield Row("native door - Op.invoke", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from fakecuda.reach.native.door import attach, detach  # noqa: PLC0415 - it loads a library

    with Machine() as simulated:
        try:
            attach(simulated)
        except FakeCudaError as error:
            yield Row("native door - Op.invoke", str(error))
            return
        try:
            yield from _through(simulated)
        finally:
            detach(simulated)


def _through(simulated: Machine) -> Iterator[Row]:
    """Yield the same calls through the binding and by ``Op.invoke``."""
    driver = import_module("cuda.bindings.driver")

    if _prepared(driver) is None:
        yield Row("native door - Op.invoke", "the door does not answer yet")
        return
    thread = simulated.here.current_thread()
    for name, args in {"cuDriverGetVersion": (), "cuDeviceGetCount": (), "cuMemGetInfo": ()}.items():
        taken = in_turn(
            {
                "door": _calling(getattr(driver, name), args),
                "op": _calling(DRIVER.ops[name].invoke, (thread.call, *args)),
            },
            # Short runs, and many: a difference of two times shows what else the machine does.
            number=SHORT,
            repeats=MANY,
        )
        yield time(f"{name}, native door - Op.invoke", taken["door"] - taken["op"], DOOR_LIMIT)


def shared() -> Iterator[Row]:
    """Yield what calls and copies of attached OS processes take."""
    from . import shared as measured  # noqa: PLC0415 - the other parts do without

    idle, busy = measured.round_trips()
    yield time("getter of an attached process, owner idle", idle, measured.IDLE)
    yield time("getter of an attached process, owner running Python", busy, measured.BUSY)
    yield time("attaching, the first call included", measured.attachment(), measured.ATTACH)
    asked, answered, unequal = measured.many()
    yield Row(f"calls lost of {asked:,} of {measured.MANY} processes", str(asked - answered), "0", asked == answered)
    yield ratio("slowest of these processes / fastest", unequal, measured.FAIR)
    yield time("longest call beside a process that is stopped", measured.beside_a_stopped_one(), measured.DELAY, "ms")
    for name, value in measured.copies().items():
        yield ratio(f"{name}, {measured.SIZE >> 20} MiB / memmove", value, 1 / measured.SHARE)


def pages() -> Iterator[Row]:
    """Yield what a page of the session costs tests that pass."""
    from . import pages as measured  # noqa: PLC0415 - likewise

    more, each = measured.page()
    yield ratio("a suite that passes, --fakecuda-html / without", more, measured.LIMIT)
    yield time("what each of its tests takes more", each)


def left() -> Iterator[Row]:
    """Yield what a test that leaves something behind costs, in a large suite and by one of a small suite."""
    if not _bindings():
        yield Row("a test that leaves a context behind", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from . import left_behind as measured  # noqa: PLC0415 - the other parts do without

    more, grown = measured.left_behind()
    yield time(f"a context left behind in a suite of {measured.LARGE:,} tests", more, measured.LIMIT, "ms")
    yield ratio(f"a leaking test of {measured.LARGE:,} / of {measured.SMALL}", grown, measured.GROWTH)


def _bindings() -> bool:
    return bool(importlib.util.find_spec("cuda")) and importlib.util.find_spec("cuda.bindings") is not None


def _prepared(door: Any) -> Any:
    """Return a new current context, or None where the door does not lead anywhere yet."""
    try:
        door.cuInit(0)
        error, context = door.cuCtxCreate(None, 0, 0)
    except (AttributeError, TypeError):
        return None
    return None if error else context


def _calling(call: Callable[..., object], args: tuple[Any, ...]) -> Callable[[], object]:
    return lambda: call(*args)


def table(rows: list[Row]) -> str:
    """Return the rows as text in columns."""
    cells = [HEADINGS, *((row.what, row.value, row.limit, row.verdict) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([shown[0], "-" * len(max(shown, key=len)), *shown[1:], ""])


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "machines": machines,
    "growth": growth,
    "operations": operations,
    "copies": bytes_moved,
    "races": order,
    "look-alike": look_alike,
    "above": above,
    "native": native,
    "shared": shared,
    "pages": pages,
    "left": left,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, and return 1 when something is over its limit."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all by default: {', '.join(PARTS)}")
    parser.add_argument("--once", action="store_true", help="a single round of each benchmark, without limits")
    parser.add_argument("--commands", action="store_true", help="time conform and the tests, too: minutes")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"there is no part {min(unknown)!r}: use some of {', '.join(PARTS)}")
    chosen = [PARTS[name] for name in options.parts or PARTS] + [commands] * options.commands
    EFFORT.once = options.once
    rows: list[Row] = []
    bar = Progress(len(chosen))
    bar.show()
    try:
        for part in chosen:
            for row in part():
                rows.append(row)
                bar.show(row.what)
            bar.add()
        bar.show()
    finally:
        EFFORT.once = False
        bar.end()
    if options.once:
        rows = [evolve(row, limit="", within=None) for row in rows]
    sys.stdout.write(table(rows))
    return int(any(row.within is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
