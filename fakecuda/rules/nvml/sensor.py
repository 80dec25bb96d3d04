"""Read-only values of a card: limits, clocks, sensors, counters and parts.

The values are the recorded answers of one idle card of the same kind.

Nothing on a simulated card changes them: a temperature, a clock and the power are those of the recorded moment. A card of which
nothing was recorded answers NOT_SUPPORTED, and so does what was not asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.profiles.cards import recorded_codes
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.nvml.arguments import (
    ARGUMENTS_ARE_GIVEN,
    SIZE_SUFFICES,
    VERSION_IS_KNOWN,
    found,
    require_card_and_results,
)
from fakecuda.rules.nvml.link import links_of
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.nvml import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.spec.description import Function, Param

SENSORS = tuple(
    f"nvmlDeviceGet{name}"
    for name in (
        *("APIRestriction", "AccountingBufferSize", "AccountingMode", "AdaptiveClockInfoStatus", "AddressingMode"),
        *("ApplicationsClock", "AutoBoostedClocksEnabled", "BoardPartNumber", "Brand", "BridgeChipInfo", "BusType"),
        *(
            "C2cModeInfoV",
            "Capabilities",
            "ClkMonStatus",
            "Clock",
            "ClockInfo",
            "ClockOffsets",
            "ConfComputeMemSizeInfo",
        ),
        *(
            "CoolerInfo",
            "CurrPcieLinkGeneration",
            "CurrPcieLinkWidth",
            "CurrentClockFreqs",
            "CurrentClocksEventReasons",
        ),
        *("CurrentClocksThrottleReasons", "DecoderUtilization", "DefaultApplicationsClock", "DefaultEccMode"),
        *("DetailedEccErrors", "DisplayActive", "DisplayMode", "DriverModel", "DriverModel_v2", "DynamicPstatesInfo"),
        *("EncoderCapacity", "EncoderStats", "EncoderUtilization", "EnforcedPowerLimit", "FBCStats"),
        *("FanControlPolicy_v2", "FanSpeed", "FanSpeedRPM", "FanSpeed_v2", "GpcClkMinMaxVfOffset", "GpcClkVfOffset"),
        *(
            "GpuMaxPcieLinkGeneration",
            "GpuOperationMode",
            "GridLicensableFeatures_v4",
            "GspFirmwareMode",
            "GspFirmwareVersion",
        ),
        *("HostVgpuMode", "InforomConfigurationChecksum", "InforomImageVersion", "InforomVersion", "IrqNum"),
        *("JpgUtilization", "LastBBXFlushTime", "MarginTemperature", "MaxClockInfo", "MaxCustomerBoostClock"),
        *("MaxPcieLinkGeneration", "MaxPcieLinkWidth", "MemClkMinMaxVfOffset", "MemClkVfOffset", "MemoryBusWidth"),
        *("MemoryErrorCounter", "MinMaxClockOfPState", "MinMaxFanSpeed", "ModuleId", "MultiGpuBoard", "NumFans"),
        *("NumGpuCores", "NvLinkErrorCounter", "OfaUtilization", "PcieLinkMaxSpeed", "PcieReplayCounter", "PcieSpeed"),
        *(
            "PcieThroughput",
            "PerformanceModes",
            "PerformanceState",
            "PowerManagementDefaultLimit",
            "PowerManagementLimit",
        ),
        *("PowerManagementLimitConstraints", "PowerManagementMode", "PowerSource", "PowerState", "PowerUsage"),
        *("RemappedRows", "RepairStatus", "RetiredPagesPendingStatus", "RowRemapperHistogram", "SramEccErrorStatus"),
        *("SupportedClocksEventReasons", "SupportedClocksThrottleReasons", "TargetFanSpeed", "Temperature"),
        *("TemperatureThreshold", "ThermalSettings", "TotalEccErrors"),
        *("UnrepairableMemoryFlag_v1", "VbiosVersion", "ViolationStatus", "VirtualizationMode"),
        *("ConfComputeProtectedMemoryUsage", "DramEncryptionMode", "EncoderSessions", "FBCSessions", "Hostname_v1"),
        *(
            "NvLinkInfo",
            "NvlinkBwMode",
            "NvlinkSupportedBwModes",
            "PlatformInfo",
            "PowerMizerMode_v1",
            "RemappedRows_v2",
        ),
        *("SramUniqueUncorrectedEccErrorCounts",),
    )
)
"""The calls whose answers are recorded."""
TEMPERATURE = 1 << 24 | 12
"""The version of nvmlTemperature_v1_t, to be combined with its size."""
UNKNOWN_STATE = 32
"""NVML_PSTATE_UNKNOWN."""

SENSOR_IS_KNOWN = Rule(
    "the struct has version 1, and `sensorType` is NVML_TEMPERATURE_GPU",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetTemperatureV", "NVML answers INVALID_ARGUMENT to another sensor, whatever the version is"),
    fix="set version to nvmlTemperature_v1 and sensorType to NVML_TEMPERATURE_GPU",
)
ROOM_IS_GIVEN = Rule(
    "`size` is not 0",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetSupportedPerformanceStates", "NVML answers INVALID_ARGUMENT to a size of 0"),
    fix="pass an array of 16 states, and its size in bytes",
)
ROOM_SUFFICES = Rule(
    "the array is large enough for all performance states",
    Nvml.INSUFFICIENT_SIZE,
    observed("nvmlDeviceGetSupportedPerformanceStates", "NVML answers INSUFFICIENT_SIZE to a size of 2 bytes"),
    fix="pass an array of 16 states; the size counts bytes, 4 for each state",
)
QUESTION_IS_KNOWN = Rule(
    "each enum argument is a value of its enum, and each index argument is an index that the card has",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetMaxClockInfo", "NVML answers INVALID_ARGUMENT to unknown numbers"),
    fix="pass a member of the enum that the call takes, such as NVML_CLOCK_SM, or an index that the card has",
)
CARD_IS_READY = Rule(
    "the card has written its black box (BBX) before",
    Nvml.NOT_READY,
    manual("nvmlDeviceGetLastBBXFlushTime", "NVML_ERROR_NOT_READY if the BBX object has not been flushed yet"),
    fix="query again later; the card has not written its black box yet",
)
STATE_IS_THE_CARDS = Rule(
    "the card supports the performance state `pstate`",
    Nvml.UNKNOWN,
    observed("nvmlDeviceGetMinMaxClockOfPState", "NVML answers UNKNOWN to states that the card does not have"),
    fix="pass a state that nvmlDeviceGetSupportedPerformanceStates returns",
)
CARD_ANSWERS = Rule(
    "the card has the requested value (a simulated card: only if it was recorded on a real one)",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetFanSpeed", "NVML_ERROR_NOT_SUPPORTED if the device does not have a fan"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as a value that the card does not have, and continue without it",
)
REFUSALS = {
    int(rule.code): rule
    for rule in (VERSION_IS_KNOWN, QUESTION_IS_KNOWN, CARD_IS_READY, STATE_IS_THE_CARDS, CARD_ANSWERS)
}
"""The rule that a recorded error code stands for."""


def _value(param: Param, digits: str) -> Any:
    """Return a recorded result in the form of operations: a struct as bytes."""
    raw = bytes.fromhex(digits)
    if param.kind == "string":
        return raw.removesuffix(b"\0")
    return raw if param.kind == "struct" else int.from_bytes(raw, "little", signed=param.type == "int")


def _sensor(name: str) -> Callable[..., Any]:
    """Return the operation of a recorded call, with its checks and recorded errors."""
    described: Function = CALLS[name]
    sized = any(param.name == "length" for param in described.inputs)
    versioned = any(param.kind == "word" for param in described.inputs)

    def tell(call: Call, device: int, *given: Any) -> Any:
        """Return the recorded value of the card."""
        # CHECK
        card = require_card_and_results(call, device)
        if None in given:
            raise ARGUMENTS_ARE_GIVEN.broken()
        length = given[-1] if sized else 0
        key = ",".join(map(str, given[: len(given) - sized]))
        answers = card.facts.answers.get(name, {})
        if versioned and key not in answers and card.facts.answers:
            raise VERSION_IS_KNOWN.broken(version=given[-1])
        code, *outs = answers.get(key, [int(Nvml.NOT_SUPPORTED)])
        if name.startswith("nvmlDeviceGetNvLink") and not links_of(call, card):
            code = int(Nvml.NOT_SUPPORTED)
        if code:
            raise REFUSALS[code].broken(call=name, asked=key)
        values = tuple(_value(param, digits) for param, digits in zip(described.outputs, outs, strict=True))
        if sized and length <= len(values[0]):
            raise SIZE_SUFFICES.broken(length=length)
        # EFFECT
        return values if len(values) > 1 else values[0]

    refused = {*recorded_codes(name), int(Nvml.NOT_SUPPORTED)}
    checks: Any = tell
    checks.guards = (
        require_card_and_results,
        *([VERSION_IS_KNOWN] if versioned else []),
        *(rule for code, rule in REFUSALS.items() if code in refused and rule is not VERSION_IS_KNOWN),
        *([SIZE_SUFFICES] if sized else []),
    )
    return tell


for _name in SENSORS:
    NVML.op(_name)(_sensor(_name))


@NVML.op("nvmlDeviceGetTemperatureV")
def device_get_temperature_v(call: Call, device: int, asks: tuple[int, int, int] | None) -> tuple[int, int]:
    """Return the requested sensor and its temperature; ``asks`` is a nvmlTemperature_t."""
    # CHECK
    card = found(call, device)
    if asks is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    version, sensor, _ = asks
    if version != TEMPERATURE or sensor:
        raise SENSOR_IS_KNOWN.broken(version=version, sensor=sensor)
    if card.facts.temperature is None:
        raise CARD_ANSWERS.broken(device=device)
    # EFFECT
    return sensor, card.facts.temperature


@NVML.op("nvmlDeviceGetSupportedPerformanceStates")
def device_get_supported_performance_states(call: Call, device: int, size: int) -> tuple[int, ...]:
    """Return the supported performance states of the card. Unused entries of the array are UNKNOWN."""
    # CHECK
    card = require_card_and_results(call, device)
    if not size:
        raise ROOM_IS_GIVEN.broken()
    states, room = card.facts.pstates, size // 4
    if not states:
        raise CARD_ANSWERS.broken(device=device)
    if room < len(states):
        raise ROOM_SUFFICES.broken(size=size)
    # EFFECT
    return (*states, *[UNKNOWN_STATE] * (room - len(states)))


@NVML.op("nvmlDeviceValidateInforom")
def device_validate_inforom(call: Call, device: int) -> None:
    """Report that the card's stored configuration is valid."""
    found(call, device)
