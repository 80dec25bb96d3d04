"""The look-alike of hip-python where the wheel is: its classes, its words for what it does not take, and without it.

There is no HIP library under the real module here: a call whose arguments it takes raises a RuntimeError, or leads to a
library of ours and no machine, and only that is compared.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.reach.bindings.generated.hip import Calls
from fakecuda.reach.bindings.hip_classes import TAKEN
from fakecuda.spec import hip
from tests.each import each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function, Param

binding = pytest.importorskip("rocm.bindings.hip", reason="hip-python: pip install -e '.[hip]'")
types = pytest.importorskip("rocm.bindings.util.types", reason="hip-python: pip install -e '.[hip]'")
with suppress(RuntimeError):
    if binding.hipGetDeviceCount()[0] == binding.hipError_t.hipSuccess:
        pytest.skip("the real module would make the calls", allow_module_level=True)

MODELLED = sorted(name for name in vars(Calls) if name.startswith("hip"))
INTEGERS = {"int", "unsigned char", "unsigned int", "size_t", "unsigned long long", "uint32_t", "uint64_t"}
NEVER_RAISES = {"hipGetErrorName", "hipGetErrorString"}
NUMBERS: list[Any] = [-1, 1 << 31, 1 << 32, 1 << 64, 1.5, True, "5", None, object()]
POINTERS: list[Any] = ["x", object(), {}, 1 << 64]
UNWRITTEN = re.compile(r"-?\d+ is not a valid hip\w+")
"""The real module's value of an enumerator that a failed call has not written."""
WITHOUT = """
import sys
sys.modules["rocm.bindings.hip"] = None
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-x", *sys.argv[1:]]))
"""


@pytest.fixture(scope="module")
def a() -> Iterator[Any]:
    """Return what hip-python has, on a process."""
    with fakecuda.Machine("hip-clr-2026", strict=False) as machine:
        yield machine.spawn().hip


def by_value(p: Param) -> bool:
    """Return whether a parameter is a struct that C takes by value: the real module reads it at once."""
    return p.type in TAKEN and not p.pointer


def valid(p: Param) -> Any:
    """Return an argument that is taken."""
    if p.type in hip.ENUMS:
        return next(iter(getattr(binding, p.type)))
    if by_value(p):
        return getattr(binding, p.type)()
    return "x" if p.role == "string_in" else 0


def wrong(p: Param) -> list[Any]:
    """Return arguments of which some are not taken."""
    if p.type in hip.ENUMS and not p.pointer:
        return [0, None, "x", binding.hipDeviceAttribute_t(1), *list(getattr(binding, p.type))[:1]]
    if p.type in INTEGERS and not p.pointer:
        return NUMBERS
    return ["x", object(), {}] if by_value(p) else POINTERS


def answer(function: Any, args: list[Any]) -> tuple[str, str]:
    """Return the exception that a call raises, and its text; none where it takes the arguments."""
    try:
        function(*args)
    except RuntimeError:
        return "", ""
    except Exception as error:  # noqa: BLE001 - whatever it is
        unwritten = isinstance(error, ValueError) and UNWRITTEN.fullmatch(str(error))
        return ("", "") if unwritten else (type(error).__name__, str(error))
    return "", ""


def cases(call: Function) -> Iterator[list[Any]]:
    """Yield arguments: each one wrong, and pairs of wrong ones, of which one is told first."""
    params = [p for p in call.params if p.keyword]
    good = [valid(p) for p in params]
    yield good
    for index, p in enumerate(params):
        for value in wrong(p):
            yield [*good[:index], value, *good[index + 1 :]]
    if len(params) > 1:
        yield [object() for _ in params]
        yield [*(object() for _ in params[1:]), good[-1]]


@each("name", [name for name in MODELLED if name not in NEVER_RAISES])
def test_arguments(a: Any, name: str) -> None:
    """The look-alike takes what the real module takes, and says the same of the rest."""
    real = getattr(binding, name)
    for args in cases(hip.CALLS[name]):
        if all(not isinstance(arg, str) for arg in args):  # texts are read by the model, and named after no device
            assert answer(getattr(a, name), args) == answer(real, args), args
        else:
            assert answer(getattr(a, name), args)[0] == answer(real, args)[0], args


@each("name", MODELLED)
def test_keywords(name: str) -> None:
    """They are those of the real module."""
    own = list(inspect.signature(getattr(Calls, name)).parameters)[1:]
    assert own == list(inspect.signature(getattr(binding, name)).parameters)


def test_classes(a: Any) -> None:
    """They are the wheel's."""
    assert a.hipError_t is binding.hipError_t
    _, ptr = a.hipMalloc(64)
    assert type(ptr) is types.DeviceArray
    err, prop = a.hipGetDeviceProperties(0)
    assert type(err) is binding.hipError_t
    assert type(prop) is binding.hipDeviceProp_t
    assert type(a.hipGetErrorString(err)[1]) is types.CStr
    assert type(a.hipStreamCreate()[1]) is binding.ihipStream_t


def test_without_it() -> None:
    """What stands in for the wheel's classes passes the same tests."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WITHOUT, str(root / "tests/bindings/test_hip.py")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
