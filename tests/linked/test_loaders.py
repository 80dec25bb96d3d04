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
"""A call of each library that takes a number and succeeds at once."""
WAYS = 8
"""The number of ways in which a process finds a library."""


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
    asker = compile_program("loaders", options=("-shared", "-fPIC"))
    command = [sys.executable, loaders.__file__, profile, linking, str(asker), name, call]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    found, log = json.loads(done.stdout)
    assert {where: {way: code for way, code in ways.items() if code} for where, ways in found.items()} == {
        "fork": {},
        "here": {},
        "child": {},
    }
    assert sorted(Counter(process for process, made in log if made == call).values()) == [WAYS] * 3
