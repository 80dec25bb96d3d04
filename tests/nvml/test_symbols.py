"""Every symbol of the library answers, through C, whatever is null: what is not modelled says so, and nothing is raised or dies."""

from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.errors import NotModelledWarning
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.nvml import NAMES, PROTOTYPES
from tests.each import each
from tests.nvml.state import shut_down

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
TEXT = "nvmlErrorString"
REST = sorted({*NAMES} - NVML.ops.keys() - {TEXT})
"""Exported functions that are not modelled; NAMES are all exported ones."""
MOST = 8
"""More arguments than any call has."""
STRANGE = 0xDEAD0000
LASTS = "nvmlShutdown", "nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags", "nvmlDeviceClearFieldValues"
"""Calls that succeed without arguments; the last one clears no fields."""


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Two H200 in this process, which answer where a call is undefined; NVML is initialised."""
    with fakecuda.simulate("h200-x2", strict=False) as made:
        shut_down()
        assert ctypes.CDLL("libnvidia-ml.so.1").nvmlInit_v2() == 0
        yield made
        shut_down()


def asked(name: str, *values: int) -> int:
    """Call a symbol with addresses and numbers, the rest of its arguments null."""
    function = getattr(ctypes.CDLL("libnvidia-ml.so.1"), name)
    given = [*values, *[0] * MOST][:MOST]
    return int(function(*map(ctypes.c_uint64, given)))


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("value", [0, STRANGE, (1 << 64) - 1])
def test_what_is_not_modelled_looks_at_nothing(value: int) -> None:
    """It answers NOT_SUPPORTED and warns once, by its own name, whatever it is given: vGPU, GPM, what came later."""
    assert {"nvmlGetVgpuVersion", "nvmlGpmSampleAlloc"} < {*REST}
    for name in REST:
        with pytest.warns(NotModelledWarning, match=f"^{name} is not modelled: it answers NVML_ERROR_NOT_SUPPORTED$"):
            assert asked(name, *[value] * MOST) == Nvml.NOT_SUPPORTED
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {asked(name, *[value] * MOST) for name in REST} == {Nvml.NOT_SUPPORTED}


@each("name", sorted({*NVML.ops} - {*LASTS}))
def test_what_is_modelled_refuses_null(machine: Machine, name: str) -> None:
    """All null; a handle that nobody gave out; a card's, and null for the rest. Its codes are NVML's, and no mistake is found."""
    card = machine.cards[0].handle
    handled = "nvmlDevice_t" in {kind for kind, _ in PROTOTYPES[name]}
    codes = [asked(name), *([asked(name, STRANGE), asked(name, card)] if handled else [])]
    assert {*codes} <= {*Nvml}
    assert codes[0] != Nvml.SUCCESS
    assert machine.findings == [] or {finding.rule.grade for finding in machine.findings} == {"undefined"}


@pytest.mark.usefixtures("machine")
def test_every_code_has_a_text() -> None:
    """Of a number that is none, too."""
    function = ctypes.CDLL("libnvidia-ml.so.1").nvmlErrorString
    function.restype = ctypes.c_char_p
    assert [function(code) for code in (0, 6, 12345)] == [b"Success", b"Not Found", b"Unknown Error"]
    assert {TEXT, *REST, *NVML.ops} == {*NAMES}
