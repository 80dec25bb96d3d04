"""One trial of :mod:`conformance.fuzz.moments`, with a failure in one process.

It runs in a process that has :file:`failing.c` loaded first, in a fork of it that has a temporary folder of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import gc
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field, frozen

from conformance.fuzz.exchanges import GRANULE, HERE, PINNED, SIZE
from conformance.fuzz.failing import REPORT, SIDES, Failing, Point
from conformance.fuzz.whole import harm, is_held
from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.os import scarcity
from fakecuda.model.os.threads import running
from fakecuda.reach.remote.client import client, connecting
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner import listener, rendezvous
from fakecuda.reach.remote.protocol import frames
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.endpoint import Offer

LIMIT = 20.0
"""Seconds after which a trial hangs."""
GREETED = 3.0
"""Seconds for an owner to answer."""
WELL = ""


@define
class Seen:
    """The results of a trial.

    Attributes:
        heard: What the owner and the first process heard; nothing where all was well.
        hits: How many calls have failed.
        counts: What was counted, a line each.
        left: How many descriptors the owner has at the end.
        modules: What was imported meanwhile.
        wrong: What does not hold, a line each.
    """

    heard: list[str] = field(factory=list)
    hits: int = 0
    counts: str = ""
    left: int = 0
    modules: list[str] = field(factory=list)
    wrong: list[str] = field(factory=list)


def everything(c: Any, *, attached: bool) -> None:
    """Make calls of each kind, and check each one.

    Raises:
        AssertionError: One has answered with an error.
    """

    def done(name: str, *args: Any) -> Any:
        code, *rest = getattr(c, name)(*args)
        if code == Result.OUT_OF_MEMORY:
            msg = f"{name} answers that there is no memory"
            raise MemoryError(msg)
        assert not code, f"{name} answers {code}"
        return rest[0] if rest else None

    done("cuInit", 0)
    context = done("cuCtxCreate", None, 0, 0)
    memory = done("cuMemAlloc", SIZE)
    ctypes.memset(HERE, 3, SIZE)
    done("cuMemcpyHtoD", memory, HERE, SIZE)
    pinned = done("cuMemHostAlloc", SIZE, 0)
    ctypes.memset(pinned, 5, SIZE)
    done("cuMemcpyDtoH", HERE, memory, SIZE)
    assert ctypes.string_at(HERE, SIZE) == b"\3" * SIZE, "the copy is another one"
    done("cuMemcpyHtoD", memory, pinned, SIZE)
    descriptor = done("cuMemExportToShareableHandle", done("cuMemCreate", GRANULE, PINNED, 0), 1, 0)
    try:
        imported = done("cuMemImportFromShareableHandle", descriptor, 1)
    finally:
        os.close(descriptor)
    done("cuMemRelease", imported)
    done("cuMemHostRegister", HERE, SIZE, 0)
    try:
        stream = done("cuStreamCreate", 1)
        done("cuMemcpyHtoDAsync", memory, HERE, 64, stream)
        called: list[int] = []
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: called.append(1))
        done("cuLaunchHostFunc", stream, ctypes.cast(function, ctypes.c_void_p).value, 0)
        done("cuStreamSynchronize", stream)
        assert called, "the host function was not called"
    finally:
        c.cuMemHostUnregister(HERE)
    if attached:
        _in_a_thread(lambda: done("cuDeviceGetCount"))
    done("cuCtxDestroy", context)


def _in_a_thread(make: Any) -> None:
    """Make a call in a new thread; ignore a failure to start the thread."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            make()
        except BaseException as error:  # noqa: BLE001 - it is raised again
            raised.append(error)

    thread = threading.Thread(target=run, name="a thread of the program")
    with contextlib.suppress(RuntimeError):
        thread.start()
        thread.join()
    for error in raised:
        raise error


def heard(make: Any) -> str:
    """Return errors that a program's calls report, with ``!`` before unexpected ones."""
    try:
        make()
    except (FakeCudaError, MemoryError) as error:
        text = str(error)
        clear = len(text) > 10 and "Traceback" not in text
        return f"{type(error).__name__}: {text}" if clear else f"!{type(error).__name__}: {text!r}"
    except AssertionError as error:
        return f"!{error}"
    except BaseException as error:  # noqa: BLE001 - what must not come
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"!{error!r} in {where.filename}:{where.lineno}"
    return WELL


@frozen
class Child:
    """A forked process that waits until it may attach.

    Attributes:
        pid: Its number.
        line: What it tells comes here.
        gate: It may once a byte comes here.
    """

    pid: int
    line: int
    gate: int


class Trial:
    """A trial in this process.

    Args:
        failing: The library.
        point: What fails.
        seen: What came of it, which is filled.
    """

    def __init__(self, failing: Failing, point: Point, seen: Seen) -> None:
        self._failing = failing
        self._point = point
        self._seen = seen
        self._machine: Any = None
        self._ending = contextlib.ExitStack()
        self._threads = running()

    def run(self) -> None:
        """Create a machine, attach two processes, and check the results."""
        seen, failing, side = self._seen, self._failing, self._point.side
        if side == "owner":
            failing.arm(self._point)
        offer = self._offered()
        if offer is None:  # the moment has refused it: the next one does not
            failing.rest()
            offer = self._offered()
            assert offer is not None, seen.heard
        if side == "c":
            with failing.aside():
                self._machine.link()
        own = heard(lambda: everything(self._machine.here.c, attached=False)) if side == "owner" else WELL
        second = self._fork(offer)
        first = self._in_c(offer) if side == "c" else self._heard(self._fork(offer, armed=side == "child"))
        failing.rest()
        if side == "owner":
            seen.hits, seen.counts = failing.seen()
        seen.heard += [own, first]
        # The second process was there before; a third is forked now, for a fork has the owner listen again.
        others = [self._heard(second)]
        others.append(self._heard(self._fork(offer)))
        seen.wrong += [f"another process hears {text}" for text in others if text]
        again = heard(lambda: everything(self._machine.here.c, attached=False))
        if again:
            seen.wrong.append(f"the owner hears {again} behind it")
        seen.wrong += [f"hears {text[1:]}" for text in seen.heard if text.startswith("!")]
        self._judge()

    def _offered(self) -> Offer | None:
        """Share a new machine and return its offer; None if the system refuses."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            offers: list[Offer] = []
            text = heard(lambda: offers.append(self._make()))
        if text:
            self._seen.heard.append(text)
            heard(self._ending.close)
        self._seen.wrong += [f"warns: {one.message}" for one in warned if not issubclass(one.category, RuntimeWarning)]
        return offers[0] if offers else None

    def _make(self) -> Offer:
        self._machine = self._ending.enter_context(Machine("h200-x2", strict=False, seed=0, wait_timeout=LIMIT))
        made: Offer = self._ending.enter_context(self._machine.shared(export=False))
        return made

    def _fork(self, offer: Offer, *, armed: bool = False) -> Child:
        """Fork a process that attaches and makes calls on request."""
        with self._failing.aside():
            (ours, theirs), (gate, opened) = os.pipe(), os.pipe()
        pid = -1
        try:
            pid = os.fork()
        except OSError:  # the program's own affair
            with contextlib.suppress(OSError):
                pid = os.fork()
            if pid < 0:
                self._failing.rest()
                pid = os.fork()
        if not pid:
            text, counts = "!nothing", (0, "")
            try:
                os.close(opened)
                os.read(gate, 1)
                remote = RemoteMachine(offer.address)
                if armed:
                    self._failing.arm(self._point)
                text = heard(lambda: everything(remote.here.c, attached=True)) or heard(remote.leave)
                counts = self._failing.seen()
                self._failing.rest()
            finally:
                os.write(theirs, json.dumps([text, *counts]).encode())
                os._exit(0)
        with self._failing.aside():
            os.close(theirs)
            os.close(gate)
        return Child(pid, ours, opened)

    def _heard(self, child: Child) -> str:
        """Attach a process and make its calls; return its errors."""
        with self._failing.aside():
            os.write(child.gate, b"1")
            os.close(child.gate)
            text, hits, counts = self._told(child.line, child.pid)
        if self._point.side == "child" and counts:
            self._seen.hits, self._seen.counts = hits, counts
        return text

    @staticmethod
    def _told(ours: int, pid: int) -> tuple[str, int, str]:
        """Return a child's output within the time limit."""
        content, end = b"", time.monotonic() + LIMIT
        while select.select([ours], [], [], max(0.0, end - time.monotonic()))[0]:
            part = os.read(ours, REPORT)
            content += part
            if not part:
                break
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(ours)
        status = os.waitpid(pid, 0)[1]
        if not content:
            return f"!nothing: it stands still, or has ended by {status}", 0, ""
        text, hits, counts = json.loads(content)
        return text, hits, counts

    def _in_c(self, offer: Offer) -> str:
        """Attach a C program that makes calls; return its output."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report"
            environ = os.environ | offer.environ() | {"LD_PRELOAD": self._failing.library}
            environ |= {"MOMENTS": self._point.told(), "MOMENTS_REPORT": str(report)}
            command = [self._failing.program]
            try:
                done = subprocess.run(  # noqa: S603 - it is the loop's own
                    command, capture_output=True, text=True, check=False, env=environ, timeout=LIMIT
                )
            except subprocess.TimeoutExpired:
                return "!nothing: it stands still"
            if report.exists():
                hits, _, self._seen.counts = report.read_text().partition("\n")
                self._seen.hits = int(hits)
        if not done.returncode and done.stdout == "well\n":
            return WELL
        clear = done.returncode == 1 and "fakecuda: " in done.stderr
        return f"{'' if clear else '!'}{done.returncode}: {done.stdout.strip()}; {done.stderr.strip()}"

    def _judge(self) -> None:
        """Check what is left."""
        seen, machine = self._seen, self._machine
        if not until(lambda: not self._alive()):
            seen.wrong.append(f"leaves {self._alive()}")
        seen.wrong += harm(machine)
        if not is_held(machine):
            heard(self._ending.close)
        gc.collect()
        if not until(lambda: len(running() - self._threads) <= 1):  # one listens
            seen.wrong.append(f"leaves threads: {[one.name for one in threading.enumerate()]}")
        seen.left = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
        with contextlib.suppress(ChildProcessError):
            seen.wrong.append(f"leaves a process: {os.waitpid(-1, os.WNOHANG)}")

    def _alive(self) -> list[Any]:
        machine = self._machine
        return [one for one in list(machine.processes.values()) if one.alive and one is not machine.here]


def until(condition: Any) -> bool:
    """Return whether a condition becomes true within some seconds."""
    end = time.monotonic() + GREETED
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return bool(condition())


def hasten() -> None:
    """Shorten the waits of this process."""
    connecting.GREETED = GREETED
    listener.PAUSES = (0.001, 0.002, 0.004)
    scarcity.PAUSES = (0.001, 0.002)
    frames.REST = rendezvous.GREETING = client.TIMEOUT = client.LEAVING = GREETED


def prepare(failing: Failing) -> None:
    """Import the modules that trials need, so that no trial tests imports."""
    for side in SIDES:
        for name in tried(failing, Point(side)).modules:
            with contextlib.suppress(ImportError):
                import_module(name)


def tried(failing: Failing, point: Point, plant: str = "") -> Seen:
    """Try a point in a fork of this process.

    Args:
        failing: The library.
        point: What fails.
        plant: Python that plants a mistake.
    """
    folder = tempfile.mkdtemp(prefix="moment-")
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        seen = Seen()
        try:
            os.close(ours)
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            faulthandler.dump_traceback_later(2 * LIMIT, exit=True)
            hasten()
            exec(plant, {})  # noqa: S102 - a test's own
            before = set(sys.modules)
            Trial(failing, point, seen).run()
            seen.modules = sorted(set(sys.modules) - before)
        except BaseException:  # noqa: BLE001 - whatever it is
            seen.wrong.append(traceback.format_exc())
        finally:
            faulthandler.cancel_dump_traceback_later()
            atexit._run_exitfuncs()  # noqa: SLF001 - as at the end of a program
            os.write(theirs, json.dumps(asdict(seen)).encode())
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as told:
        content = told.read()
    os.waitpid(pid, 0)
    seen = Seen(**json.loads(content)) if content else Seen(wrong=["the owner stands still, or has ended"])
    seen.wrong += [f"leaves {name}" for name in os.listdir(folder)]  # noqa: PTH208 - names are enough
    shutil.rmtree(folder, ignore_errors=True)
    return seen
