"""A table of times and ratios with their limits: ``python -m benchmarks.report``.

The yardstick for calls is ``MagicMock(spec=cuda.bindings.driver)``, which tests without a simulator use; for the most
frequent calls it is also ``MagicMock()``. If something cannot be measured here, its row says why. The exit status is 1
if something exceeds its limit. ``--once`` does a single round of each benchmark, without limits, to show that they run.
``--commands`` times a newcomer's commands, and adds the figures to ``benchmarks/history.jsonl``.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from functools import partial
from importlib import import_module
from time import process_time
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.progress import Progress
from fakecuda.rules.registry import DRIVER

from . import commands
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
DOOR_LIMIT = 0.8e-6
GROWTH_LIMIT = 1.5
VISITS = 60
"""Number of visits of each sampled position. Other processes empty the caches, so the best of many counts."""
SHORT, MANY = 200, 200
"""Calls in a run, and runs, for differences of two times."""
MACHINES = 50
UNITS = {"µs": 1e6, "ms": 1e3, "s": 1.0}
HEADINGS = ("what", "value", "limit", "", "before")


@frozen
class Row:
    """A row of the table.

    Attributes:
        what: What was measured.
        value: The time or ratio, or the reason why it is missing.
        limit: The maximum; empty for no limit.
        within: Whether the value is within the limit; None without a limit or value.
        before: Earlier values.
    """

    what: str
    value: str
    limit: str = ""
    within: bool | None = None
    before: str = ""

    @property
    def verdict(self) -> str:
        """The column that marks what is over its limit."""
        return "" if self.within is None else "ok" if self.within else "OVER THE LIMIT"


def ratio(what: str, value: float, limit: float | None = None) -> Row:
    """Return the row of a ratio."""
    return Row(what, f"{value:.2f}", "" if limit is None else f"{limit:.2f}", None if limit is None else value <= limit)


def time(what: str, value: float, limit: float | None = None, unit: str = "µs") -> Row:
    """Return the row of a time in seconds.

    It shows microseconds, milliseconds or seconds.
    """
    scale = UNITS[unit]
    shown = f"{value * scale:.2f} {unit}"
    most = "" if limit is None else f"{limit * scale:g} {unit}"
    return Row(what, shown, most, None if limit is None else value <= limit)


def machines() -> Iterator[Row]:
    """Yield the CPU times of the plugin's import and of making machines."""
    plugin = first("import fakecuda.plugin", before="import pytest")
    yield time("the plugin, imported after pytest", plugin, PLUGIN_LIMIT, "ms")
    yield time(
        "a machine, set up and taken down", seconds(machine, number=MACHINES, timer=process_time), MACHINE_LIMIT, "ms"
    )
    yield time("a machine by the fixture", seconds(fixture, number=MACHINES, timer=process_time), FIXTURE_LIMIT, "ms")


def start() -> Iterator[Row]:
    """Yield the CPU times of whole interpreters."""
    if not _bindings():
        yield Row("start - import of the driver", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    yield from map(_figure, commands.figures([name for name, one in commands.COMMANDS.items() if not one.long]))


def _figure(figure: commands.Figure) -> Row:
    what, status = commands.COMMANDS[figure.name].what, f", exit status {figure.status}" * bool(figure.status)
    return Row(what, f"{figure}{status}", figure.limit, figure.within, commands.before(figure.name))


def newcomers(names: list[str]) -> Iterator[Row]:
    """Yield the CPU times of a newcomer's commands, and add them to the history.

    Args:
        names: Keys of :data:`commands.COMMANDS`.
    """
    for figure in commands.figures(names):
        yield _figure(figure)
        if not EFFORT.once:
            commands.keep(figure)


def growth() -> Iterator[Row]:
    """Yield the times of calls among many allocations, relative to few."""
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
    """Yield the times of single calls through ``Op.invoke``."""
    with Loaded(1) as loaded:
        calls = Calls(loaded.thread)
        yield time("getter, Op.invoke", seconds(calls.getter))
        yield time("alloc and free, Op.invoke", seconds(lambda: calls.free(calls.alloc())))
        yield time("map and unmap, Op.invoke", seconds(calls.map_and_unmap))


def bytes_moved() -> Iterator[Row]:
    """Yield the times of copies of a mebibyte, relative to memmove.

    The copies are made through the look-alike.
    """
    for name, value in copies():
        yield ratio(f"{name}, {SIZE >> 20} MiB / memmove", value, COPY_LIMIT)


def order() -> Iterator[Row]:
    """Yield the times of calls with race detection, relative to without."""
    for name, value, limit in races():
        yield ratio(f"{name}, races=True / races=False", value, limit)


def kernels() -> Iterator[Row]:
    """Yield the times of kernels from their PTX."""
    from .native_kernels import ratios, reason  # noqa: PLC0415 - the other parts do without

    if why := reason():
        yield Row("kernels as native code", why)
        return
    for what, value, limit in ratios():
        yield ratio(what, value, limit)


def look_alike() -> Iterator[Row]:
    """Yield the times of modelled calls through the look-alike, relative to a mock."""
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
    """Yield the additional times of calls above the driver, through the look-alikes."""
    if not _bindings():
        yield Row("runtime - driver", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from .beneath import LIMIT, STRUCTS, above_the_driver  # noqa: PLC0415 - it needs the binding

    for name, under, upper, lower in above_the_driver():
        what = f"{name} ({upper * 1e6:.2f} µs) - {under} ({lower * 1e6:.2f} µs), {upper / lower:.2f} times"
        yield time(what, upper - lower, STRUCTS.get(name, LIMIT))


def native() -> Iterator[Row]:
    """Yield the additional times of the native door, including the binding's share."""
    if importlib.util.find_spec("fakecuda.reach.native.door") is None or not _bindings():
        yield Row("native door - Op.invoke", "cuda-bindings is not installed: pip install 'fakecuda[cuda]'")
        return
    from fakecuda.reach.native.door import attach, detach  # noqa: PLC0415 - it loads a library

    with Machine() as machine:
        try:
            attach(machine)
        except FakeCudaError as error:
            yield Row("native door - Op.invoke", str(error))
            return
        try:
            yield from _through(machine)
        finally:
            detach(machine)


def _through(machine: Machine) -> Iterator[Row]:
    """Yield the times of calls through the binding and through ``Op.invoke``."""
    driver = import_module("cuda.bindings.driver")

    if _prepared(driver) is None:
        yield Row("native door - Op.invoke", "the door does not answer yet")
        return
    thread = machine.here.current_thread()
    for name, args in {"cuDriverGetVersion": (), "cuDeviceGetCount": (), "cuMemGetInfo": ()}.items():
        taken = in_turn(
            {
                "door": _calling(getattr(driver, name), args),
                "op": _calling(DRIVER.ops[name].invoke, (thread.call, *args)),
            },
            # Short runs, and many of them, because other load disturbs a difference of two times.
            number=SHORT,
            repeats=MANY,
        )
        yield time(f"{name}, native door - Op.invoke", taken["door"] - taken["op"], DOOR_LIMIT)


def shared() -> Iterator[Row]:
    """Yield the times of calls and copies of attached OS processes."""
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
    """Yield the cost of the HTML page for passed tests."""
    from . import pages as measured  # noqa: PLC0415 - the other parts do without

    more, each = measured.page()
    yield ratio("a suite that passes, --fakecuda-html / without", more, measured.LIMIT)
    yield time("what each of its tests takes more", each)


def left() -> Iterator[Row]:
    """Yield the cost of a leak for its test.

    It is measured in a large suite and relative to a small one.
    """
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
    """Return a new current context; None if the door leads nowhere yet."""
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
    cells = [HEADINGS, *((row.what, row.value, row.limit, row.verdict, row.before) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    shown = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return "\n".join([shown[0], "-" * len(max(shown, key=len)), *shown[1:], ""])


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "machines": machines,
    "start": start,
    "growth": growth,
    "operations": operations,
    "copies": bytes_moved,
    "races": order,
    "kernels": kernels,
    "look-alike": look_alike,
    "above": above,
    "native": native,
    "shared": shared,
    "pages": pages,
    "left": left,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, and return 1 if something exceeds its limit."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"parts to measure (default: all): {', '.join(PARTS)}")
    parser.add_argument("--once", action="store_true", help="do a single round of each benchmark, without limits")
    parser.add_argument(
        "--commands",
        action="store_true",
        help=f"time commands instead, some or all: {', '.join(commands.COMMANDS)}; conform and the tests take minutes",
    )
    options = parser.parse_args(arguments)
    known = commands.COMMANDS if options.commands else PARTS
    if unknown := set(options.parts) - known.keys():
        parser.error(f"there is no {min(unknown)!r}: use some of {', '.join(known)}")
    names = options.parts or list(known)
    chosen = [partial(newcomers, names)] if options.commands else [PARTS[name] for name in names]
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
        rows = [evolve(row, limit="", within=None, before="") for row in rows]
    sys.stdout.write(table(rows))
    return int(any(row.within is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
