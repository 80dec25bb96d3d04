"""PTX that is wrong: which calls answer so, and what their errors and logs say."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fakecuda.model.code.code import NEW_PTX, Refused
from fakecuda.rules.driver.module.image import too_new
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda import Machine

HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"


def test_the_error_log_has_the_line_and_the_reason(permissive: Machine) -> None:
    """As far as the log has room; without a log nothing is written, and PTX that is too new is named."""
    c = permissive.spawn("a").c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    wrong = (HEAD + ".entry k {\n  .reg .b32 r;\n  add.s32 r, r;\n}").encode()
    reason = b"error   : line 6, column 3: add.s32: 2 operands are given, 3 are needed"
    for data, code, text in (
        (wrong, Result.INVALID_PTX, reason),
        (
            b".version 9.9\n.target sm_90\n",
            Result.UNSUPPORTED_PTX_VERSION,
            b"error   : the PTX has .version 9.9, which this driver does not compile",
        ),
    ):
        for size in (4096, 12, 1):
            buffer = ctypes.create_string_buffer(b"x" * 4095, 4096)
            given = ((5, 6), (ctypes.addressof(buffer), size))
            assert c.cuModuleLoadDataEx(data, 2, *given) == (code, None)
            assert buffer.value.startswith(text[: size - 1])
            assert len(buffer.value) <= size - 1
    assert c.cuModuleLoadDataEx(wrong, 0, None, None)[0] == Result.INVALID_PTX
    level = (7,), (-1,)
    assert c.cuModuleLoadDataEx(wrong, 1, *level)[0] == Result.INVALID_PTX
    assert c.cuModuleLoadDataEx(b"garbage", 1, *level)[0] == Result.INVALID_IMAGE
    assert c.cuModuleLoadDataEx(b"garbage", 0, None, None)[0] == Result.INVALID_IMAGE
    assert c.cuModuleLoadDataEx(None, 0, None, None)[0] == Result.INVALID_VALUE


def test_ptx_that_is_too_new_names_what_to_use(permissive: Machine) -> None:
    """The newest CUDA whose PTX the driver compiles, and the driver of a profile that compiles the text's."""
    c = permissive.spawn("a").c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    for version, profile in (("9.3", ", or a profile with driver_version = 13030 or later"), ("99.0", "")):
        assert c.cuModuleLoadData(f".version {version}\n".encode())[0] == Result.UNSUPPORTED_PTX_VERSION
        found = too_new(SimpleNamespace(machine=permissive), Refused(NEW_PTX, version))  # type: ignore[arg-type]
        assert found == {"ptx": version, "driver": 13000, "use": f"NVRTC and nvcc of CUDA 13.0 or older{profile}"}
