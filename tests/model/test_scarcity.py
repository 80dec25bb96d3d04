"""What the system refuses for a moment: in words, and tried again."""

from __future__ import annotations

import errno
import os
import threading

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory.files import sparse_file
from fakecuda.model.os import scarcity
from fakecuda.model.os.scarcity import is_scarce, patiently, started

from .test_worker_starts import PLACE


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.EMFILE, "Too many"), r"^Too many \(EMFILE\): close some file descriptors, .*ulimit -n"),
        (OSError(errno.ENOSPC, "No space", "/run/x"), r"^No space \(ENOSPC, /run/x\): set TMPDIR"),
        (OSError(errno.EPIPE, "Broken"), r"^Broken \(EPIPE\): remove the cause"),
        (OSError("odd"), "^odd: "),
        (MemoryError(), "^no memory is left: free some"),
        (RuntimeError("can't start new thread"), "^can't start new thread: .*ulimit -u"),
    ],
)
def test_words(error: BaseException, text: str) -> None:
    """An error names what was refused, and what helps."""
    with pytest.raises(FakeCudaError, match=text):
        raise FakeCudaError(scarcity.scarcity(error))


def failing(*errors: int) -> tuple[list[int], object]:
    """Return what a function has met so far, and the function: it fails by some errors before it answers."""
    left, met = list(errors), list[int]()

    def function() -> str:
        if left:
            met.append(left.pop(0))
            raise OSError(met[-1], "short")
        return "done"

    return met, function


def test_a_shortage_is_outlasted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another error is not, nor one that lasts."""
    monkeypatch.setattr(scarcity, "PAUSES", (0.0, 0.0))
    met, function = failing(errno.EMFILE, errno.ENOMEM)
    assert patiently(function) == "done"  # type: ignore[arg-type]
    assert met == [errno.EMFILE, errno.ENOMEM]
    with pytest.raises(BrokenPipeError):
        patiently(failing(errno.EPIPE)[1])  # type: ignore[arg-type]
    with pytest.raises(OSError, match="short"):
        patiently(failing(*[errno.ENOBUFS] * 2)[1], (0.0,))  # type: ignore[arg-type]
    assert is_scarce(OSError(errno.ENFILE, ""))
    assert not is_scarce(None)


def test_a_thread_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a clear error."""
    thread = threading.Thread(target=int)
    assert started(thread, "for nothing") is thread
    thread.join()

    def start(_: object) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(
        FakeCudaError, match=r"fakecuda cannot start a thread for a test \(can't start new thread\): end some"
    ):
        started(thread, "for a test")


@pytest.mark.parametrize("call", ["memfd_create", "ftruncate"])
def test_no_file_for_memory(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a clear error, no descriptor is left, and the call can be made again."""

    def fail(*_: object) -> int:
        raise OSError(errno.ENFILE, "Too many open files in system")

    with Machine("h200") as machine:
        c = machine.here.c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        _, memory = c.cuMemAlloc(64)
        before = machine.snapshot(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            with pytest.raises(
                FakeCudaError,
                match=r"cannot create a sparse file .*\(ENFILE\): close some file descriptors of any process",
            ):
                sparse_file(1 << 30)
            with pytest.raises(FakeCudaError, match="ENFILE"):
                c.cuMemcpyHtoD(memory, PLACE, 64)
        assert (machine.snapshot(), len(os.listdir("/proc/self/fd"))) == before  # noqa: PTH208 - as above
        assert c.cuMemcpyHtoD(memory, PLACE, 64) == (0,)
        machine.check_invariants()
