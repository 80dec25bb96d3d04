"""Hardware that no simulated machine has: S-class units, excluded cards, and host interface cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, given, initialised
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ONE_IS_THERE = Rule(
    "`index` is the index of a unit (nvmlUnitGetHandleByIndex) or of an excluded device; a simulated machine has "
    "neither",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlUnitGetHandleByIndex", "a machine without units answers INVALID_ARGUMENT"),
    fix="pass an index below the count that nvmlUnitGetCount or nvmlGetExcludedDeviceCount returns",
)


@NVML.op("nvmlUnitGetCount")
@NVML.op("nvmlGetExcludedDeviceCount")
def get_count(call: Call) -> int:
    """Return 0 units, because simulated machines have none."""
    initialised(call)
    given(call)
    return 0


@NVML.op("nvmlSystemGetHicVersion")
def system_get_hic_version(call: Call, count: int | None) -> tuple[int, tuple[()]]:
    """Return 0 host interface cards."""
    initialised(call)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    return 0, ()


@NVML.op("nvmlUnitGetHandleByIndex")
@NVML.op("nvmlGetExcludedDeviceInfoByIndex")
def get_by_index(call: Call, index: int) -> None:
    """Refuse every unit index."""
    initialised(call)
    raise ONE_IS_THERE.broken(index=index)
