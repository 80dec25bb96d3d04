"""A simulated CUDA driver for tests that have no GPU.

Its answers are checked against the real driver.
PYTEST_DONT_REWRITE: a process of a shared machine imports this package before pytest, which would warn about it.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.errors import (
        CheckWarning,
        EndlessWait,
        FakeCudaError,
        HandleSizeWarning,
        HookMissingWarning,
        KernelError,
        KernelNotDefined,
        MachineClosed,
        MachineCorrupted,
        NotAdmitted,
        NotInLibrary,
        NotModelledWarning,
        ProcessDied,
        ProfileError,
        UndefinedBehaviour,
        UndefinedBehaviourWarning,
        UnknownBindingsWarning,
    )
    from fakecuda.fixture import FakeCuda
    from fakecuda.machine.call_record import CallRecord
    from fakecuda.machine.expecting import expect, expect_deadlock, expect_undefined
    from fakecuda.machine.failing import fail
    from fakecuda.machine.faults.fault import Fault
    from fakecuda.machine.install import ImportedByNameWarning, cudart, installed
    from fakecuda.machine.late_uses import OutlivedWarning
    from fakecuda.machine.leaks import assert_no_leaks, leaks
    from fakecuda.machine.machine import Machine
    from fakecuda.machine.orders.orders import Orders
    from fakecuda.machine.refusals import Refusal
    from fakecuda.machine.runs.explore import Exploration, explore
    from fakecuda.machine.runs.sweep import Outcome, Sweep, sweep
    from fakecuda.machine.simulating import simulate
    from fakecuda.machine.why import why
    from fakecuda.model.code.kernels import kernel, set_condition
    from fakecuda.model.finding import Finding
    from fakecuda.model.graph.graph_run import GraphLaunch, current_graph, launch_graph
    from fakecuda.model.leaks import Leak
    from fakecuda.reach.native.runtime import load_cudart
    from fakecuda.reach.process import Process
    from fakecuda.rules.core import Rule
    from fakecuda.spec.codes import Result

__all__ = [
    "CallRecord",
    "CheckWarning",
    "EndlessWait",
    "Exploration",
    "FakeCuda",
    "FakeCudaError",
    "Fault",
    "Finding",
    "GraphLaunch",
    "HandleSizeWarning",
    "HookMissingWarning",
    "ImportedByNameWarning",
    "KernelError",
    "KernelNotDefined",
    "Leak",
    "Machine",
    "MachineClosed",
    "MachineCorrupted",
    "NotAdmitted",
    "NotInLibrary",
    "NotModelledWarning",
    "Orders",
    "Outcome",
    "OutlivedWarning",
    "Process",
    "ProcessDied",
    "ProfileError",
    "Refusal",
    "Result",
    "Rule",
    "Sweep",
    "UndefinedBehaviour",
    "UndefinedBehaviourWarning",
    "UnknownBindingsWarning",
    "assert_no_leaks",
    "cudart",
    "current_graph",
    "expect",
    "expect_deadlock",
    "expect_undefined",
    "explore",
    "fail",
    "installed",
    "kernel",
    "launch_graph",
    "leaks",
    "load_cudart",
    "set_condition",
    "simulate",
    "sweep",
    "why",
]

# pytest imports this package with its plugin in every run. Only the first use of a name loads the simulator.
_HOMES = {
    "fakecuda.spec.codes": ("Result",),
    "fakecuda.errors": (
        "CheckWarning",
        "EndlessWait",
        "FakeCudaError",
        "MachineCorrupted",
        "HandleSizeWarning",
        "HookMissingWarning",
        "KernelError",
        "MachineClosed",
        "KernelNotDefined",
        "NotAdmitted",
        "NotInLibrary",
        "NotModelledWarning",
        "ProcessDied",
        "ProfileError",
        "UndefinedBehaviour",
        "UndefinedBehaviourWarning",
        "UnknownBindingsWarning",
    ),
    "fakecuda.machine.faults.fault": ("Fault",),
    "fakecuda.fixture": ("FakeCuda",),
    "fakecuda.machine.expecting": ("expect", "expect_deadlock", "expect_undefined"),
    "fakecuda.machine.failing": ("fail",),
    "fakecuda.machine.install": (
        "ImportedByNameWarning",
        "cudart",
        "installed",
    ),
    "fakecuda.machine.late_uses": ("OutlivedWarning",),
    "fakecuda.machine.leaks": ("assert_no_leaks", "leaks"),
    "fakecuda.machine.refusals": ("Refusal",),
    "fakecuda.machine.simulating": ("simulate",),
    "fakecuda.machine.why": ("why",),
    "fakecuda.model.finding": ("Finding",),
    "fakecuda.model.graph.graph_run": ("GraphLaunch", "current_graph", "launch_graph"),
    "fakecuda.model.code.kernels": ("kernel", "set_condition"),
    "fakecuda.model.leaks": ("Leak",),
    "fakecuda.reach.native.runtime": ("load_cudart",),
    "fakecuda.machine.runs.explore": ("Exploration", "explore"),
    "fakecuda.machine.orders.orders": ("Orders",),
    "fakecuda.rules.core": ("Rule",),
    "fakecuda.machine.machine": ("CallRecord", "Machine"),
    "fakecuda.reach.process": ("Process",),
    "fakecuda.machine.runs.sweep": ("Outcome", "Sweep", "sweep"),
}


_RENAMED = {"HalfDone": "MachineCorrupted", "NoMeaning": "KernelNotDefined"}
"""Old names that stay for one release. ``machine`` is a third one: the package of this name warns when it is called."""


def __getattr__(name: str) -> object:
    """Load a public name."""
    if name in _RENAMED:
        warnings.warn(f"fakecuda.{name} is now fakecuda.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[__name__], _RENAMED[name])
    if name == "machine":
        return import_module("fakecuda.machine")
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        msg = f"module 'fakecuda' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(import_module(home), name)
    start = sys.modules.get("fakecuda.reach.remote.client.start")
    if start is not None:  # it waited for this, if it was in the middle of an import
        start.settle()
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
