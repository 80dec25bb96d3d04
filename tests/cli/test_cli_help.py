"""``help`` at the prompt, names that are near, structures by their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.prompt import manual
from fakecuda.prompt.manual import call_of, help_text
from fakecuda.prompt.shown import by_fields, meant

if TYPE_CHECKING:
    from fakecuda.prompt.console import Prompt


def test_help_quotes_the_manual(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A call by any of its doors, or by its name: signature, words and parameters of the manual, rules in their order."""
    prompt.feed(["help(a.driver.cuMemMap)"])
    told = capsys.readouterr().out
    assert told.startswith("cuMemMap(ptr: CUdeviceptr, size: size_t, offset: size_t, handle:")
    assert "cuMemMap can only create mappings on VA range reservations that are not" in told
    assert "  offset  size_t" in told
    assert ":py:obj:" not in told
    first, second = told.index("va.mem_map.FLAGS_ARE_ZERO"), told.index("va.mem_map.RANGE_IS_NOT_MAPPED")
    assert min(first, second) > told.index("The model checks, in this order:")
    for same in ("a.c.cuMemMap", '"cuMemMap"'):
        prompt.feed([f"help({same})"])
        assert capsys.readouterr().out == told


def test_help_of_other_things(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A call without a model says so; what is no call is Python's."""
    prompt.feed(["help(a.driver.cuTexRefCreate)"])
    assert "cuTexRefCreate is not modelled" in capsys.readouterr().out
    prompt.feed(["help(len)"])
    assert "Return the number of items in a container." in capsys.readouterr().out
    assert call_of(5) is None
    assert call_of("cuNothing") is None


def test_help_without_the_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names where the manual's words are."""
    monkeypatch.setattr(manual, "BINDINGS", {"driver": "no.such.module"})
    call = call_of("cuInit")
    assert call is not None
    assert "The manual is not available here: it is in the docstrings of no.such.module." in help_text(call)
    call = call_of("nvmlInit_v2")
    assert call is not None
    assert "The manual is not available here: it is in NVML's header" in help_text(call)


def test_misspelt_names_have_near_ones(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Calls, and the prompt's own words."""
    prompt.feed(["a.driver.cuMemMpa", "shwo()", "a.drvier", "zzzzqqq", "[].pop(1)"])
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("did you mean: ")]
    assert lines[0].startswith("did you mean: cuMemMap")
    assert lines[1] == "did you mean: show"
    assert lines[2].startswith("did you mean: driver")
    assert len(lines) == 3
    assert meant(None, {}) == []


def test_structures_are_shown_by_their_fields(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of CUDA by their own text, those of HIP, which tell an address alone, by the prompt."""
    pytest.importorskip("hip", reason="hip-python: pip install -e '.[hip]'")
    prompt.feed(["a.driver.CUmemLocation()", "a.hip.hipMemAllocationProp()"])
    told = capsys.readouterr().out
    assert "type : <CUmemLocationType" in told
    assert (
        "hipMemAllocationProp\n  type: <hipMemAllocationType.hipMemAllocationTypeInvalid: 0>\n  location:\n    type:"
        in told
    )
    assert by_fields(5) == 5
