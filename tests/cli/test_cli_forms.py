"""``fakecuda rules --forms``: the forms of the driver's functions, and how many are modelled."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.__main__ import main
from fakecuda.prompt.forms import forms_of
from fakecuda.reach.native.forms import MODELLED
from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec.forms import OUT
from fakecuda.spec.symbols import symbols

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "forms.md"


def test_each_form_is_modelled_or_has_a_reason() -> None:
    """No symbol of a modelled function is missing, and no reason is left behind."""
    forms = {one["symbol"]: one for one in forms_of()}
    own = {DRIVER.calls[name].symbol for name in DRIVER.ops}
    known = {one.name for one in symbols() if one.base in DRIVER.ops and not one.stream}
    assert forms.keys() | own & known == known
    assert not forms.keys() & own
    assert {name for name, one in forms.items() if one["call"] is None} == OUT.keys()
    assert {one["call"] for one in forms.values() if one["call"]} == set(FORMS.ops)
    assert all(bool(one["reason"]) is (name not in MODELLED) for name, one in forms.items())


def test_the_command_lists_and_counts_them(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for each with its CUDA version, and the counts that the page tells."""
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["rules", "--forms"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^  cuMemAdvise +8\.0 +cuMemAdvise_v1 *$", out, re.MULTILINE)
    assert re.search(r"^  cuStreamGetCtx_v2 +12\.5 +not modelled: its result is a green context *$", out, re.MULTILINE)
    *_, last = out.splitlines()
    functions, others, modelled, left = map(int, re.findall(r"\d+", last))
    assert last == f"functions: {functions}; other forms: {others}; modelled: {modelled}; not modelled: {left}"
    assert (others, modelled, left) == (modelled + left, len(FORMS.ops), len(OUT))
    told = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"{others} other forms of {functions} functions, and models {modelled} of them" in told


def test_json_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """An object for each form."""
    assert main(["rules", "--forms", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == forms_of()
