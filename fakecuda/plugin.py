"""The pytest plugin: the fixture ``fakecuda``, its mark, and the same tests on the real driver.

What pytest loads at its start is this module alone; the simulator is imported by the first test that asks for it.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from fakecuda.fixture import FakeCuda
    from fakecuda.profiles import Profile

ARGUMENTS = (
    "profile",
    "strict",
    "seed",
    "memory_cap",
    "completion",
    "patience",
    "clock",
    "door",
    "shared",
    "inherit",
)
LAST = 20
"""How many of the last calls the report of a failed test shows."""
MARK = (
    "fakecuda(profile=..., strict=True, seed=None, memory_cap=..., completion=..., patience=60, clock=..., door=..., shared=None, "
    "inherit=None): the machine of the fixture `fakecuda`; the closest mark wins; a list of profiles runs the test on each"
)

SWITCHES = ("MANAGED_MEMORY", "CONCURRENT_MANAGED_ACCESS", "IPC_EVENT_SUPPORTED", "MEMORY_POOLS_SUPPORTED")
"""Attributes in which machines with the same cards differ, by their systems, and of which calls' codes depend."""
CUDA_MAJOR = 1000
"""What the major version of CUDA is multiplied by in a driver's version."""

MACHINE = pytest.StashKey[Any]()
SHARED = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("fakecuda", "simulated CUDA driver")
    group.addoption(
        "--fakecuda",
        choices=("model", "real"),
        default="model",
        help="what the fixture gives: the simulated machine, or this machine's driver, in this process",
    )
    group.addoption(
        "--fakecuda-door",
        choices=("auto", "native", "lookalike"),
        default="auto",
        help="how calls reach the simulated machine: a libcuda.so.1 (where the platform has it), or the Python module alone",
    )
    group.addoption(
        "--fakecuda-shared",
        metavar="PROFILE",
        nargs="?",
        const="h200-x2",
        help="one machine for all tests and all workers of pytest-xdist, each test a new process of it; marks' profiles "
        "do not count",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark; find the driver when the tests run on it, or the machine that all workers share."""
    config.addinivalue_line("markers", MARK)
    if config.getoption("--fakecuda-shared") and not config.option.collectonly:
        _share(config, str(config.getoption("--fakecuda-shared")))
    if config.getoption("--fakecuda") == "real" and not config.option.collectonly:
        from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it

        driver = _driver()
        install.instead = lambda profile: _real(driver, profile)
        config.add_cleanup(lambda: setattr(install, "instead", None))


def _share(config: pytest.Config, profile: str) -> None:
    """Offer one machine to all workers, or use it in a worker; at the end it tells what was undefined."""
    from fakecuda.doors import install  # noqa: PLC0415 - not before somebody asks for it
    from fakecuda.sharing import xdist  # noqa: PLC0415 - likewise

    if not hasattr(config, "workerinput"):
        machine, ending = xdist.offer(profile)
        config.stash[SHARED] = machine
        config.add_cleanup(ending.close)
    install.instead = xdist.attached
    config.add_cleanup(lambda: setattr(install, "instead", None))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run whose shared machine has seen undefined behaviour."""
    machine = session.config.stash.get(SHARED, None)
    if machine is not None and machine.findings:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell the undefined behaviour that a shared machine has seen."""
    machine = terminalreporter.config.stash.get(SHARED, None)
    for finding in machine.findings if machine is not None else ():
        terminalreporter.write_line(f"fakecuda: undefined behaviour: {finding}", red=True)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once per profile where its mark names several."""
    profile = _arguments(metafunc.definition, pytest.Collector.CollectError).get("profile")
    if isinstance(profile, list | tuple) and "fakecuda" in metafunc.fixturenames:
        names = [getattr(one, "name", None) or str(one) for one in profile]
        metafunc.parametrize("fakecuda", profile, indirect=True, ids=names)


@pytest.fixture
def fakecuda(request: pytest.FixtureRequest) -> Iterator[FakeCuda]:
    """A fresh machine, reached by whatever calls the driver in this process; ``--fakecuda=real`` gives the real one."""
    __tracebackhide__ = True
    arguments = _arguments(request.node, pytest.UsageError)
    if hasattr(request, "param"):
        arguments["profile"] = request.param
    elif isinstance(arguments.get("profile"), list | tuple):
        problem = "a list of profiles needs the fixture among the test's arguments, not getfixturevalue"
        pytest.fail(problem, pytrace=False)
    arguments.setdefault("door", request.config.getoption("--fakecuda-door"))
    if arguments.get("seed") is None:
        # Its own: whatever machines other fixtures of the test make before it.
        arguments["seed"] = crc32(request.node.nodeid.encode())
    from fakecuda.doors.install import machine  # noqa: PLC0415 - not before a test asks for it
    from fakecuda.errors import FakeCudaError, UndefinedBehaviour  # noqa: PLC0415 - likewise
    from fakecuda.fixture import FakeCuda  # noqa: PLC0415 - likewise

    installation, problem = machine(**arguments), ""
    try:
        made = installation.__enter__()
    except FakeCudaError as error:
        problem = str(error)
    if problem:
        pytest.fail(problem, pytrace=False)
    request.node.stash[MACHINE] = made
    yield FakeCuda(made)
    del request.node.stash[MACHINE]
    found = None
    try:
        installation.__exit__(None, None, None)
    except UndefinedBehaviour as error:
        found = error.with_traceback(None)
    if found is not None:
        raise found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Have the machines that the test makes draw the same values when it runs again."""
    chance = sys.modules.get("fakecuda.model.chance")
    if chance is not None:
        chance.restart()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed but for undefined behaviour; tell the last calls of one that failed."""
    __tracebackhide__ = True
    try:
        result = yield
    except Exception:
        made = item.stash.get(MACHINE, None)
        if made is not None:
            from fakecuda.doors import findings  # noqa: PLC0415 - not before a test asks for it

            calls = [str(call) for call in made.log[-LAST:]]
            found = [f"undefined behaviour: {finding}" for finding in findings.take(made)]
            if calls or found:
                notes = [f"note: {note}" for note in made.notes]
                item.add_report_section("call", "fakecuda", "\n".join([*calls, *found, *notes]))
        raise
    made = item.stash.get(MACHINE, None)
    if made is not None and made.findings:
        from fakecuda.doors import findings  # noqa: PLC0415 - not before a test asks for it

        if error := findings.error_of(findings.take(made)):
            raise error
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Report what was used after its machine had ended, once the test in which it showed is over."""
    result = yield
    _report_outlived(item)
    return result


def _report_outlived(item: pytest.Item) -> None:
    """Report threads and values of former machines as errors of the tests that made them."""
    install = sys.modules.get("fakecuda.doors.install")
    if install is None:
        return
    for maker, text in install.take_outlived():
        # A worker of pytest-xdist may speak of the item under way only; the text names the other.
        nodeid = item.nodeid if hasattr(item.config, "workerinput") else maker
        path, _, name = nodeid.partition("::")
        report = pytest.TestReport(
            nodeid, (path, None, name), {}, "failed", f"{maker}: {text}", "teardown", [], 0.0, start=0.0, stop=0.0
        )
        item.config.hook.pytest_runtest_logreport(report=report)


def _arguments(node: pytest.Item, error: type[Exception]) -> dict[str, Any]:
    """Return the arguments of the closest mark; a wrong one is an error that says what to write."""
    mark = node.get_closest_marker("fakecuda")
    if mark is None:
        return {}
    problem = ""
    if mark.args:
        problem = f"takes no positional arguments: write profile={mark.args[0]!r}"
    elif unknown := set(mark.kwargs).difference(ARGUMENTS):
        problem = f"has no argument {min(unknown)!r}: it takes {', '.join(ARGUMENTS)}"
    elif mark.kwargs.get("profile", True) in ([], ()):
        problem = "has an empty list of profiles: name one at least"
    elif not isinstance(mark.kwargs.get("strict", True), bool):
        problem = f"has strict={mark.kwargs['strict']!r}: write True or False"
    if problem:
        msg = f"{node.nodeid}: @pytest.mark.fakecuda {problem}"
        raise error(msg)
    return dict(mark.kwargs)


class RealProcess:
    """This OS process on the real driver.

    Attributes:
        driver: cuda.bindings.driver.
        name: ``here``.
        alive: True.
    """

    __slots__ = ("driver",)
    name = "here"
    alive = True

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - a module
        self.driver = driver


class RealMachine:
    """This machine, in the place of a simulated one.

    Attributes:
        here: This OS process.
        findings: Empty; a driver cannot tell undefined behaviour.
        log: Empty; calls are not recorded.
        notes: Empty.
    """

    __slots__ = ("_children", "findings", "here", "log", "notes")

    def __init__(self, driver: Any) -> None:  # noqa: ANN401 - a module
        self.here = RealProcess(driver)
        self.findings: list[Any] = []
        self.log: list[Any] = []
        self.notes: list[str] = []
        self._children: Any = None

    @property
    def processes(self) -> dict[str, Any]:
        """This process, and those that were spawned."""
        return {"here": self.here, **(self._children.processes if self._children else {})}

    def spawn(self, name: str | None = None) -> Any:  # noqa: ANN401 - a process of realcuda
        """Start a process on the real driver."""
        if self._children is None:
            from realcuda import Machine  # noqa: PLC0415 - few tests on a real driver need it

            self._children = Machine()
        return self._children.spawn(name)

    def close(self) -> None:
        """End what was spawned, empty the thread's context stack and reset the devices' primary contexts."""
        if self._children is not None:
            self._children.close()
            self._children = None
        reset(self.here.driver)


def _driver() -> Any:  # noqa: ANN401 - a module
    """Return the real cuda.bindings.driver, initialised on a machine with a device.

    Raises:
        pytest.UsageError: There is none; the text says what to do.
    """
    fix = "run on a machine with a GPU, or without --fakecuda=real"
    try:
        driver: Any = import_module("cuda.bindings.driver")
    except ImportError:
        msg = "--fakecuda=real: cuda.bindings is not installed: pip install 'fakecuda[cuda]'"
        raise pytest.UsageError(msg) from None
    try:
        code, count = int(driver.cuInit(0)[0]), 0
        if code == 0:
            code, count = map(int, driver.cuDeviceGetCount())
    except Exception as error:  # noqa: BLE001 - the binding's loader raises what it likes
        msg = f"--fakecuda=real: no driver ({' '.join(str(error).split())}): {fix}"
        raise pytest.UsageError(msg) from None
    if code or not count:
        msg = f"--fakecuda=real: no GPU ({driver.CUresult(code).name}, {count} devices): {fix}"
        raise pytest.UsageError(msg)
    return driver


@contextmanager
def _real(driver: Any, profile: str | Path | Profile | None) -> Iterator[RealMachine]:  # noqa: ANN401 - a module
    """Give the real machine where it is what the profile asks for; skip the test otherwise."""
    if profile is not None and (reason := _lacks(driver, profile)):
        pytest.skip(f"--fakecuda=real: {reason}")
    machine = RealMachine(driver)
    reset(driver)
    try:
        yield machine
    finally:
        machine.close()


def _lacks(driver: Any, which: str | Path | Profile) -> str:  # noqa: ANN401 - a module
    """Return what of a profile this machine lacks, or an empty text."""
    from fakecuda.profiles import load  # noqa: PLC0415 - only on request

    profile = load(which)
    version = int(driver.cuDriverGetVersion()[1])
    if version // CUDA_MAJOR != profile.driver_version // CUDA_MAJOR:
        return f"profile {profile.name} has the driver of CUDA {_dotted(profile.driver_version)}, this machine {_dotted(version)}"
    count = int(driver.cuDeviceGetCount()[1])
    if count < len(profile.devices):
        return f"profile {profile.name} has {len(profile.devices)} devices, this machine {count}"
    devices = [driver.cuDeviceGet(ordinal)[1] for ordinal in range(len(profile.devices))]
    for ordinal, (wanted, device) in enumerate(zip(profile.devices, devices, strict=True)):
        name = driver.cuDeviceGetName(256, device)[1].split(b"\0")[0].decode()
        if family(name) != family(wanted.name):
            return f"profile {profile.name} has {wanted.name} as device {ordinal}, this machine {name}"
        for switch in SWITCHES:
            attribute = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{switch}")
            asked, here = (
                wanted.attributes.get(int(attribute), 0),
                int(driver.cuDeviceGetAttribute(attribute, device)[1]),
            )
            if asked != here:
                return f"profile {profile.name} has {switch} {asked} on device {ordinal}, this machine {here}"
    for (source, target), peer in profile.peers.items():
        here = bool(int(driver.cuDeviceCanAccessPeer(devices[source], devices[target])[1]))
        if here != peer.can_access:
            links = {True: "peer access", False: "no peer access"}
            pair = f"from device {source} to {target}"
            return f"profile {profile.name} has {links[peer.can_access]} {pair}, this machine {links[here]}"
    return ""


def _dotted(version: int) -> str:
    """Return a driver's version as CUDA's, ``12.4`` of 12040."""
    return f"{version // 1000}.{version % 1000 // 10}"


def family(name: str) -> str:
    """Return a device's model without maker, memory and form, ``H200`` of ``NVIDIA H200 NVL``."""
    found = re.search(r"\b[A-Z]*\d+[A-Z]*\b", name)
    return found[0] if found else name


def reset(driver: Any) -> None:  # noqa: ANN401 - a module
    """Empty the calling thread's context stack and reset the primary contexts that are active.

    One that a client goes on to use, which has retained it once for all tests, is active again then, and empty.

    Raises:
        RuntimeError: A primary context cannot be reset; the text names the device and the code.
    """
    from fakecuda.doors import clients  # noqa: PLC0415 - tests on a driver ask for it

    clients.end()
    # A stack is finite; the bound is for a driver that refuses to pop.
    for _ in range(1000):
        code, context = driver.cuCtxGetCurrent()
        if int(code) or not int(context) or int(driver.cuCtxSetCurrent(0)[0]):
            break
    for ordinal in range(int(driver.cuDeviceGetCount()[1])):
        device = driver.cuDeviceGet(ordinal)[1]
        if int(driver.cuDevicePrimaryCtxGetState(device)[2] or 0):
            (code,) = driver.cuDevicePrimaryCtxReset(device)
            if int(code):
                msg = f"the primary context of device {ordinal} cannot be reset: {code.name}"
                raise RuntimeError(msg)
            if clients.used():
                # References outlast a reset, but the next one makes the context: without others it ends again.
                driver.cuDevicePrimaryCtxRetain(device)
                driver.cuDevicePrimaryCtxRelease(device)
