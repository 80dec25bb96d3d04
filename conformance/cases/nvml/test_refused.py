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

test_refused = suite(*settings, *cards, *use, *types, *instances)
