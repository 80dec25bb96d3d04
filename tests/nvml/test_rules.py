"""What each check of a call refuses, and what the call tells otherwise; through the C level of a simulated process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda import Machine, NotModelledWarning, UndefinedBehaviour, profiles
from fakecuda.rules.nvml.rights import BY_POINTERS, SETTERS
from fakecuda.rules.nvml.sensor import SENSORS
from fakecuda.rules.nvml.vgpu import INTO_RESULTS, OF_CARDS, OF_INSTANCES, OF_TYPES
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.nvml import CALLS, text_of
from fakecuda.spec.nvml_types import type_of
from tests.nvml.state import code, of

if TYPE_CHECKING:
    from fakecuda import Process

MEMORY_V2 = 2 << 24 | 40


def test_initialisations_are_counted(process: Process) -> None:
    """Each takes a shutdown; without one nothing is told but the library's own version."""
    assert process.c.nvmlInitWithFlags(1) == (0,)
    assert process.c.nvmlShutdown() == (0,)
    assert process.c.nvmlDeviceGetCount_v2() == (0, 2)
    assert process.c.nvmlShutdown() == (0,)
    assert code(process.c.nvmlDeviceGetCount_v2()) is Nvml.UNINITIALIZED
    assert code(process.c.nvmlShutdown()) is Nvml.UNINITIALIZED
    assert process.c.nvmlSystemGetNVMLVersion(96) == (0, b"13.580.159.04")
    assert process.c.nvmlInit() == (0,)
    assert process.c.nvmlDeviceGetCount() == (0, 2)


@pytest.mark.parametrize(("name", "given"), [("nvmlInit", ()), ("nvmlInit_v2", ()), ("nvmlInitWithFlags", (1,))])
def test_a_machine_of_another_maker_has_no_driver(name: str, given: tuple[int, ...]) -> None:
    """Nor one without cards."""
    for profile in ("hip-clr-2026", attrs.evolve(profiles.load("h200"), devices=())):
        with Machine(profile) as machine:
            assert code(getattr(machine.spawn().c, name)(*given)) is Nvml.DRIVER_NOT_LOADED


def test_versions_need_room(process: Process) -> None:
    """For the text and its NUL; null pointers and other versions of structs are refused."""
    assert process.c.nvmlSystemGetDriverVersion(11) == (0, b"580.159.04")
    assert code(process.c.nvmlSystemGetDriverVersion(10)) is Nvml.INSUFFICIENT_SIZE
    assert code(process.c.nvmlSystemGetDriverVersion(96, null="version")) is Nvml.INVALID_ARGUMENT
    assert process.c.nvmlSystemGetDriverBranch(1 << 24 | 84, 96) == (0, (b"r582_49",))
    assert code(process.c.nvmlSystemGetDriverBranch(2 << 24 | 84, 96)) is Nvml.ARGUMENT_VERSION_MISMATCH
    assert code(process.c.nvmlSystemGetDriverBranch(None, 96)) is Nvml.INVALID_ARGUMENT
    with Machine("driver-12.4") as machine:
        other = machine.spawn()
        other.c.nvmlInit_v2()
        assert other.c.nvmlSystemGetNVMLVersion(96) == (0, b"12.550.54.14")
        assert code(other.c.nvmlSystemGetDriverBranch(1 << 24 | 84, 96)) is Nvml.NOT_SUPPORTED


def test_processes_have_names(process: Process) -> None:
    """Cut to the length: those of simulated ones are their own, others are what the system runs."""
    name = process.name.encode()
    assert process.c.nvmlSystemGetProcessName(process.pid, 96) == (0, name)
    assert process.c.nvmlSystemGetProcessName(process.pid, 1) == (0, b"")
    assert code(process.c.nvmlSystemGetProcessName(process.pid, 0)) is Nvml.INVALID_ARGUMENT
    assert code(process.c.nvmlSystemGetProcessName(1, 96)) is Nvml.NOT_FOUND
    here = of(process).here
    assert here.pid == os.getpid()
    assert b"python" in process.c.nvmlSystemGetProcessName(here.pid, 4096)[1].lower()


def test_cards_are_found(process: Process, card: int) -> None:
    """By index, UUID, serial number and place; in other ways they are not."""
    c = process.c
    uuid, serial = c.nvmlDeviceGetUUID(card, 96)[1], c.nvmlDeviceGetSerial(card, 30)[1]
    bus = c.nvmlDeviceGetPciInfo_v3(card)[1][6]
    found = [
        c.nvmlDeviceGetHandleByUUID(uuid),
        c.nvmlDeviceGetHandleByUUID(uuid.removeprefix(b"GPU-")),
        c.nvmlDeviceGetHandleBySerial(serial),
        c.nvmlDeviceGetHandleByPciBusId_v2(bus),
        c.nvmlDeviceGetHandleByPciBusId(bus.removeprefix(b"00000000:")),
        c.nvmlDeviceGetHandleByUUIDV((1 << 24 | 52, 1, (uuid, (0,) * 16))),
        c.nvmlDeviceGetHandleByUUIDV((1 << 24 | 52, 2, (b"", tuple(process.machine.devices[0].profile.uuid)))),
    ]
    assert found == [(0, card)] * len(found)
    refused = {
        Nvml.NOT_FOUND: [
            c.nvmlDeviceGetHandleByUUID(uuid.lower()),
            c.nvmlDeviceGetHandleBySerial(b"1"),
            c.nvmlDeviceGetHandleByPciBusId_v2(b"fe:00.0"),
            c.nvmlDeviceGetHandleByPciBusId(b"fe:00.0"),
            c.nvmlDeviceGetHandleByUUIDV((1 << 24 | 52, 1, (b"GPU-", (0,) * 16))),
        ],
        Nvml.INVALID_ARGUMENT: [
            c.nvmlDeviceGetHandleByIndex_v2(2),
            c.nvmlDeviceGetHandleByUUID(None),
            c.nvmlDeviceGetHandleByUUID(uuid, null="device"),
            c.nvmlDeviceGetHandleByPciBusId_v2(b"00:06.1"),
            c.nvmlDeviceGetHandleByPciBusId(b"00:06.1"),
            c.nvmlDeviceGetHandleByUUIDV(None),
            c.nvmlDeviceGetHandleByUUIDV((1 << 24 | 52, 3, (uuid, (0,) * 16))),
        ],
        Nvml.ARGUMENT_VERSION_MISMATCH: [c.nvmlDeviceGetHandleByUUIDV((0, 1, (uuid, (0,) * 16)))],
    }
    assert {answer: [code(one) for one in ones] for answer, ones in refused.items()} == {
        answer: [answer] * len(ones) for answer, ones in refused.items()
    }


def test_handles_are_checked(process: Process) -> None:
    """Null is refused; what the library never gave out is undefined."""
    assert code(process.c.nvmlDeviceOnSameBoard(1, 0)) is Nvml.NOT_SUPPORTED
    assert code(process.c.nvmlDeviceGetName(0, 96)) is Nvml.INVALID_ARGUMENT
    with pytest.raises(UndefinedBehaviour, match="each device handle is a handle that NVML returned"):
        process.c.nvmlDeviceGetName(1, 96)
    with Machine(strict=False) as machine:
        other = machine.spawn()
        other.c.nvmlInit_v2()
        assert code(other.c.nvmlDeviceGetName(1, 96)) is Nvml.INVALID_ARGUMENT


def test_what_a_card_is(process: Process, card: int) -> None:
    """Its architecture, its numbers, its board; texts need room."""
    c = process.c
    other = c.nvmlDeviceGetHandleByIndex_v2(1)[1]
    assert c.nvmlDeviceGetArchitecture(card) == (0, 9)
    assert c.nvmlDeviceGetMinorNumber(other) == (0, 1)
    assert code(c.nvmlDeviceGetName(card, 11)) is Nvml.INSUFFICIENT_SIZE
    assert c.nvmlDeviceGetBoardId(card) == (0, 6)
    assert c.nvmlDeviceOnSameBoard(card, other) == (0, 0)
    assert c.nvmlDeviceOnSameBoard(card, card) == (0, 1)
    assert code(c.nvmlDeviceOnSameBoard(card, 0)) is Nvml.NOT_SUPPORTED
    assert code(c.nvmlDeviceGetNumaNodeId(card)) is Nvml.NOT_SUPPORTED
    assert len(c.nvmlDeviceGetPciInfo_v2(card)[1]) == len(c.nvmlDeviceGetPciInfo(card)[1]) + 1
    assert c.nvmlDeviceGetPciInfoExt(card, 1 << 24 | 64)[1][5:7] == (3, 2)
    assert c.nvmlDeviceGetPdi(card, 1 << 24 | 16) != c.nvmlDeviceGetPdi(other, 1 << 24 | 16)
    assert c.nvmlDeviceGetPersistenceMode(card) == (0, 1)
    assert c.nvmlDeviceGetUtilizationRates(card) == (0, (0, 0)) or c.nvmlDeviceGetUtilizationRates(card) == (0, 0, 0)


def test_a_card_of_a_superchip() -> None:
    """Its memory is a node of the host; it has joined a clique; its place has a domain of its own."""
    with Machine("nvl72") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        first, second, third = (c.nvmlDeviceGetHandleByIndex_v2(index)[1] for index in range(3))
        assert c.nvmlDeviceGetNumaNodeId(first) == (0, 2)
        cluster, answer, clique, state = c.nvmlDeviceGetGpuFabricInfo(first)[1]
        assert (any(cluster), answer, clique, state) == (True, 0, 1, 3)
        assert c.nvmlDeviceGetGpuFabricInfo(second)[1][0] == cluster
        assert c.nvmlDeviceGetTopologyCommonAncestor(first, second) == (0, 40)
        assert c.nvmlDeviceGetTopologyCommonAncestor(first, third) == (0, 50)
        assert c.nvmlDeviceGetNvLinkVersion(first, 0) == (0, 7)


def test_memory_of_the_second_version(process: Process, card: int) -> None:
    """Another one is a function that is not there, as a card has answered."""
    assert code(process.c.nvmlDeviceGetMemoryInfo_v2(card, 1 << 24 | 40)) is Nvml.FUNCTION_NOT_FOUND
    assert code(process.c.nvmlDeviceGetMemoryInfo_v2(card, None)) is Nvml.INVALID_ARGUMENT
    total, free, used = process.c.nvmlDeviceGetBAR1MemoryInfo(card)[1]
    assert total == free + used


def test_processes_of_a_card(process: Process, card: int) -> None:
    """Those with a context there; a short array is told how many there are."""
    c, others = process.c, [of(process).spawn() for _ in range(2)]
    assert c.nvmlDeviceGetComputeRunningProcesses_v3(card, 0, null="infos")[:2] == (0, 0)
    for other in others:
        other.c.cuInit(0)
        other.c.cuDevicePrimaryCtxRetain(0)
    for version in ("", "_v2", "_v3"):
        ask = getattr(c, f"nvmlDeviceGetComputeRunningProcesses{version}")
        assert ask(card, 1) == (Nvml.INSUFFICIENT_SIZE, 2, None)
    count, rows = c.nvmlDeviceGetComputeRunningProcesses_v2(card, 4)[1:]
    assert (count, [row[0] for row in rows]) == (2, [other.pid for other in others])
    assert {row[2:] for row in rows} == {(0xFFFFFFFF, 0xFFFFFFFF)}
    assert [len(row) for row in c.nvmlDeviceGetComputeRunningProcesses(card, 4)[2]] == [2, 2]
    assert code(c.nvmlDeviceGetComputeRunningProcesses_v3(card, None)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetComputeRunningProcesses_v3(card, 4, null="infos")) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetGraphicsRunningProcesses_v3(card, 4) == (0, 0, ())
    assert code(c.nvmlDeviceGetMPSComputeRunningProcesses_v3(card, None)) is Nvml.INVALID_ARGUMENT
    others[0].kill()
    assert c.nvmlDeviceGetComputeRunningProcesses_v3(card, 4)[1] == 1


def test_memory_that_was_opened_is_its_owners(process: Process, card: int) -> None:
    """What another process has from IPC counts once; pools and physical memory count, too."""
    c, other = process.c, of(process).spawn()
    for one in (process, other):
        one.c.cuInit(0)
        one.c.cuCtxSetCurrent(one.c.cuDevicePrimaryCtxRetain(0)[1])
    other.c.cuIpcOpenMemHandle(c.cuIpcGetMemHandle(c.cuMemAlloc(2 << 20)[1])[1], 1)
    c.cuMemAllocAsync(4096, 0)
    c.cuMemCreate(2 << 20, (1, 0, (1, 0), 0, (0, 0, 0)), 0)
    rows = {row[0]: row[1] for row in c.nvmlDeviceGetComputeRunningProcesses_v3(card, 4)[2]}
    assert sum(rows.values()) == process.machine.devices[0].memory.used
    assert rows[other.pid] == process.machine.profile.context_memory


def test_sensors(process: Process, card: int) -> None:
    """As recorded; what the card has not, and what was not asked of it, is refused."""
    c = process.c
    assert c.nvmlDeviceGetPowerManagementLimit(card) == (0, 700_000)
    assert c.nvmlDeviceGetMaxClockInfo(card, 0) == (0, 1980)
    assert code(c.nvmlDeviceGetMaxClockInfo(card, 64)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetFanSpeed(card)) is Nvml.NOT_SUPPORTED
    assert code(c.nvmlDeviceGetMaxClockInfo(card, 7)) is Nvml.NOT_SUPPORTED
    assert c.nvmlDeviceGetVbiosVersion(card, 32) == (0, b"96.00.A5.00.1A")
    assert code(c.nvmlDeviceGetVbiosVersion(card, 14)) is Nvml.INSUFFICIENT_SIZE
    assert code(c.nvmlDeviceGetPowerUsage(card, null="power")) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetRepairStatus(card, 1 << 24 | 12)[0] == 0
    assert code(c.nvmlDeviceGetRepairStatus(card, 5 << 24 | 12)) is Nvml.ARGUMENT_VERSION_MISMATCH
    assert code(c.nvmlDeviceGetRepairStatus(card, None)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetTemperatureV(card, (1 << 24 | 12, 0, 0)) == (0, (0, 37))
    assert code(c.nvmlDeviceGetTemperatureV(card, (1 << 24 | 12, 1, 0))) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetTemperatureV(card, None)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetSupportedPerformanceStates(card, 12) == (0, (2, 0, 32))
    assert code(c.nvmlDeviceGetSupportedPerformanceStates(card, 4)) is Nvml.INSUFFICIENT_SIZE
    assert code(c.nvmlDeviceGetSupportedPerformanceStates(card, 0)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceValidateInforom(card) == (0,)


def test_a_card_of_which_nothing_was_recorded() -> None:
    """It answers NOT_SUPPORTED to what it only tells."""
    with Machine("nvl72") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        rest = {name: [0] * (len(CALLS[name].inputs) - 1) for name in SENSORS}
        assert {code(getattr(c, name)(card, *rest[name])) for name in SENSORS} == {Nvml.NOT_SUPPORTED}
        assert code(c.nvmlDeviceGetTemperatureV(card, (1 << 24 | 12, 0, 0))) is Nvml.NOT_SUPPORTED
        assert code(c.nvmlDeviceGetSupportedPerformanceStates(card, 64)) is Nvml.NOT_SUPPORTED
        [value] = c.nvmlDeviceGetFieldValues(card, 1, (1,))[1]
        assert int.from_bytes(value[28:32], "little") == Nvml.NOT_SUPPORTED


def test_fields(process: Process, card: int) -> None:
    """Each has an answer of its own; none at all are refused."""
    first, second = process.c.nvmlDeviceGetFieldValues(card, 2, (1, 9999))[1]
    kind = type_of("nvmlFieldValue_t")
    assert kind.from_buffer_copy(first).value.uiVal == 1
    assert kind.from_buffer_copy(second).nvmlReturn == Nvml.INVALID_ARGUMENT
    asked = [91, 166, 166 | 17 << 32, 165 | 18 << 32]
    links = [kind.from_buffer_copy(row) for row in process.c.nvmlDeviceGetFieldValues(card, 4, tuple(asked))[1]]
    assert [row.value.uiVal for row in links] == [18, 6, 6, 0]
    assert [row.nvmlReturn for row in links] == [0, 0, 0, Nvml.NOT_SUPPORTED]
    assert code(process.c.nvmlDeviceGetFieldValues(card, 0, ())) is Nvml.INVALID_ARGUMENT
    assert code(process.c.nvmlDeviceGetFieldValues(card, 1, None)) is Nvml.INVALID_ARGUMENT


def test_every_sensor_checks_its_handle(process: Process) -> None:
    """And that the library is initialised."""
    rest = {name: [0] * (len(CALLS[name].inputs) - 1) for name in SENSORS}
    assert {code(getattr(process.c, name)(0, *rest[name])) for name in SENSORS} == {Nvml.INVALID_ARGUMENT}
    process.c.nvmlShutdown()
    assert {code(getattr(process.c, name)(0, *rest[name])) for name in SENSORS} == {Nvml.UNINITIALIZED}


@pytest.mark.parametrize("name", [*SETTERS, *BY_POINTERS])
def test_nobody_changes_a_card(process: Process, card: int, name: str) -> None:
    """The user is no administrator."""
    rest = [0] * (len(CALLS[name].inputs) - 1)
    assert code(getattr(process.c, name)(card, *rest)) is Nvml.NO_PERMISSION


def test_a_mode_is_set_by_the_test(process: Process, card: int) -> None:
    """And told; before that it is as it was. A struct that is not there is refused before the user is."""
    assert code(process.c.nvmlDeviceSetPowerManagementLimit_v2(card, None)) is Nvml.INVALID_ARGUMENT
    assert process.c.nvmlDeviceGetComputeMode(card) == (0, 0)
    of(process).set_compute_mode(0, "PROHIBITED")
    assert process.c.nvmlDeviceGetComputeMode(card) == (0, 2)


def test_nothing_is_accounted(process: Process, card: int) -> None:
    """There are no processes of which something is kept, with or without room for them, and none is found."""
    c = process.c
    assert c.nvmlDeviceGetAccountingMode(card) == (0, 0)
    assert c.nvmlDeviceGetAccountingPids(card, 64) == (0, 0, ())
    assert c.nvmlDeviceGetAccountingPids(card, 0, null="pids") == (Nvml.INSUFFICIENT_SIZE, 0, None)
    assert code(c.nvmlDeviceGetAccountingPids(card, None)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetAccountingStats(card, process.pid)) is Nvml.NOT_FOUND


def test_there_are_no_virtual_cards(process: Process, card: int) -> None:
    """A card is refused that has none, and each of them, and each type."""
    for name in (*OF_CARDS, *INTO_RESULTS):
        rest = [0] * (len(CALLS[name].inputs) - 1)
        assert code(getattr(process.c, name)(card, *rest)) is Nvml.NOT_SUPPORTED
    for name in INTO_RESULTS:
        nothing: list[Any] = [None] * (len(CALLS[name].inputs) - 1)
        null = {} if nothing else {"null": CALLS[name].params[-1].name}
        assert code(getattr(process.c, name)(card, *nothing, **null)) is Nvml.INVALID_ARGUMENT
    utilisation = process.c.nvmlDeviceGetVgpuInstancesUtilizationInfo
    assert code(utilisation(card, 1 << 24 | 32)) is Nvml.NOT_SUPPORTED
    assert code(utilisation(card, 2 << 24 | 32)) is Nvml.ARGUMENT_VERSION_MISMATCH
    assert code(utilisation(card, None)) is Nvml.INVALID_ARGUMENT
    for names, number, answer in (
        (OF_TYPES, 1, Nvml.INVALID_ARGUMENT),
        (OF_INSTANCES, 0, Nvml.INVALID_ARGUMENT),
        (OF_INSTANCES, 1, Nvml.NOT_FOUND),
    ):
        for name in names:
            rest = [0] * (len(CALLS[name].inputs) - 1)
            assert code(getattr(process.c, name)(number, *rest)) is answer


@pytest.mark.parametrize("name", ["DramEncryptionMode", "NvlinkBwMode", "NvlinkSupportedBwModes", "PlatformInfo"])
def test_versions_that_no_card_was_asked_for(process: Process, card: int, name: str) -> None:
    """They are refused."""
    ask = f"nvmlDeviceGet{name}"
    versions = [99 << 24 | 4] * (len(CALLS[ask].inputs) - 1)
    assert code(getattr(process.c, ask)(card, *versions)) is Nvml.ARGUMENT_VERSION_MISMATCH


def test_there_are_no_units(process: Process) -> None:
    """Nor cards that are excluded."""
    assert process.c.nvmlUnitGetCount() == (0, 0)
    assert code(process.c.nvmlUnitGetHandleByIndex(0)) is Nvml.INVALID_ARGUMENT
    assert process.c.nvmlSystemGetHicVersion(4) == (0, 0, ())
    assert code(process.c.nvmlSystemGetHicVersion(None)) is Nvml.INVALID_ARGUMENT


def test_a_card_that_is_split(split: Process) -> None:
    """It counts once and has no memory of its own; its instances have handles, numbers and memory."""
    c = split.c
    card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
    assert c.nvmlDeviceGetCount_v2() == (0, 1)
    assert c.nvmlDeviceGetName(card, 96) == (0, b"NVIDIA H200")
    assert c.nvmlDeviceGetUUID(card, 96)[1].startswith(b"GPU-")
    assert c.nvmlDeviceGetMigMode(card) == (0, 1, 1)
    assert c.nvmlDeviceGetMaxMigDeviceCount(card) == (0, 7)
    instances = [c.nvmlDeviceGetMigDeviceHandleByIndex(card, index)[1] for index in range(2)]
    assert code(c.nvmlDeviceGetMigDeviceHandleByIndex(card, 2)) is Nvml.NOT_FOUND
    assert [c.nvmlDeviceGetGpuInstanceId(one)[1] for one in instances] == [1, 2]
    assert [c.nvmlDeviceGetIndex(one)[1] for one in instances] == [0, 1]
    assert c.nvmlDeviceGetComputeInstanceId(instances[0]) == (0, 0)
    assert c.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(instances[1]) == (0, card)
    assert [c.nvmlDeviceIsMigDeviceHandle(one)[1] for one in (card, *instances)] == [0, 1, 1]
    assert c.nvmlDeviceGetAttributes_v2(instances[0])[1][0] == 60
    assert c.nvmlDeviceGetAttributes(instances[0]) == c.nvmlDeviceGetAttributes_v2(instances[0])
    of_instances = (
        c.nvmlDeviceGetMigMode(instances[0]),
        c.nvmlDeviceGetMaxMigDeviceCount(instances[0]),
        c.nvmlDeviceGetMigDeviceHandleByIndex(instances[0], 0),
        c.nvmlDeviceGetSupportedEventTypes(instances[0]),
        c.nvmlDeviceRegisterEvents(instances[0], 8, c.nvmlEventSetCreate()[1]),
    )
    assert set(map(code, of_instances)) == {Nvml.INVALID_ARGUMENT}
    assert code(c.nvmlDeviceGetGpuInstanceId(card)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetAttributes_v2(card)) is Nvml.NOT_SUPPORTED
    total = [c.nvmlDeviceGetMemoryInfo_v2(one, MEMORY_V2)[1][1:] for one in (card, *instances)]
    assert total[0][1] == total[1][1] + total[2][1]
    c.cuInit(0)
    c.cuDevicePrimaryCtxRetain(0)
    assert [row[2:] for row in c.nvmlDeviceGetComputeRunningProcesses_v3(card, 2)[2]] == [(1, 0)]
    assert [row[2:] for row in c.nvmlDeviceGetComputeRunningProcesses_v3(instances[0], 2)[2]] == [(1, 0)]
    assert c.nvmlDeviceGetComputeRunningProcesses_v3(instances[1], 2)[1] == 0


def test_a_card_of_another_kind() -> None:
    """One that cannot be split, and of which nothing is known: it has no serial number."""
    known = profiles.load("h200")
    [device] = known.devices
    number = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR"]
    other = attrs.evolve(device, name="NVIDIA Other", attributes=device.attributes | {number: 8, number + 1: 9})
    with Machine(attrs.evolve(known, devices=(other,))) as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        assert c.nvmlDeviceGetArchitecture(card) == (0, 8)
        assert code(c.nvmlDeviceGetMigMode(card)) is Nvml.NOT_SUPPORTED
        assert code(c.nvmlDeviceGetSerial(card, 30)) is Nvml.NOT_SUPPORTED


def test_cards_that_retire_pages() -> None:
    """An H200 refuses the query; the answer of a card before Ampere is not modelled."""
    with Machine("h200") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        assert code(c.nvmlDeviceGetRetiredPages(c.nvmlDeviceGetHandleByIndex_v2(0)[1], 0)) is Nvml.NOT_SUPPORTED
    with Machine("t4") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        with pytest.warns(NotModelledWarning, match="retired pages"):
            assert code(c.nvmlDeviceGetRetiredPages(c.nvmlDeviceGetHandleByIndex_v2(0)[1], 0)) is Nvml.NOT_SUPPORTED


def test_codes_have_texts() -> None:
    """Those that a library of a driver knows; others are unknown errors."""
    assert [text_of(int(one)) for one in (Nvml.SUCCESS, Nvml.NOT_FOUND, Nvml.UNKNOWN)] == [
        "Success",
        "Not Found",
        "Unknown Error",
    ]
