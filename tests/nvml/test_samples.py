"""What a card measures while time passes, the clocks that it can be set to, and the counters that can be cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.rules.nvml.sample import BUFFERS, CLOCKS, POWER, UTILISATIONS
from fakecuda.spec.codes import Nvml
from tests.nvml.state import code, of

if TYPE_CHECKING:
    from fakecuda import Process

ENERGY_FIELD = 83


def energy(process: Process, card: int) -> int:
    """Return the millijoules that a card has used."""
    return int(process.c.nvmlDeviceGetTotalEnergyConsumption(card)[1])


def test_energy_grows_each_time_it_is_read(process: Process, card: int) -> None:
    """By a tenth of a second's power: nobody can wait for more of it on a virtual clock. A field of the card tells it, too."""
    power = process.c.nvmlDeviceGetPowerUsage(card)[1]
    first, second = energy(process, card), energy(process, card)
    [row] = process.c.nvmlDeviceGetFieldValues(card, 1, (ENERGY_FIELD,))[1]
    third = int.from_bytes(row[32:40], "little")
    assert {second - first, third - second} <= {power // 10, power // 10 + 1}
    other = process.c.nvmlDeviceGetHandleByIndex_v2(1)[1]
    assert energy(process, other) == first
    assert code(process.c.nvmlDeviceGetTotalEnergyConsumption(card, null="energy")) is Nvml.INVALID_ARGUMENT


def test_energy_follows_the_clock(process: Process, card: int) -> None:
    """A minute's power in a minute; no time moves on because somebody reads."""
    power, before = process.c.nvmlDeviceGetPowerUsage(card)[1], energy(process, card)
    of(process).clock.advance(60)
    now = of(process).clock.now
    assert energy(process, card) - before == pytest.approx(60 * power, rel=0.01)
    assert of(process).clock.now == now


def test_energy_of_a_real_clock_is_of_the_time_that_passes() -> None:
    """Whoever reads."""
    with Machine(clock="real") as machine:
        process = machine.spawn()
        process.c.nvmlInit_v2()
        card = process.c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        now = machine.clock.now
        before = [energy(process, card) for _ in range(100)][-1]
        machine.clock.advance(60)
        read, passed = energy(process, card) - before, machine.clock.now - now
        power = process.c.nvmlDeviceGetPowerUsage(card)[1]
        assert 59.9 * power <= read <= (passed + 0.1) * power + 1


def test_samples(process: Process, card: int) -> None:
    """One of each kind, of now; later ones come with time. Clocks are not sampled, and the power of the module is not known."""
    c, power = process.c, process.c.nvmlDeviceGetPowerUsage(card)[1]
    for kind in (POWER, *UTILISATIONS):
        value = power if kind == POWER else 0
        [row] = c.nvmlDeviceGetSamples(card, kind, 0, 200)[3]
        when = int.from_bytes(row[:8], "little")
        assert (c.nvmlDeviceGetSamples(card, kind, 0, 200)[:3], row[8:]) == ((0, 1, 1), value.to_bytes(8, "little"))
        assert code(c.nvmlDeviceGetSamples(card, kind, when, 200)) is Nvml.NOT_FOUND
        of(process).clock.advance(1)
        [row] = c.nvmlDeviceGetSamples(card, kind, when, 200)[3]
        assert int.from_bytes(row[:8], "little") == when + 1_000_000
    assert {code(c.nvmlDeviceGetSamples(card, kind, 0, 200)) for kind in CLOCKS} == {Nvml.NOT_FOUND}
    assert code(c.nvmlDeviceGetSamples(card, 7, 0, 200)) is Nvml.INVALID_ARGUMENT


def test_the_room_for_samples(process: Process, card: int) -> None:
    """Without an array it is told how many there can be; with one there must be room."""
    c = process.c
    room = {kind: c.nvmlDeviceGetSamples(card, kind, 0, 0, null="samples")[2] for kind in BUFFERS}
    assert room == BUFFERS
    assert code(c.nvmlDeviceGetSamples(card, POWER, 0, 0)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetSamples(card, POWER, 0, None)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetSamples(card, POWER, 0, 200, null="sampleValType")) is Nvml.INVALID_ARGUMENT


def test_no_process_is_seen_to_use_a_card(process: Process, card: int) -> None:
    """However much room there is."""
    ask = process.c.nvmlDeviceGetProcessUtilization
    assert ask(card, 0, 0, null="utilization") == (Nvml.INSUFFICIENT_SIZE, None, 72)
    assert code(ask(card, 72, 0)) is Nvml.NOT_FOUND
    assert code(ask(card, None, 0)) is Nvml.INVALID_ARGUMENT
    assert code(ask(card, 72, 0, null="utilization")) is Nvml.INVALID_ARGUMENT


def test_an_instance_does_not_tell_how_busy_it_is(split: Process) -> None:
    """Nor does a card that is split; its power it tells."""
    card = split.c.nvmlDeviceGetHandleByIndex_v2(0)[1]
    assert code(split.c.nvmlDeviceGetSamples(card, UTILISATIONS[0], 0, 200)) is Nvml.NOT_SUPPORTED
    assert code(split.c.nvmlDeviceGetSamples(card, POWER, 0, 200)) is Nvml.SUCCESS


def test_a_card_of_which_nothing_was_recorded() -> None:
    """It measures nothing that is known, and has no known clocks."""
    with Machine("nvl72") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        refused = (
            c.nvmlDeviceGetTotalEnergyConsumption(card),
            c.nvmlDeviceGetSamples(card, POWER, 0, 200),
            c.nvmlDeviceGetSupportedMemoryClocks(card, 64),
            c.nvmlDeviceGetSupportedGraphicsClocks(card, 3201, 200),
        )
        assert set(map(code, refused)) == {Nvml.NOT_SUPPORTED}
        assert code(c.nvmlDeviceGetProcessUtilization(card, 72, 0)) is Nvml.NOT_FOUND
        [row] = c.nvmlDeviceClearFieldValues(card, 1, (94,))[1]
        assert row[28] == Nvml.NOT_SUPPORTED
        [row] = c.nvmlDeviceGetFieldValues(card, 1, (ENERGY_FIELD,))[1]
        assert row[28] == Nvml.NOT_SUPPORTED


def test_clocks(process: Process, card: int) -> None:
    """Those of the memory, and those of the processors beside one of these; of the other nobody has asked them."""
    c = process.c
    assert c.nvmlDeviceGetSupportedMemoryClocks(card, 2) == (0, 2, (3201, 2201))
    count, clocks = c.nvmlDeviceGetSupportedGraphicsClocks(card, 3201, 200)[1:]
    assert (count, clocks[:2], clocks[-1]) == (110, (1980, 1965), 345)
    assert c.nvmlDeviceGetSupportedMemoryClocks(card, 1) == (Nvml.INSUFFICIENT_SIZE, 2, None)
    assert c.nvmlDeviceGetSupportedGraphicsClocks(card, 3201, 0, null="clocksMHz") == (
        Nvml.INSUFFICIENT_SIZE,
        110,
        None,
    )
    codes = {memory: code(c.nvmlDeviceGetSupportedGraphicsClocks(card, memory, 200)) for memory in (0, 1000, 2201)}
    assert codes == {0: Nvml.INVALID_ARGUMENT, 1000: Nvml.NOT_FOUND, 2201: Nvml.NOT_SUPPORTED}
    nothing = (
        c.nvmlDeviceGetSupportedMemoryClocks(card, None),
        c.nvmlDeviceGetSupportedMemoryClocks(card, 2, null="clocksMHz"),
        c.nvmlDeviceGetSupportedGraphicsClocks(card, 3201, None),
        c.nvmlDeviceGetSupportedGraphicsClocks(card, 3201, 200, null="clocksMHz"),
    )
    assert set(map(code, nothing)) == {Nvml.INVALID_ARGUMENT}


def test_cleared_fields(process: Process, card: int) -> None:
    """Each has a code of its own; what is no field, and no card, is no error of the call."""
    c = process.c
    rows = c.nvmlDeviceClearFieldValues(card, 4, (94, 1, 9999, 2))[1]
    assert [row[28] for row in rows] == [0, Nvml.INVALID_ARGUMENT, Nvml.INVALID_ARGUMENT, Nvml.NOT_SUPPORTED]
    [row] = c.nvmlDeviceClearFieldValues(0, 1, (94,))[1]
    assert row[28] == Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceClearFieldValues(card, 0, None) == (0, ())
    assert code(c.nvmlDeviceClearFieldValues(card, 1, None)) is Nvml.INVALID_ARGUMENT
