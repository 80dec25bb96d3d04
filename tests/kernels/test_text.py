"""Where the PTX of an image is found: in a text, in a fatbin, in a cubin that carries it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.kernels.launch import Runner
from fakecuda.kernels.text import ptx_of
from fakecuda.model.code.code import Refused
from tests.model.test_image import cubin, fatbin

from .world import HEAD, Bench

if TYPE_CHECKING:
    from fakecuda.model.code.module import Function

PTX, ELF, OTHER = 1, 2, 64
TEXT = (
    HEAD
    + ".visible .entry work(.param .u64 out)\n{ .reg .b64 %d; ld.param.u64 %d, [out]; st.global.u32 [%d], 5; ret; }\n"
)
NEWER = TEXT.replace("8.1", "99.4")
WRONG = TEXT.replace("st.global", "st.nowhere")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (TEXT.encode() + b"\0", TEXT),
        (cubin(ptx=TEXT.encode()), TEXT),
        (cubin(ptx=NEWER.encode()), NEWER),
        (cubin(), None),
        (fatbin((PTX, 80, b"old", 0), (PTX, 90, TEXT.encode(), 0), (PTX, 100, b"new", 0)), TEXT),
        (fatbin((ELF, 90, cubin(), 0), (PTX, 80, TEXT.encode(), 0)), TEXT),
        (fatbin((OTHER, 90, b"", 0), (ELF, 80, cubin(), 0), (ELF, 90, cubin(ptx=TEXT.encode()), 0)), TEXT),
        (fatbin((ELF, 90, cubin(), 0)), None),
        (b"short", "short"),
    ],
)
def test_the_text_of_an_image(data: bytes, found: str | None) -> None:
    """The newest PTX for the device, or that of a cubin, whose lines end with NUL."""
    assert ptx_of(data, 90) == found


def test_wrong_text_in_a_cubin() -> None:
    """It is read as that of an image is."""
    with pytest.raises(Refused, match="nowhere"):
        ptx_of(cubin(ptx=WRONG.encode()), 90)


@pytest.mark.parametrize("image", [TEXT.encode(), fatbin((PTX, 90, TEXT.encode(), 0))])
def test_a_kernel_runs(image: bytes) -> None:
    """From a text, and from a fatbin."""
    with Bench(image) as bench:
        out = bench.memory(bytes(4))
        assert bench.launch("work", out) == 0
        assert bench.values(out, "c_uint32", 1) == [5]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (cubin(), "the image has no PTX of it. Get PTX to the driver: nvcc -lineinfo"),
        (cubin(ptx=WRONG.encode()), "cannot be read: line"),
    ],
)
def test_a_kernel_without_ptx(code: bytes, why: str) -> None:
    """The error says how to get PTX from clients, or what is wrong with it."""
    device = SimpleNamespace(architecture=90)
    process = SimpleNamespace(machine=SimpleNamespace(races=None))
    context = SimpleNamespace(device=device, process=process)
    module = SimpleNamespace(image=SimpleNamespace(code=code), context=context, library=None)
    function: Any = SimpleNamespace(entry=SimpleNamespace(name="k"), module=module, prepared=None)
    made: Function = function
    with pytest.raises(fakecuda.KernelNotDefined, match=why):
        Runner().prepare(made)


def test_the_error_without_the_option() -> None:
    """It names the option."""
    hint = pytest.raises(fakecuda.KernelNotDefined, match='Or run its PTX by kernels="run"')
    with Bench(TEXT, kernels="error") as bench, hint:
        bench.launch("work", 0)


def test_a_variable_of_another_image() -> None:
    """A module does not have it."""
    body = ".extern .global .u32 far;\n.visible .entry work() { .reg .u64 %d; mov.u64 %d, far; ret; }"
    with Bench(HEAD + body) as bench, pytest.raises(fakecuda.KernelNotDefined, match="variable far, which the module"):
        bench.launch("work")
