"""Odd surroundings of a machine and its programs: it works there, or says which folder is at fault and what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.reach.remote.owner.endpoint import let_attach
from fakecuda.reach.remote.owner.rendezvous import reception
from tests.limits import started

if TYPE_CHECKING:
    from pathlib import Path

CHILD = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
OWNER = f"""
import subprocess, sys, warnings, fakecuda
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    with fakecuda.simulate("h200-x2") as cuda:
        child = subprocess.run([sys.executable, "-c", {CHILD!r}], capture_output=True)
        print(child.stdout.decode().strip() or child.stderr.decode(errors="replace")[-300:])
for one in warned:
    print(str(one.message).encode(errors="replace").decode("ascii", "replace"))
"""
C_LOCALE = {b"LC_ALL": b"C", b"PYTHONUTF8": b"0", b"PYTHONCOERCECLOCALE": b"0"}
LONG = b"/".join([b"d" * 90] * 3)


def ran(environ: dict[bytes, bytes], *before: str) -> str:
    """Return what the owner of a machine prints: what its child answers, and warnings."""
    command = [*before, sys.executable, "-c", OWNER]
    done = subprocess.run(command, env={**os.environb, **environ}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("folder", "environ"),
    [
        ("ünï".encode(), C_LOCALE),
        (b"\xff\xfe", {}),
        (b"\xff\xfe/" + LONG, C_LOCALE | {b"CUDA_VISIBLE_DEVICES": b"0,\xff"}),
    ],
    ids=["a C locale", "not UTF-8", "long, not UTF-8, in a C locale"],
)
def test_a_temporary_folder_with_an_odd_name(folder: bytes, environ: dict[bytes, bytes], tmp_path: Path) -> None:
    """Programs find their machine there, whatever their locale is."""
    path = os.path.join(os.fsencode(tmp_path), folder)  # noqa: PTH118 - bytes
    os.makedirs(path)  # noqa: PTH103 - as above
    assert ran({b"TMPDIR": path, **environ}) == "0\n"


@pytest.mark.parametrize(
    ("options", "target", "text"),
    [
        ("size=64k", "", "No space left on device"),
        ("ro", "", "0\n"),
        ("ro", "/dev/shm", "0\n"),  # noqa: S108 - what is missing there is no matter
    ],
    ids=["full", "read-only", "no /dev/shm"],
)
def test_a_file_system_without_room(options: str, target: str, text: str, tmp_path: Path) -> None:
    """The machine works, and a warning names the folder and says what helps; shared memory is not needed."""
    folder = target or str(tmp_path)
    apart = ("unshare", "--user", "--map-root-user", "--mount")
    script = f'mount -t tmpfs -o {options} none {folder} && exec "$@"'
    before = (*apart, "sh", "-c", script, "sh")
    if shutil.which(apart[0]) is None or subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted in a namespace here")
    told = ran({} if target else {b"TMPDIR": os.fsencode(tmp_path)}, *before)
    assert text in told
    if text != "0\n":  # a folder that cannot be written at all Python passes over
        assert str(tmp_path) in told
        assert "set TMPDIR to a writable folder with free space; or use shared=False" in told


def test_serve_prints_the_bytes_of_a_path(tmp_path: Path) -> None:
    """A shell takes them, whether they are text or not."""
    path = os.path.join(os.fsencode(tmp_path), b"\xff")  # noqa: PTH118 - bytes
    os.mkdir(path)  # noqa: PTH102 - as above
    command = [sys.executable, "-m", "fakecuda", "--profile", "h200", "serve"]
    with started(command, env={**os.environb, b"TMPDIR": path}, stdout=subprocess.PIPE) as served:
        assert served.stdout is not None
        assert b"/\xff/fakecuda-run-" in served.stdout.readline()
        served.terminate()
        assert served.wait() == 0


def test_a_folder_whose_name_ends_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader would look elsewhere: a warning says so."""
    (tmp_path / "a:b").mkdir()
    monkeypatch.setattr("fakecuda.reach.remote.owner.rendezvous._reception", [])
    monkeypatch.setattr("fakecuda.reach.native.folder._own", [])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a:b"))
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    with Machine("h200") as machine:
        with pytest.warns(
            RuntimeWarning, match=r"cannot find fakecuda's driver library in .*a:b.*a colon or semicolon"
        ):
            let_attach(machine, "a test", None)
        assert machine.offer is not None
        machine.offer.close()
    made = reception()
    made.listener.pause()
    made.abandon()
