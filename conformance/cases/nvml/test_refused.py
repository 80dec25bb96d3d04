"""Calls that every card refuses: settings of administrators, and virtual cards."""

from __future__ import annotations

from conformance.cases.nvml.fixtures import refused
from conformance.cases.nvml.sweeps import WRONG
from conformance.kit.case import suite
from fakecuda.rules.nvml.rights import BY_POINTERS, SETTERS
from fakecuda.rules.nvml.vgpu import INTO_RESULTS, OF_CARDS, OF_INSTANCES, OF_TYPES, UTILISATION
from fakecuda.spec.codes import Nvml

VERSION, SIZE = UTILISATION
settings = refused([*SETTERS, *BY_POINTERS], Nvml.NO_PERMISSION)
for one in settings[-len(BY_POINTERS) :]:
    one.breaks("ARGUMENTS_ARE_GIVEN", **{one.inputs[-1]: None})
cards = refused([*OF_CARDS, *INTO_RESULTS], Nvml.NOT_SUPPORTED)
for one in cards:
    if one.call == "nvmlDeviceGetVgpuProcessesUtilizationInfo":  # the others of them take numbers
        one.breaks("ARGUMENTS_ARE_GIVEN", **{one.inputs[-1]: None})
use = refused(["nvmlDeviceGetVgpuInstancesUtilizationInfo"], Nvml.NOT_SUPPORTED, vgpuUtilInfo=VERSION << 24 | SIZE)
use[0].breaks("VERSION_IS_KNOWN", **{use[0].inputs[-1]: WRONG})
types = refused(OF_TYPES, Nvml.INVALID_ARGUMENT)
instances = refused(OF_INSTANCES, Nvml.NOT_FOUND, vgpuInstance=1)

counters = refused([f"nvmlDeviceGetNvLinkUtilization{end}" for end in ("Control", "Counter")], Nvml.NOT_SUPPORTED)
for one in counters:
    one.also("the first", rule="COUNTERS_ARE_SUPPORTED")(lambda _, i: i)
pages = refused([f"nvmlDeviceGetRetiredPages{end}" for end in ("", "_v2")], Nvml.NOT_SUPPORTED)
for one in pages:
    one.also("a card without retired pages", rule="PAGES_ARE_RETIRED")(lambda _, i: i)
    one.breaks("CAUSE_IS_KNOWN", cause=2)
    one.null("pageCount", "ARGUMENTS_ARE_GIVEN")
data = refused(["nvmlDeviceGetVgpuMetadata"], Nvml.NOT_SUPPORTED)
data[0].null("bufferSize", "ARGUMENTS_ARE_GIVEN")
most = refused(["nvmlVgpuTypeGetMaxInstances"], Nvml.NOT_SUPPORTED)
placed = [
    *refused(["nvmlVgpuTypeGetMaxInstancesPerGpuInstance"], Nvml.INVALID_ARGUMENT, pMaxInstance=1 << 24 | 12),
    *refused(
        ["nvmlVgpuInstanceGetPlacementId"], Nvml.NOT_FOUND, vgpuInstance=1, version=1 << 24 | 8, pPlacement=1 << 24 | 8
    ),
]
for one in placed:
    one.breaks("VERSION_IS_KNOWN", **{one.inputs[-1]: WRONG})
    one.breaks("ARGUMENTS_ARE_GIVEN", **{one.inputs[-1]: None})

test_refused = suite(*settings, *cards, *use, *types, *instances, *counters, *pages, *data, *most, *placed)
