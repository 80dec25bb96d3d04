"""``fakecuda.simulate``: its arguments, and what they mean for the machine that it installs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.machine import expected_names
from fakecuda.machine.checks import checks_of
from fakecuda.machine.install import installing
from fakecuda.machine.leaks import checked
from fakecuda.machine.simulation import Simulation
from fakecuda.model.machine import EAGER, MANUAL, MEMORY_CAP, WAIT_TIMEOUT
from fakecuda.model.work.clock import VIRTUAL
from fakecuda.modes import APART, ERROR
from fakecuda.renamed import taking_old_names

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from fakecuda import Machine
    from fakecuda.machine.leaks import Allowed
    from fakecuda.profiles import Profile


@taking_old_names
def simulate(
    profile: str | Path | Profile | None = None,
    *,
    strict: bool = True,
    races: bool | str = True,
    kernels: str = ERROR,
    seed: int | None = None,
    handles: str = APART,
    memory_cap: int = MEMORY_CAP,
    completion: str = EAGER,
    wait_timeout: float = WAIT_TIMEOUT,
    clock: str = VIRTUAL,
    schedule: int | str | None = None,
    door: str = "auto",
    shared: bool | None = None,
    inherit: bool | None = None,
    leaks: str = "ignore",
    leaks_allowed: Iterable[Allowed] = (),
    errors: str = "ignore",
    errors_allowed: Iterable[expected_names.Allowed] = (),
) -> Simulation:
    """Return a context manager and decorator that installs a new machine.

    It installs the machine into this process.
    It decorates functions, coroutines and classes. An inner machine hides the outer one. With ``pytest
    --fakecuda=real`` it is the real machine, which must satisfy the profile.

    Args:
        profile: A profile's name, the path of a TOML file, or a Profile; ``h200-x2`` by default.
        strict: Report undefined behaviour; if False, answer as the driver does.
        races: Report unordered accesses to memory; ``strict``, those, too, that only a call orders which need not wait. A
            machine that is not strict reports none.
        kernels: What to do with a launch of a kernel that has no Python function (:func:`fakecuda.kernel`): ``error``
            raises KernelNotDefined; ``skip`` checks and orders the launch, runs nothing, and reports reads of what the
            kernel may have written; ``run`` runs the kernel's PTX.
        seed: Seed for addresses and handles, mixed with the test id. None derives it from the test id and the number of
            machines that the test made before; outside of tests, it is random.
        handles: Which handles new objects get: ``apart``, handles that no object has had; ``card``, those of destroyed
            streams, events, graphs, nodes, arrays and libraries again, as on a card.
        memory_cap: Limit of written simulated memory in bytes, for each device and for each kind of host memory.
        completion: When streams do their work: ``eager``, as soon as possible; ``manual``, when a call waits for it or
            the test calls ``Machine.complete``.
        wait_timeout: Seconds that a call waits for another thread or process: see :class:`fakecuda.Machine`.
        clock: The time that events record: ``virtual``, which work and ``Machine.clock.advance`` move on; ``real``, the
            system's.
        schedule: Scheduling order of the calling thread, of the actors that it starts with ``Machine.orders``, and of
            the streams: a random seed, or the schedule string from a report. Streams do their work in their turns.
        door: ``native``, ``lookalike``, or ``auto``: native if the platform supports it.
        shared: Whether programs that are started meanwhile may attach, each as a process of the machine. None allows it
            if the platform has a driver library for them. True also warns if they cannot attach. False refuses them,
            and a forked child continues with a copy of the machine.
        inherit: Continue with the driver objects that this OS process holds from an earlier machine. The driver is then
            initialised. Primary contexts that are still retained are active and empty, under the same handle. None does
            so if an earlier machine was used by a client that relies on it: cuda.core, numba-cuda.
        leaks: What to do at the end about what is left behind: ``error`` raises an AssertionError, ``report`` warns by
            a CheckWarning, ``ignore`` does nothing. An exception of the block gets the text as a note instead.
        leaks_allowed: Leaks to accept: names of kinds, and functions that take a :class:`Leak` and return True to
            accept it.
        errors: What to do at the end about refused calls that :func:`fakecuda.expect` did not expect: the same values.
        errors_allowed: Refused calls to accept: names of codes and calls, ids of rules, and functions that take a
            :class:`Refusal` and return True to accept it.

    Raises:
        ProfileError: At installation: the profile is unknown or malformed.
        FakeCudaError: At installation: an argument has the wrong type, or the door is unknown or not available here.
            The text says what to write. At once: an argument, a mode or a kind of leak is unknown, and the text names
            similar ones; or an argument has its old name and its new one.
        EndlessWait: At the end: calls were in a deadlock, even if their exceptions were swallowed. Deadlocks that a
            function caught by naming EndlessWait do not count. Those in :func:`fakecuda.expect_deadlock` do not either.
        UndefinedBehaviour: At the end: code under test did what the manual calls undefined, raised or not. Findings
            that :func:`fakecuda.expect_undefined` expected do not count. An exception that is already propagating gets
            the findings as notes instead.
        AssertionError: At the end: a fault refused no call; or, with the mode ``error``, something is left behind or
            calls were refused.
    """
    several: object = profile
    if isinstance(several, list | tuple):
        msg = f"profile={profile!r}: a list is for @pytest.mark.fakecuda; make a machine for each profile"
        raise FakeCudaError(msg)
    may_leak, may_fail = checked(leaks_allowed), expected_names.checked(errors_allowed)
    checks_of(leaks, may_leak, errors, may_fail)
    arguments = {
        "strict": strict,
        "races": races,
        "kernels": kernels,
        "seed": seed,
        "handles": handles,
        "memory_cap": memory_cap,
        "completion": completion if schedule is None else MANUAL,
        "wait_timeout": wait_timeout,
        "clock": clock,
    }

    def install() -> AbstractContextManager[Machine]:
        checks = checks_of(leaks, may_leak, errors, may_fail)
        return installing(profile, arguments, schedule, checks, door=door, shared=shared, inherit=inherit)

    return Simulation(install)
