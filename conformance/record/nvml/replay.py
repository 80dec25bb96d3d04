"""What the model answers to the calls that cards were asked, through C, and which rules these break."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.record.nvml.ask import Answer, Asker
from fakecuda.rules.nvml.field import ENERGY_FIELD
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import CRASH, Nvml

if TYPE_CHECKING:
    from collections.abc import Iterator

    import fakecuda
    from fakecuda import Rule

FOLDER = Path(__file__).parents[2] / "data" / "nvml"
FILE = FOLDER / "h200-x2.json"
"""The recording that tells of rules."""
MACHINES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
"""The profiles of the machines that have been asked."""
NAME = "nvml"
"""What programs of the recording are named by, ``nvml/handles``."""
FIELDS = "nvmlDeviceGetFieldValues", "nvmlDeviceClearFieldValues"
WHEN = slice(8, 24)
"""Where a nvmlFieldValue_t tells when the value was had, and how long that took."""
ACCEPTED = {
    **dict.fromkeys(
        ("nvmlDeviceGetDriverModel", "nvmlDeviceGetDriverModel_v2", "nvmlDeviceGetGpuOperationMode"),
        "it looks at no result where the card has nothing to tell; the model looks at both first",
    ),
    "nvmlDeviceGetAutoBoostedClocksEnabled": "it looks at the first result only",
    "nvmlDeviceGetLastBBXFlushTime": "it looks at no result while the card is not ready",
    "nvmlDeviceGetMinMaxClockOfPState": "either result may be left out",
}
"""Calls with null results that the model refuses and the library does not, or otherwise."""
PAST_THE_END = frozenset({"nvmlDeviceGetSupportedPerformanceStates"})
"""Calls that write more than there is room for; the model does not."""
OWN = {
    *("nvmlDeviceGetUUID", "nvmlDeviceGetSerial", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2"),
    *("nvmlDeviceGetBAR1MemoryInfo", "nvmlDeviceGetCpuAffinity", "nvmlDeviceGetCpuAffinityWithinScope"),
    *(
        "nvmlDeviceGetModuleId",
        "nvmlDeviceGetPcieThroughput",
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetThermalSettings",
    ),
    *("nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetTemperature", "nvmlDeviceGetSamples"),
    *("nvmlDeviceGetPlatformInfo", "nvmlDeviceGetViolationStatus", "nvmlDeviceGetMarginTemperature"),
    *("nvmlDeviceGetPdi", "nvmlDeviceGetBoardPartNumber", "nvmlSystemGetTopologyGpuSet"),
}
"""Calls whose results are each card's or each machine's own, or depend on what the cards were used for before."""
FILL = "a5a5a5a5"


@frozen
class Row:
    """A call that cards were asked.

    Attributes:
        recorded: What they answered.
        answer: What the model answers.
        rule: The rule that it breaks; None for a success.
    """

    recorded: Answer
    answer: Answer
    rule: Rule | None

    @property
    def differs(self) -> bool:
        """Whether the model answers otherwise, in what is compared."""
        return told(self.answer) != told(self.recorded)

    @property
    def code(self) -> int:
        """What the cards answered; CRASH where the process ended."""
        code = self.recorded[2]
        return CRASH if code == "crash" else int(code)


@cache
def recording(of: str = FILE.stem) -> dict[str, Any]:
    """Return what two cards have answered: two H200, or those of another machine that has been asked."""
    found: dict[str, Any] = json.loads((FOLDER / f"{of}.json").read_text())
    return found


def programs(of: str = FILE.stem) -> dict[str, list[Answer]]:
    """Return by program the answers to calls that are modelled, of programs that make such calls."""
    modelled = {name: [row for row in rows if row[0] in NVML.ops] for name, rows in recording(of)["programs"].items()}
    return {name: rows for name, rows in modelled.items() if any(row[1] for row in rows)}


def replay(name: str, machine: fakecuda.Machine | None = None, of: str = FILE.stem) -> Iterator[Row]:
    """Make the calls of a program in this process.

    Args:
        name: The program.
        machine: The machine that the calls arrive at, to tell the rules; None where another process owns it.
        of: Which machine has been asked.
    """
    asker = Asker()
    for recorded in programs(of)[name]:
        before = len(machine.calls) if machine else 0
        answer = asker.ask(recorded[0], recorded[1])
        made = islice(machine.calls, before, None) if machine else ()
        # The asker makes calls of its own, for handles: none of them is of that name, but behind it.
        rule = next((call[5] for call in made if call[1].name == recorded[0]), None)
        yield Row(recorded, answer, rule)


def told(row: Answer) -> list[Any]:
    """Return what of an answer is compared: the code, and what a success has written."""
    name, arguments, code, outs = row
    if name in ACCEPTED and ["null"] in arguments:
        return []
    if name in FIELDS and code == 0 and outs[0]:
        content = bytearray(bytes.fromhex(outs[0]))
        content[WHEN] = bytes(16)
        if content[0] == ENERGY_FIELD:
            return [code, content[24:32].hex()]
        if content[28:32] != bytes(4):
            return [code, content[28:32].hex()]
        return [code, content.hex().rstrip("0")]
    if code == "crash":
        return [int(Nvml.INVALID_ARGUMENT)]
    if name in PAST_THE_END and code == int(Nvml.INSUFFICIENT_SIZE):
        return [code]
    if code not in {0, int(Nvml.INSUFFICIENT_SIZE)} or name in OWN:
        return [code]
    return [code, *(out.replace(FILL, "0" * 8).rstrip("0") for out in outs)]


@cache
def heard() -> tuple[tuple[str, str, int, str], ...]:
    """Return what the recording tells of rules: the rule's id, the call that broke it, the cards' code and the program.

    Where the model differs, and where it refuses what the library takes, nothing is told.
    """
    from fakecuda import machine  # noqa: PLC0415 - who only compares needs no machine

    found = []
    for name in programs():
        with machine("h200-x2", strict=False) as made:
            while made.here.nvml.references:  # a client of this process may have left some
                made.here.nvml.shut_down()
            found += [
                (row.rule.id, row.recorded[0], row.code, f"{NAME}/{name}")
                for row in replay(name, made)
                if row.rule and not row.differs and row.code and told(row.recorded)
            ]
    return tuple(dict.fromkeys(found))
