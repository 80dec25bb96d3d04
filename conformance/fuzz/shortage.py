"""Calls where something has run out: ``python -m conformance.fuzz.shortage [PATTERN]``.

A valid call of each kind is made on a model whose devices have no free memory left, or little, whose process has used up its
device addresses, or whose machine holds no more bytes (``memory_cap``). It succeeds, or it is refused and has changed nothing;
behind it the machine is whole.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.fuzz.interrupts import HOSTED, World, calls
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import harm, is_held, tell
from conformance.kit.world import NotBuilt, Unavailable
from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    from collections.abc import Callable

LITTLE = 3 << 20
"""The bytes left in a shortage: more than one granule, less than two."""
CAP = 1 << 12
"""The bytes that a machine at its limit may still write."""


def _no_memory(world: World) -> None:
    _leave(world, 0)


def _little_memory(world: World) -> None:
    _leave(world, LITTLE)


def _leave(world: World, leaving: int) -> None:
    for device in range(len(world.machine.devices)):
        world.machine.exhaust_memory(device, leaving)
    for memory in (world.machine.pinned, world.machine.managed):
        memory.total = min(memory.total, memory.used + leaving)


def _no_addresses(world: World) -> None:
    world.machine.exhaust_addresses(world.process)


def _capped(world: World) -> None:
    machine: Any = world.machine
    for memory in (*(device.memory for device in (*machine.devices, machine.host)), machine.pinned, machine.managed):
        memory.cap = CAP


SHORTAGES: dict[str, Callable[[World], None]] = {
    "no memory": _no_memory,
    "little memory": _little_memory,
    "no addresses": _no_addresses,
    "no more bytes": _capped,
}
"""Kinds of shortages, with functions that cause them."""


def exhaust(call: str) -> Trials:
    """Make a valid call under each shortage.

    Args:
        call: The call.

    Raises:
        NotBuilt: It cannot be made valid.
        Unavailable: The machine lacks what it needs.
    """
    trials = Trials(Counter(calls=1))
    for shortage, bring in SHORTAGES.items():
        world = World.of(call)
        bring(world)
        before = world.machine.snapshot()
        try:
            answer: Any = world.call()[0]
        except FakeCudaError as error:  # the simulator's own bound, which says what to raise
            answer = type(error).__name__
        except Exception as error:  # noqa: BLE001 - whatever else comes is what is looked for
            answer = type(error).__name__
            trials.wrong.append(f"{call} with {shortage}: {error!r}")
        trials.outcomes[f"{shortage}: {answer}"] += 1
        if answer:
            trials.counts[f"refused with {shortage}"] += 1
        if answer and call.removesuffix("_spt") not in HOSTED and world.machine.snapshot() != before:
            trials.wrong.append(f"{call} with {shortage}: answers {answer} and has changed something")
        trials.wrong += [f"{call} with {shortage}: {line}" for line in harm(world.machine)]
        if not is_held(world.machine):
            world.machine.close()
    return trials


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.shortage", description=__doc__.partition("\n")[0])
    parser.add_argument("pattern", nargs="?", default="", help="text in the names of the calls")
    options = parser.parse_args()
    if not calls(options.pattern):
        parser.error(f"no call has {options.pattern!r} in its name")
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for call in calls(options.pattern):
        try:
            trials = exhaust(call)
        except (NotBuilt, Unavailable):
            counts["calls that this machine cannot make"] += 1
            continue
        counts.update(trials.counts)
        wrong += trials.wrong
    return tell(counts, wrong)


if __name__ == "__main__":
    sys.exit(main())
