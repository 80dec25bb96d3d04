"""Who counts refused calls hears of each, once: with the code of the API by which the program has called."""

from __future__ import annotations

from typing import Any

import pytest

from fakecuda import Machine, NotModelledWarning


def test_who_listens_hears_of_refused_calls() -> None:
    """And of none that succeeds; nobody need listen. A call that is not modelled has no rule."""
    heard: list[tuple[Any, ...]] = []
    with Machine("h200", seed=0) as machine:
        c = machine.here.c
        with pytest.warns(NotModelledWarning):
            c.cuCtxFromGreenCtx(0)
        c.cuInit(1)
        machine.refused = lambda thread, *told: heard.append((thread.process.name, *told))
        c.cuInit(0)
        c.cuInit(1)
        c.cudaMalloc(1 << 60)
        c.cuCtxFromGreenCtx(0)
    told = [(process, call, args, code, rule and rule.id) for process, call, args, code, rule, *_ in heard]
    assert told == [
        ("here", "cuInit", (1,), 1, "core.init.FLAGS_ARE_ZERO"),
        ("here", "cudaMalloc", (1 << 60,), 2, "memory.mem_alloc.MEMORY_SUFFICES"),
        ("here", "cuCtxFromGreenCtx", (), 801, None),
    ]
