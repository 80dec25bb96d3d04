"""cuGetErrorString: the description of a result code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.get_error_name import known
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuGetErrorString")
def get_error_string(call: Call, error: int) -> bytes:
    """Return the description of a CUresult, as the profile's driver words it; cuInit is not needed."""
    # CHECK
    known(call, error)
    # EFFECT
    return call.machine.profile.strings[error].encode()
