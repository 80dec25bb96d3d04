"""Operations are imported when they are asked for, by an index of their modules."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from fakecuda import Machine
from fakecuda.reach.bindings.generated import driver
from fakecuda.rules import dispatch
from fakecuda.rules.core import RULES
from fakecuda.rules.dispatch import Op, Ops, late
from fakecuda.rules.registry import DRIVER, OPS

ALONE = """
import sys, fakecuda
a = fakecuda.Machine().spawn()
print(*sorted(name for name in sys.modules if name.startswith(("fakecuda.rules.", "fakecuda.reach.bindings.generated", "cuda"))))
a.c.cuInit(0)
print(*sorted(name for name in sys.modules if name.startswith("fakecuda.rules.")))
"""


def test_a_first_machine_imports_few_rules() -> None:
    """No operation and no binding is imported before it is called; a call imports its own module."""
    made, called = subprocess.check_output([sys.executable, "-c", ALONE], text=True).splitlines()
    homes = {op.module for op in OPS.values()}
    assert not homes & set(made.split())
    assert not any(name.startswith(("cuda", "fakecuda.reach.bindings.generated")) for name in made.split())
    assert homes & set(called.split()) == {DRIVER.ops["cuInit"].module}


def test_a_table_has_what_its_index_has() -> None:
    """Names are known without an import; what is declared besides is there, too."""
    table = Ops({"cuInit": DRIVER.ops["cuInit"].module.removeprefix(RULES)})
    assert (list(table), len(table), "cuInit" in table, "cuExit" in table) == (["cuInit"], 1, True, False)
    assert not table.declared()
    extra = table["cuExit"] = Op("cuExit", DRIVER, lambda _: None)
    assert (list(table), len(table), "cuExit" in table) == (["cuInit", "cuExit"], 2, True)
    assert table["cuExit"] is extra
    del table["cuExit"]
    assert "cuExit" not in table
    with pytest.raises(KeyError):
        table["cuExit"]


def test_the_collector_rests_while_an_operation_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it ran could make the very call."""
    seen = []
    table = Ops({"cuInit": "driver.core.init"})

    def imported(name: str) -> None:
        seen.append((name, gc.isenabled()))
        table["cuInit"] = DRIVER.ops["cuInit"]

    monkeypatch.setattr("fakecuda.rules.dispatch.import_module", imported)
    assert table["cuInit"] is DRIVER.ops["cuInit"]
    assert seen == [("fakecuda.rules.driver.core.init", False)]
    assert gc.isenabled()
    del table["cuInit"]
    gc.disable()
    try:
        assert table["cuInit"] is DRIVER.ops["cuInit"]
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_from_the_second_call_on_an_operation_is_called_itself() -> None:
    """The first one puts it into the module that calls it."""
    scope: dict[str, Any] = {}
    scope["_cuInit"] = late(scope, DRIVER.ops, "cuInit")
    with Machine() as machine:
        assert scope["_cuInit"](machine.here.current_thread().call, 0) == (0, None)
        assert scope["_cuInit"] is DRIVER.ops["cuInit"].invoke
        machine.here.driver.cuDriverGetVersion()
    assert vars(driver)["_cuDriverGetVersion"] is DRIVER.ops["cuDriverGetVersion"].invoke


def test_a_fork_waits_for_the_import_of_an_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its child would wait for ever for what a thread imports that is not there."""
    begun, inside = threading.Event(), list[str]()

    def slow(name: str) -> None:
        inside.append(name)
        begun.set()
        time.sleep(0.05)  # so that it would be under way, were it not waited for
        inside.clear()

    monkeypatch.setattr(dispatch, "import_module", slow)
    table = Ops({"cuNothing": "nowhere"})
    thread = threading.Thread(target=lambda: suppressed(table, "cuNothing"))
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        os._exit(bool(inside))
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


def suppressed(table: Ops, name: str) -> None:
    """Ask for an operation that its module does not declare."""
    with pytest.raises(KeyError):
        table[name]
