"""Functions that a HIP library lacks, and elements of formats that no case has."""

from __future__ import annotations

import pytest

from fakecuda import Machine, NotInLibrary
from fakecuda.rules.driver.texture.resource import SHARED_EXPONENT, element_of
from fakecuda.rules.registry import HIP


def test_a_function_that_the_library_lacks_is_missing() -> None:
    """Through Python it raises, as hip-python does for the missing symbol."""
    with Machine("hip-clr-2024") as machine:
        lacking = sorted(machine.profile.hip.lacks & HIP.ops.keys())
        assert lacking
        for name in lacking:
            with pytest.raises(NotInLibrary, match=name):
                getattr(machine.here.c, name)(*(0 for _ in HIP.calls[name].inputs))


def test_a_shared_exponent_is_one_element() -> None:
    """Of four bytes."""
    assert element_of(SHARED_EXPONENT, 1) == 4
