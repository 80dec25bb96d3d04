"""The programs as a user's tests, which :mod:`tools.museum.visit` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.museum.exhibit import id_of
from tools.museum.registry import every_exhibit

if TYPE_CHECKING:
    from fakecuda import FakeCuda
    from tools.museum.exhibit import Program

PROGRAMS = [
    pytest.param(program, fixed, id=id_of(exhibit, name, fixed=fixed), marks=pytest.mark.fakecuda(**exhibit.settings))
    for exhibit in every_exhibit()
    for name, program in exhibit.programs.items()
    for fixed in (False, True)
]


@pytest.mark.parametrize(("program", "fixed"), PROGRAMS)
def test(fakecuda: FakeCuda, program: Program, fixed: bool) -> None:  # noqa: FBT001 - pytest's
    """Run a program as it was reported, or fixed."""
    program(fakecuda, fixed=fixed)
