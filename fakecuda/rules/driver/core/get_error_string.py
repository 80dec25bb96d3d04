"""cuGetErrorString: the description of a code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.core.get_error_name import CODE_IS_KNOWN, STRING_IS_GIVEN
from fakecuda.rules.driver.core.initialized import up

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuGetErrorString")
def get_error_string(call: Call, error: int) -> bytes:
    """Return the description of a CUresult, as the profile's driver words it; cuInit is not needed."""
    # CHECK
    up(call)
    if call.nulls:
        call.undefined(STRING_IS_GIVEN)
        raise STRING_IS_GIVEN.broken()
    if error not in call.machine.profile.strings:
        raise CODE_IS_KNOWN.broken(error=error)
    # EFFECT
    return call.machine.profile.strings[error].encode()
