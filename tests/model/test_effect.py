"""Effects: who watches them sees each before and after it acts, and can have it not act."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from fakecuda.model.call import under_way
from fakecuda.model.effect import EFFECTS, watched
from fakecuda.model.memory import mapping
from fakecuda.model.memory.va import Mapping
from fakecuda.model.snapshot import snapshot

from .world import GRANULE, created, done, mapped, started

if TYPE_CHECKING:
    from fakecuda import Machine
    from fakecuda.model.effect import Act


class Stop(Exception):  # noqa: N818 - no error
    """An effect must not act."""


def stop(_act: Act) -> None:
    """Have no effect act."""
    raise Stop


def test_nobody_watches_and_nothing_stands_between(machine: Machine) -> None:
    """What is called is the function itself, before and after somebody watches, also when that ends with an error."""
    plain = {name: getattr(one.home, one.function.__name__) for name, one in EFFECTS.items()}
    assert all(plain[name] is one.function for name, one in EFFECTS.items())
    with watched(stop):
        assert all(getattr(one.home, one.function.__name__) is not one.function for one in EFFECTS.values())
    with pytest.raises(Stop), watched(stop):
        started(machine)
    assert all(getattr(one.home, one.function.__name__) is one.function for one in EFFECTS.values())


def test_effects_name_the_parameters_and_kinds_that_there_are() -> None:
    """What an effect says of itself is looked up when somebody watches."""
    with watched() as effects:
        assert effects is EFFECTS
    assert len(EFFECTS) > 80
    for one in EFFECTS.values():
        names = one.function.__code__.co_varnames[: one.function.__code__.co_argcount]
        assert {one.ends, one.reads, one.writes} - {""} <= set(names), one.name
        assert not one.makes or one.makes in one.function.__annotations__["return"], one.name


def test_an_effect_is_seen_before_and_after_it_acts(machine: Machine) -> None:
    """With its arguments, the call that it is part of, and what it makes and ends."""
    process = started(machine)
    handle = created(process)
    start = done(process.c.cuMemAddressReserve(GRANULE, 0, 0, 0))
    seen: list[tuple[str, str, int]] = []

    def before(act: Act) -> None:
        call = under_way()
        assert call is not None
        assert call[0].process is process
        assert act.made == []
        seen.append((act.effect.name, call[1].name, len(process.memory)))

    def after(act: Act) -> None:
        assert [type(one) for one in act.made] == [Mapping]
        assert (act.arguments["start"], act.arguments["size"]) == (start, GRANULE)
        assert act.ended == act.read == act.written == []
        seen.append((act.effect.name, "after", len(process.memory)))

    with watched(before, after):
        done(process.c.cuMemMap(start, GRANULE, 0, handle, 0))
    assert seen == [("mapping.enter", "cuMemMap", 0), ("mapping.enter", "after", 1)]


def test_what_an_effect_is_part_of_is_told(machine: Machine) -> None:
    """The last mapping of a released handle ends the handle: both are seen, the inner one first to have acted."""
    process = started(machine)
    handle = created(process)
    start = mapped(process, handle)
    done(process.c.cuMemRelease(handle))
    gone = process.handles[handle]
    mappings = list(process.memory)
    seen: list[tuple[str, str, list[object]]] = []
    with watched(
        after=lambda act: seen.append((act.effect.name, act.outer.effect.name if act.outer else "", act.ended))
    ):
        done(process.c.cuMemUnmap(start, GRANULE))
    assert seen == [("process.Process.forget", "mapping.leave", [gone]), ("mapping.leave", "", mappings)]


def test_memory_that_is_read_and_written_is_told(machine: Machine) -> None:
    """As pieces of physical memory."""
    process = started(machine)
    one, other = (done(process.c.cuMemAlloc(4096)) for _ in range(2))
    first, second = process.memory.at(one), process.memory.at(other)
    assert first is not None
    assert second is not None
    acts: list[Act] = []
    with watched(acts.append):
        done(process.c.cuMemcpyDtoD(one + 16, other, 64))
        done(process.c.cuMemsetD8(one, 1, 32))
    copy, fill = (act for act in acts if act.effect.writes and act.outer is None)
    target, source = one - first.origin, other - second.origin
    assert (copy.read, copy.written) == ([(second.extent, source, 64)], [(first.extent, target + 16, 64)])
    assert (fill.read, fill.written) == ([], [(first.extent, target, 32)])


def test_an_effect_that_is_refused_changes_nothing(machine: Machine) -> None:
    """What the watcher raises comes out of the call, and the machine can be used."""
    process = started(machine)
    was = snapshot(machine)
    with watched(stop), pytest.raises(Stop):
        process.c.cuMemAlloc(4096)
    assert snapshot(machine) == was
    done(process.c.cuMemAlloc(4096))


def test_an_effect_that_makes_nothing_after_all_has_made_nothing(machine: Machine) -> None:
    """Memory does not suffice: the effect says so by None, and has changed nothing."""
    process = started(machine)
    was = snapshot(machine)
    acts: list[Act] = []
    with watched(after=acts.append):
        assert process.c.cuMemAlloc(1 << 45)[0] != 0
    assert (acts[-1].effect.name, acts[-1].made) == ("memory_effects.allocate", [])
    assert snapshot(machine) == was


def test_several_can_watch(machine: Machine) -> None:
    """Each sees every effect; who leaves sees no more."""
    process = started(machine)
    outer: list[str] = []
    inner: list[str] = []
    with watched(lambda act: outer.append(act.effect.name)):
        with watched(after=lambda act: inner.append(act.effect.name)):
            done(process.c.cuEventCreate(0))
        done(process.c.cuStreamCreate(0))
    assert (outer, inner) == (
        ["context_effects.create_event", "context_effects.create_stream"],
        ["context_effects.create_event"],
    )
    assert mapping.enter is EFFECTS["mapping.enter"].function
    assert import_module("fakecuda.model.context_effects").create is EFFECTS["context_effects.create"].function
