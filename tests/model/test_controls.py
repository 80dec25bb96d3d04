"""What happens to a machine from outside, where no call of a program shows it; what calls answer stands under conformance/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine, Result
from fakecuda.model.os.process import UNSEEN
from fakecuda.rules.driver.context.fault import STICKY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Process

GRANULE = 2 << 20


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine with two devices."""
    with Machine("h200-x2", strict=False) as made:
        yield made


@pytest.fixture
def a(machine: Machine) -> Process:
    """A process with a context on device 0."""
    process = machine.spawn()
    process.c.cuInit(0)
    process.c.cuCtxCreate(None, 0, 0)
    return process


WRONG: dict[str, tuple[Callable[[Machine, Process], None], str]] = {
    "a device": (lambda m, _: m.lose_device(2), "the machine has no device 2: use one of 0, 1"),
    "a negative device": (
        lambda m, _: m.set_compute_mode(-1, "DEFAULT"),
        "the machine has no device -1: use one of 0, 1",
    ),
    "a context": (lambda m, a: m.poison(a, 5), "process a has no context 0x5; contexts of the process: 0x"),
    "no context": (lambda m, _: m.poison(m.spawn(), 5), "process b has no context 0x5; contexts of the process: none"),
    "no process": (
        lambda m, _: m.poison(m.processes, 5),  # type: ignore[arg-type]
        "a simulated process of the machine, such as machine.here",
    ),
    "a code": (lambda m, _: m.lose_device(0, Result.NOT_READY), "is not a sticky code: use one of ASSERT, CONTAINED"),
    "a mode": (
        lambda m, _: m.set_compute_mode(0, "SHARED"),
        "compute mode 'SHARED' is unknown: use one of DEFAULT, PROHIBITED, EXCLUSIVE_PROCESS",
    ),
}


@pytest.mark.parametrize(("act", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_not_there_is_said(
    machine: Machine, a: Process, act: Callable[[Machine, Process], None], said: str
) -> None:
    """In one line, with what there is; nothing has changed."""
    before = machine.snapshot()
    with pytest.raises(FakeCudaError) as caught:
        act(machine, a)
    assert said in str(caught.value)
    if "process b" not in said or "none" not in said:
        assert machine.snapshot() == before


def test_sticky_codes_are_those_of_failed_work() -> None:
    """CUresult says of each that nothing goes on."""
    assert {Result.LAUNCH_FAILED, Result.ILLEGAL_ADDRESS, Result.ECC_UNCORRECTABLE} <= STICKY
    assert not {Result.SUCCESS, Result.INVALID_VALUE, Result.NOT_READY, Result.OUT_OF_MEMORY} & STICKY


def test_the_compute_mode_is_an_attribute(machine: Machine, a: Process) -> None:
    """Of one card, as nvidia-smi sets it; contexts that are there stay."""
    for mode, value in (("PROHIBITED", 2), ("EXCLUSIVE_PROCESS", 3), ("DEFAULT", 0)):
        machine.set_compute_mode(0, mode)
        assert a.c.cuDeviceGetAttribute(20, 0) == (0, value)
        assert a.c.cuDeviceGetAttribute(20, 1) == (0, 0)
        assert a.c.cuMemAlloc(512)[0] == 0
    assert machine.profile.devices[0].attributes[20] == 0


def test_memory_is_exhausted(machine: Machine, a: Process) -> None:
    """But for what is left; memory that is freed can be had again."""
    code, pointer = a.c.cuMemAlloc(8 * GRANULE)
    machine.exhaust_memory(0, leaving=GRANULE)
    machine.exhaust_memory(0, leaving=4 * GRANULE)
    assert a.c.cuMemGetInfo()[1] == GRANULE
    assert a.c.cuMemAlloc(4 * GRANULE) == (Result.OUT_OF_MEMORY, None)
    assert a.c.cuMemAlloc(GRANULE)[0] == code == 0
    a.c.cuMemFree(pointer)
    assert a.c.cuMemAlloc(4 * GRANULE)[0] == 0
    machine.exhaust_memory(1)
    assert a.c.cuCtxCreate(None, 0, 1) == (Result.OUT_OF_MEMORY, None)
    machine.check_invariants()


def test_addresses_are_exhausted(machine: Machine, a: Process) -> None:
    """Of one process: what needs new ones fails, what is freed is given out again."""
    b = machine.spawn()
    b.c.cuInit(0)
    _, reserved = a.c.cuMemAddressReserve(GRANULE, 0, 0, 0)
    machine.exhaust_addresses(a)
    assert a.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0) == (Result.OUT_OF_MEMORY, None)
    assert b.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)[0] == 0
    a.c.cuMemAddressFree(reserved, GRANULE)
    assert a.c.cuMemAddressReserve(GRANULE, 0, 0, 0) == (0, reserved)
    machine.check_invariants()


def test_work_that_is_left_is_not_done() -> None:
    """Nobody waits for a card that is gone."""
    with Machine("h200-x2", completion="manual") as machine:
        a = machine.spawn()
        a.c.cuInit(0)
        for device in (0, 1):
            _, context = a.c.cuCtxCreate(None, 0, device)
        _, pointer = a.c.cuMemAlloc(512)
        a.c.cuMemsetD8(pointer, 7, 512)
        assert machine.scheduler.pending
        machine.lose_device(1, Result.NVLINK_UNCORRECTABLE)
        assert not machine.scheduler.pending
        assert a.c.cuCtxSynchronize() == (Result.NVLINK_UNCORRECTABLE,)
        assert a.c.cuCtxDestroy(context) == (0,)
        machine.check_invariants()


def test_fabric_handles_end_with_their_machine() -> None:
    """The bytes of one machine name nothing on another."""
    with Machine("nvl72") as one, Machine("nvl72") as other:
        a, b = one.spawn(), other.spawn()
        for process in (a, b):
            process.c.cuInit(0)
        _, handle = a.c.cuMemCreate(GRANULE, (1, 8, (1, 0), 0, (0, 0, 0)), 0)
        _, shared = a.c.cuMemExportToShareableHandle(handle, 8, 0)
        assert b.c.cuMemImportFromShareableHandle(shared, 8) == (Result.INVALID_VALUE, None)


def test_a_process_knows_its_devices_by_numbers_of_its_own(machine: Machine) -> None:
    """The host's is the machine's, an unseen device has none."""
    a = machine.spawn(visible_devices="1")
    a.c.cuInit(0)
    assert [a.number_of(device) for device in (*machine.devices, machine.host)] == [UNSEEN, 0, -1]


def test_a_context_of_the_binding_is_named_as_it_is(machine: Machine) -> None:
    """As code under test has it."""
    process = machine.spawn()
    driver = process.driver
    driver.cuInit(0)
    context = driver.cuDevicePrimaryCtxRetain(0)[1]
    machine.poison(process, context)
    driver.cuCtxSetCurrent(context)
    assert driver.cuCtxSynchronize() == (driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"name": 3}, "spawn(name=3): use a text"),
        ({"visible_devices": 1}, "spawn(visible_devices=1): use a text, as CUDA_VISIBLE_DEVICES has it"),
        ({"module_loading": 1}, "spawn(module_loading=1): use a text, as CUDA_MODULE_LOADING has it"),
        ({"imex_channels": "0"}, "spawn(imex_channels='0'): use a tuple of numbers"),
    ],
)
def test_a_process_of_other_kinds_of_arguments_is_refused(machine: Machine, options: dict[str, Any], said: str) -> None:
    """With what to write; nothing is spawned."""
    with pytest.raises(FakeCudaError) as caught:
        machine.spawn(**options)
    assert str(caught.value).startswith(said)
    assert not machine.processes
