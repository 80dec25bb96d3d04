"""cuMulticastGetGranularity: the granularity of multicast sizes and offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.multicast.handle import multicasting
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.multicast.multicast_create import RawProp

MINIMUM, RECOMMENDED = 0, 1

PROPERTIES_ARE_GIVEN = Rule(
    "`prop` is not null",
    Result.INVALID_VALUE,
    manual("cuMulticastGetGranularity", "Properties of the multicast object"),
    fix="pass the CUmulticastObjectProp that cuMulticastCreate will get",
)
OPTION_IS_KNOWN = Rule(
    "`option` is CU_MULTICAST_GRANULARITY_MINIMUM or CU_MULTICAST_GRANULARITY_RECOMMENDED",
    Result.INVALID_VALUE,
    manual("cuMulticastGetGranularity", "Determines which granularity to return"),
    fix="pass CU_MULTICAST_GRANULARITY_MINIMUM or CU_MULTICAST_GRANULARITY_RECOMMENDED",
)


@DRIVER.op("cuMulticastGetGranularity")
def multicast_get_granularity(call: Call, prop: RawProp | None, option: int) -> int:
    """Return the minimum (option 0) or recommended (1) granularity in bytes, the same for all multicast objects."""
    # CHECK
    multicasting(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    if option not in {MINIMUM, RECOMMENDED}:
        raise OPTION_IS_KNOWN.broken(option=option)
    # EFFECT
    can = call.machine.profile.multicast
    return can.recommended if option == RECOMMENDED else can.granularity
