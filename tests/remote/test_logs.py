"""Logs of loaders and linkers in memory of an attached process."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.client.client import RemoteMachine

if TYPE_CHECKING:
    from fakecuda import Machine
    from fakecuda.reach.remote.owner.endpoint import Offer


def logged(c: Any) -> list[bytes]:
    """Return what a loader and a linker write into the logs of a process."""
    logs = [ctypes.create_string_buffer(b"x" * 500, 500) for _ in range(3)]
    one, info, errors = map(ctypes.addressof, logs)
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    head = b".version 7.0\n.target sm_70\n.address_size 64\n"
    c.cuModuleLoadDataEx(head + b".visible .entry k() { bogus; }", 2, (5, 6), (one, 500))
    _, state = c.cuLinkCreate(4, (3, 4, 5, 6), (info, 500, errors, 500))
    for text in (b"bogus", head + b".extern .func f();\n.visible .entry k() { call f; ret; }"):
        c.cuLinkAddData(state, 1, text, len(text) + 1, b"one", 0, None, None)
    c.cuLinkComplete(state)
    return [log.raw for log in logs]


def test_logs_lie_in_the_process(machine: Machine, sharing: Offer) -> None:
    """Each line stands there once, though the owner asks the process about its memory, and then makes the call again."""
    far = logged(RemoteMachine(sharing.path).here.c)
    assert far == logged(machine.spawn().c)
    assert [b"bogus" in far[0], far[1][:2], far[2].count(b"Undefined reference to 'f' in 'one'")] == [True, b"\0x", 1]
