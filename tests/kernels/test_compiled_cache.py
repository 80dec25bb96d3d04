"""Compiled kernels on disk, and kernels that are compiled again because they execute much."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.kernels import launch
from fakecuda.kernels.compiled import cache, engine

from .test_compiled_calls import CALL_FIB, FIB
from .world import Bench, kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
TEXT = """
.shared .b32 s; mov.u32 %r1, %tid.x; red.shared.add.u32 [s], %r1; WAIT ld.volatile.shared.u32 %r2, [s];
mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0; add.u32 %r2, %r2, %r1; st.global.u32 [%d1], %r2; red.global.add.u32 [g], 1;
"""
BEFORE = ".global .u32 g;"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Forget compiled kernels."""
    yield
    forget()


def forget() -> None:
    """Forget what this process has read and compiled."""
    for one in (engine.native, launch.program_of, launch.kernel_of):
        one.cache_clear()


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder of the files, which is empty."""
    monkeypatch.setenv(cache.OFF, "")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path))
    forget()
    return tmp_path / "fakecuda" / "kernels"


def ran(text: str = TEXT.replace("WAIT", ""), before: str = BEFORE) -> list[int]:
    """Return what a kernel writes in a new process of the model, by both engines."""
    forget()
    with Bench(kernel(text, before)) as bench:
        out = bench.memory(bytes(32))
        assert bench.launch("k", out, block=(8, 1, 1)) == 0
        assert bench.sync() == 0
        assert bench.twins.compared == 1
        return [int(one) for one in bench.values(out, "c_uint32", 8)]


def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with what is compiled."""
    found: list[str] = []
    compiled = engine.compiled

    def noted(text: str, level: int) -> Any:
        found.append(f"{'again' if '@again' in text else 'blocks'} {level}")
        return compiled(text, level)

    monkeypatch.setattr(engine, "compiled", noted)
    return found


def test_a_kernel_is_compiled_once(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes its code from the files; other contents have other files."""
    made = compiles(monkeypatch)
    wanted = [sum(range(number + 1)) + number for number in range(8)]
    assert ran() == ran() == ran() == wanted
    assert made == ["blocks 0"]
    assert files.stat().st_mode & 0o777 == 0o700
    assert len(list(files.iterdir())) == 1
    assert ran(TEXT.replace("WAIT", "add.u32 %r2, %r2, 1;")) == wanted
    assert ran(CALL_FIB, FIB) == ran(CALL_FIB, FIB) == [0, 1, 1, 2, 3, 5, 8, 13]
    assert made == ["blocks 0"] * 3


def test_a_kernel_that_waits_for_other_turns(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code of further turns has a file of its own, and reports name the same instructions."""
    made = compiles(monkeypatch)
    text = "mov.u32 %r1, %tid.x; nanosleep.u32 1; setp.eq.u32 %p0, %r1, 3; nanosleep.u32 1; @%p0 trap;"
    for _ in range(2):
        forget()
        with Bench(kernel(text)) as bench:
            assert bench.launch("k", bench.memory(bytes(4)), block=(5, 1, 1)) == 0
            assert bench.sync() == 719
            assert bench.twins.compared == 1
    assert made == ["blocks 0", "again 0"]
    assert len(list(files.iterdir())) == 2


def test_a_damaged_file_is_replaced(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut, changed in any part, or empty."""
    made = compiles(monkeypatch)
    ran()
    (file,) = files.iterdir()
    whole = file.read_bytes()
    for broken in (b"", whole[:20], whole[:-1], bytes([whole[0] ^ 1]) + whole[1:], whole[:-1] + bytes([whole[-1] ^ 1])):
        file.write_bytes(broken)
        ran()
        (file,) = files.iterdir()
        assert len(file.read_bytes()) == len(whole)
    assert made == ["blocks 0"] * 6


def test_files_may_be_impossible(files: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that is a file, a rename that fails, a variable that says so and a user without a home."""
    made = compiles(monkeypatch)

    def failing(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        ran()
    assert list(files.iterdir()) == []
    files.rmdir()
    files.write_bytes(b"")
    ran()
    with monkeypatch.context() as patch:
        patch.setenv(cache.OFF, "0")
        ran()
    files.unlink()
    with monkeypatch.context() as patch:
        patch.setenv(cache.FOLDER, "relative")
        patch.setenv("HOME", str(tmp_path / "home"))
        assert cache.folder() == tmp_path / "home" / ".cache" / "fakecuda" / "kernels"
        patch.setattr(Path, "expanduser", lambda _: (_ for _ in ()).throw(RuntimeError("no home")))
        assert cache.folder() is None
        ran()
    assert made == ["blocks 0"] * 4


def test_the_oldest_files_are_removed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are as large together as the limit at most; a use makes a file new again."""
    texts = [TEXT.replace("WAIT", f"add.u32 %r3, %r3, {number};") for number in range(4)]
    for number, text in enumerate(texts[:3]):
        ran(text)
        new = max(files.iterdir(), key=lambda one: one.stat().st_mtime_ns)
        os.utime(new, ns=(number, number))
    ran(texts[0])
    listed = sorted(files.iterdir(), key=lambda one: one.stat().st_mtime_ns)
    monkeypatch.setattr(cache, "MOST", sum(one.stat().st_size for one in listed))
    ran(texts[3])
    assert {*listed} - {*files.iterdir()} == {listed[0]}
    made = compiles(monkeypatch)
    ran(texts[0])
    assert made == []


def test_another_process_removes_files_meanwhile(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then there is less to remove."""
    files.mkdir(parents=True)
    (files / "folder").mkdir()
    monkeypatch.setattr(cache, "MOST", 0)
    ran()
    assert [one.name for one in files.iterdir()] == ["folder"]


def _write(number: int) -> None:
    """Write the same file many times."""
    for _ in range(50):
        cache.write("name", [number], bytes([number]) * 5000)


def test_processes_write_the_same_file(files: Path) -> None:
    """A reader finds a whole one."""
    workers = [multiprocessing.get_context("fork").Process(target=_write, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    found = [cache.read("name") for _ in range(200)]
    for worker in workers:
        worker.join()
    for one in [*filter(None, found), cache.read("name")]:
        assert one is not None
        assert one[1] == bytes(one[0]) * 5000
    assert [one.name for one in files.iterdir()] == ["name"]


def test_a_kernel_that_executes_much_is_compiled_again(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a launch, and its code is another process's first."""
    made = compiles(monkeypatch)
    monkeypatch.setattr(engine, "HOT", 20)
    for _ in range(2):
        forget()
        with Bench(kernel(TEXT.replace("WAIT", "bar.sync 0;"), BEFORE)) as bench:
            out = bench.memory(bytes(32))
            assert bench.launch("k", out, grid=(20, 1, 1), block=(8, 1, 1)) == 0
            assert bench.twins.compared == 1
    assert made == ["blocks 0", "again 0", "blocks 1", "again 1"]
    assert len(list(files.iterdir())) == 4
