"""Functions that a HIP library lacks."""

from __future__ import annotations

import pytest

from fakecuda import Machine, NotInLibrary
from fakecuda.rules.registry import HIP


def test_a_function_that_the_library_lacks_is_missing() -> None:
    """Through Python it raises, as hip-python does for the missing symbol."""
    with Machine("hip-clr-2024") as machine:
        lacking = sorted(machine.profile.hip.lacks & HIP.ops.keys())
        assert lacking
        for name in lacking:
            with pytest.raises(NotInLibrary, match=name):
                getattr(machine.here.c, name)(*(0 for _ in HIP.calls[name].inputs))
