"""However a program finds a library of CUDA, it finds the machine's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.reach.install.loading import HIP_FILE
from fakecuda.reach.native import objects
from fakecuda.reach.remote.linked.build import compiler
from tests import warm
from tests.linked import loaders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKS = {
    "libcuda": "cuInit",
    "libnvidia-ml": "nvmlInitWithFlags",
    "libamdhip64": "hipInit",
    "libcudart": "cudaSetDevice",
}
"""A call of each library with a number as result."""
WAYS = 8
"""The number of ways to find each library."""
OTHER = "int cudaSetDevice(int device) { (void)device; return 77; }"
"""A library of NVIDIA in a wheel, which no machine replaces."""


def cases() -> list[Any]:
    """Return every name of every library, without and with the client for programs without Python."""
    kinds = [(kind, "h200") for kind in objects.every()]
    runtimes = [(objects.runtime(major), "h200") for major in objects.RUNTIMES]
    return [
        pytest.param(profile, linking, name, id=f"{name}-{linking}")
        for linking in ("plain", "link")
        for kind, profile in (*kinds, (objects.hip(), "hip-clr-2026"), *(runtimes if linking == "link" else ()))
        for name in dict.fromkeys((*kind.names, kind.short_name))
        if linking == "plain" or kind.soname != HIP_FILE
    ]


@pytest.mark.parametrize(("profile", "linking", "name"), cases())
def test_every_way_leads_to_the_machine(
    profile: str, linking: str, name: str, tmp_path: Path, compile_program: Callable[..., Path]
) -> None:
    """In this process, in a fork and in a Python child, each way is a call in the machine's log."""
    call = ASKS[name.partition(".so")[0]]
    if name in loaders.WHEELS:
        _install(tmp_path / loaders.WHEELS[name] / name)
    asker = compile_program("loaders", options=("-shared", "-fPIC"))
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, loaders.__file__, profile, linking, str(asker), name, call]
    done = warm.run(command, cwd=tmp_path, env=environ, fresh=(linking, name) == ("link", "libcuda.so.1"))
    assert done.returncode == 0, done.stderr
    found, log = json.loads(done.stdout)
    assert {where: {way: code for way, code in ways.items() if code} for where, ways in found.items()} == {
        "fork": {},
        "here": {},
        "child": {},
    }
    ways = WAYS + 2 * (name in loaders.WHEELS) + (name.partition(".so")[0] in loaders.PATHFINDER)
    assert len(found["here"]) == ways
    assert sorted(Counter(process for process, made in log if made == call).values()) == [ways] * 3


BEFORE = """
import ctypes, sys, warnings
warnings.simplefilter("always")
ctypes.CDLL(sys.argv[1])
import fakecuda
with fakecuda.simulate("h200") as machine:
    try:
        fakecuda.load_cudart(13)
    except fakecuda.FakeCudaError as error:
        print(error)
    with warnings.catch_warnings(record=True) as seen:
        machine.link()
    print(*[one.message for one in seen], sep="\\n")
"""


def test_a_real_runtime_before_the_machine_is_named(tmp_path: Path) -> None:
    """By load_cudart() and by link(), with its path. What it asks the driver for is a test of its own."""
    library, script = tmp_path / "libcudart.so.13", tmp_path / "script.py"
    _install(library)
    script.write_text(BEFORE)
    done = subprocess.run([sys.executable, script, library], capture_output=True, text=True, check=False)
    text = (
        f"another runtime library, {library}, is already loaded in this process, and calls would reach it instead of the "
        "machine: call fakecuda.load_cudart() before you import what brings that library\n"
    )
    assert (done.stdout, done.stderr) == (2 * text, "")


def _install(path: Path) -> None:
    """Put a library of NVIDIA's own where a wheel has it."""
    command = compiler()
    assert command is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_name("other.c")
    source.write_text(OTHER)
    subprocess.run([*command, "-shared", "-fPIC", f"-Wl,-soname,{path.name}", source, "-o", path], check=True)
