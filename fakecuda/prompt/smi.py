"""A machine's cards as nvidia-smi prints them: ``python -m fakecuda smi``.

All values come from NVML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.spec.codes import Nvml
from fakecuda.spec.nvml import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.machine.machine import Machine
    from fakecuda.reach.process import Process

WIDTHS = 41, 24, 22
"""Widths of the columns, in characters."""
MODES = {0: "Default", 1: "E. Thread", 2: "Prohibited", 3: "E. Process"}
MEMORY_V2 = 2 << 24 | 40
ROOM = 96
"""Size of the buffer for a text, in bytes."""


class NoNvml(Exception):  # noqa: N818 - a fact about a machine
    """An exception: the machine has no NVML; the text has nvmlInit's answer."""


def table_of(machine: Machine) -> str:
    """Return the table of a machine's cards.

    Raises:
        NoNvml: The machine has no NVIDIA card.
    """
    process = machine.spawn()
    code = process.c.nvmlInit_v2()[0]
    if code:
        raise NoNvml(text_of(code))
    lines = [
        *_head(process),
        *(line for index in range(_ask(process, "DeviceGetCount_v2")) for line in _card(process, index)),
    ]
    return "\n".join(lines)


def _ask(process: Process, name: str, *args: Any) -> Any:
    """Return a call's result, several results as a tuple.

    The result is None if the call is not supported.
    """
    code, *outs = getattr(process.c, f"nvml{name}")(*args)
    assert code in {Nvml.SUCCESS, Nvml.NOT_SUPPORTED}, f"nvml{name} answers {text_of(code)}"
    return None if code else outs[0] if len(outs) == 1 else tuple(outs)


def _head(process: Process) -> Iterator[str]:
    driver = _ask(process, "SystemGetDriverVersion", ROOM).decode()
    version = _ask(process, "SystemGetCudaDriverVersion")
    text = f"{process.machine.profile.name:<30}Driver Version: {driver:<17}CUDA Version: {version // 1000}.{version % 1000 // 10}"
    yield f"+{'-' * (sum(WIDTHS) + 2)}+"
    yield f"| {text:<{sum(WIDTHS)}} |"
    yield _rule("-", "|", "+")
    yield _row(("GPU  Name", "Persistence-M"), ("Bus-Id", "Disp.A"), ("", "Volatile Uncorr. ECC"))
    yield _row(("Fan  Temp   Perf", "Pwr:Usage/Cap"), ("", "Memory-Usage"), ("GPU-Util", "Compute M."))
    yield _row(("", ""), ("", ""), ("", "MIG M."))
    yield _rule("=", "|", "|")


def _card(process: Process, index: int) -> Iterator[str]:
    card = _ask(process, "DeviceGetHandleByIndex_v2", index)
    name = _ask(process, "DeviceGetName", card, ROOM).decode()
    bus = _ask(process, "DeviceGetPciInfo_v3", card)[6].decode()
    whole, _, _, used = _ask(process, "DeviceGetMemoryInfo_v2", card, MEMORY_V2)
    temperature, state = (
        _ask(process, "DeviceGetTemperature", card, 0),
        _ask(process, "DeviceGetPerformanceState", card),
    )
    power, limit = _ask(process, "DeviceGetPowerUsage", card), _ask(process, "DeviceGetEnforcedPowerLimit", card)
    errors, mig = _ask(process, "DeviceGetTotalEccErrors", card, 1, 0), _ask(process, "DeviceGetMigMode", card)
    busy, _ = _ask(process, "DeviceGetUtilizationRates", card)
    persistent = "On" if _ask(process, "DeviceGetPersistenceMode", card) else "Off"
    split = "N/A" if mig is None else "Enabled" if mig[0] else "Disabled"
    yield _row((f"{index:>3}  {name}", persistent), (bus, "Off"), ("", _or_none(errors)))
    yield _row(
        (
            f"N/A  {_or_none(temperature, 'C'):>4}   {_or_none(state, before='P'):>4}",
            f"{_watts(power)} / {_watts(limit)}",
        ),
        ("", f"{used >> 20}MiB / {whole >> 20}MiB"),
        (f"{busy:>6}%", MODES[_ask(process, "DeviceGetComputeMode", card)]),
    )
    yield _row(("", ""), ("", ""), ("", split))
    yield _rule("-", "+", "+")


def _row(*cells: tuple[str, str]) -> str:
    """Return a line of cells, each with left and right text."""
    texts = (f" {left}{right:>{width - 2 - len(left)}} " for (left, right), width in zip(cells, WIDTHS, strict=True))
    return f"|{'|'.join(texts)}|"


def _rule(character: str, end: str, middle: str) -> str:
    return f"{end}{middle.join(character * width for width in WIDTHS)}{end}"


def _or_none(value: int | None, unit: str = "", *, before: str = "") -> str:
    return "N/A" if value is None else f"{before}{value}{unit}"


def _watts(milliwatts: int | None) -> str:
    return "N/A" if milliwatts is None else f"{milliwatts // 1000}W"
