"""NVML in forks: as an H200 of driver 580 has answered, the library is not initialised there, and can be."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.spec.codes import Nvml
from tests.nvml.state import code, of

if TYPE_CHECKING:
    from fakecuda import Process

PROGRAM = """
import ctypes, os, sys
import fakecuda

def told(library):
    count, room = ctypes.c_uint(), ctypes.create_string_buffer(96)
    ask = lambda: library.nvmlDeviceGetCount_v2(ctypes.byref(count))
    return [ask(), library.nvmlSystemGetNVMLVersion(room, 96), library.nvmlShutdown(), ask(),
            library.nvmlInit_v2(), ask(), library.nvmlShutdown(), library.nvmlShutdown()]

with fakecuda.simulate("h200-x2", **{OPTIONS}):
    library = ctypes.CDLL("libnvidia-ml.so.1")
    library.nvmlInit_v2(), library.nvmlInit_v2()
    for again in (False, True):
        sys.stdout.flush()
        child = os.fork()
        if not child:
            grandchild = os.fork() if again else 0
            if grandchild:
                os.waitpid(grandchild, 0)
            else:
                with fakecuda.simulate("h200"):
                    own = library.nvmlDeviceGetCount_v2(ctypes.byref(ctypes.c_uint()))
                print([own, *told(library)], flush=True)
            sys.exit()
        os.waitpid(child, 0)
    print(told(library))
"""
IN_A_FORK, IN_THE_PARENT = [1, 1, 0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
@pytest.mark.parametrize("options", [{}, {"shared": False}])
def test_a_fork_has_not_initialised_the_library(options: dict[str, bool]) -> None:
    """Nor has one of a fork; it takes back what its parent has done, and initialises it for itself. The parent goes on.

    So it is on a machine that the fork makes, too.
    """
    program = PROGRAM.replace("{OPTIONS}", repr(options))
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == [str(one) for one in (IN_A_FORK, IN_A_FORK, IN_THE_PARENT)]


def test_what_a_fork_inherits_can_only_be_taken_back(process: Process) -> None:
    """As often as its parent has initialised the library; its own initialisation ends that."""
    process.c.nvmlInit_v2()
    fork, of_that = of(process).spawn(), of(process).spawn()
    process.nvml.fork(fork.nvml)
    fork.nvml.fork(of_that.nvml)
    for one in (fork, of_that):
        assert [code(one.c.nvmlShutdown()) for _ in range(3)] == [Nvml.SUCCESS, Nvml.SUCCESS, Nvml.UNINITIALIZED]
    process.nvml.fork(fork.nvml)
    assert code(fork.c.nvmlDeviceGetCount_v2()) is Nvml.UNINITIALIZED
    fork.c.nvmlInit_v2()
    assert [code(fork.c.nvmlShutdown()) for _ in range(2)] == [Nvml.SUCCESS, Nvml.UNINITIALIZED]
    assert process.c.nvmlDeviceGetCount_v2() == (0, 2)
