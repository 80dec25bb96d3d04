"""The library and its system: versions, units, card events and system events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.nvml.fixtures import card, refused
from conformance.cases.nvml.sweeps import WRONG
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

LONG = 96
XID = 8
UNKNOWN = 0x123450
CREATE, REGISTER, WAIT = 1 << 24 | 16, 1 << 24 | 24, 1 << 24 | 32
"""Versions of the requests for system events."""
UNBIND = 1


def fresh(w: World) -> Process:
    """Return a process without initialised NVML."""
    return w.process(context=False, init=False)


starts = [Entry.of(call, start=fresh) for call in ("nvmlInit", "nvmlInit_v2")]
starts.append(Entry.of("nvmlInitWithFlags", lambda _: (1,), start=fresh))
for one in starts:
    one.also("a machine of another maker", rule="DRIVER_IS_LOADED")(lambda _, i: i)
    one.only("hip-clr-2026", "a-machine-of-another-maker")
ends = Entry.of("nvmlShutdown")
versions = [Entry.of(f"nvmlSystemGetCudaDriverVersion{end}") for end in ("", "_v2")]
texts = [Entry.of(f"nvmlSystemGet{name}Version", lambda _: (LONG,)) for name in ("Driver", "NVML")]
branch = Entry.of("nvmlSystemGetDriverBranch", lambda _: (1 << 24 | 84, LONG))
branch.breaks("VERSION_IS_KNOWN", branchInfo=WRONG)
branch.also("a driver whose branch is not known", rule="BRANCH_IS_KNOWN")(lambda _, i: i)
branch.only("driver-12.4", "a-driver-whose-branch-is-not-known")
name = Entry.of("nvmlSystemGetProcessName", lambda a: (a.number(), LONG))
name.breaks("system.ROOM_IS_GIVEN", length=0)
name.breaks("PROCESS_IS_FOUND", pid=1)
near = Entry.of("nvmlSystemGetTopologyGpuSet", lambda _: (0, 4))
near.breaks("ARRAY_IS_COUNTED", count=0)
units = [Entry.of(call) for call in ("nvmlGetExcludedDeviceCount", "nvmlUnitGetCount")]
units.append(Entry.of("nvmlSystemGetHicVersion", lambda _: (4,)))
none = refused(["nvmlGetExcludedDeviceInfoByIndex", "nvmlUnitGetHandleByIndex"], Nvml.INVALID_ARGUMENT)
for one in none:
    one.also("the first", rule="ONE_IS_THERE", index=0)
OLDER = "a100-80gb"
"""Cards before Hopper."""
private = [Entry.of(f"nvmlSystemGetConfCompute{end}") for end in ("State", "Capabilities", "GpusReadyState")]
private.append(Entry.of("nvmlSystemGetConfComputeSettings", lambda _: (1 << 24 | 20,)))
private.append(Entry.of("nvmlSystemGetConfComputeKeyRotationThresholdInfo", lambda _: (1 << 24 | 16,)))
for one in private:
    one.also("cards before Hopper", rule="CARDS_ARE_HOPPER")(lambda _, i: i)
    one.only(OLDER, "cards-before-Hopper")
for one in private[3:]:
    one.breaks("VERSION_IS_KNOWN", **{one.inputs[0]: WRONG})
    one.breaks("ARGUMENTS_ARE_GIVEN", **{one.inputs[0]: None})
bandwidth = Entry.of("nvmlSystemGetNvlinkBwMode")
bandwidth.also("cards before Hopper", rule="BANDWIDTH_HAS_MODES")(lambda _, i: i)
bandwidth.only(OLDER, "cards-before-Hopper")


def held(a: Process) -> int:
    """Return a new event set for cards."""
    made: int = a.ok.nvmlEventSetCreate()
    return made


makes = Entry.of("nvmlEventSetCreate")
registers = Entry.of("nvmlDeviceRegisterEvents", lambda a: (card(a), XID, held(a)))
registers.breaks("TYPES_ARE_SUPPORTED", eventTypes=1 << 40)
registers.breaks("CARD_IS_WHOLE", device=lambda i: i.process.ok.nvmlDeviceGetMigDeviceHandleByIndex(card(i.process), 0))
registers.only("h200-mig", "CARD_IS_WHOLE")
frees = Entry.of("nvmlEventSetFree", lambda a: (held(a),))
waits = [Entry.of(f"nvmlEventSetWait{end}", lambda a: (held(a), 0)) for end in ("", "_v2")]
for one in waits:
    one.answers = int(Nvml.TIMEOUT)
    one.also("nothing happens", rule="EVENT_COMES_IN_TIME", timeoutms=5000)

    @one.also("a card is lost")
    def lost(w: World, i: Invocation) -> None:
        i.process.ok.nvmlDeviceRegisterEvents(card(i.process), XID, i.args["set"])
        w.model.lose_device(0)


for one in (registers, frees, *waits):
    one.breaks("event.SET_IS_KNOWN", set=UNKNOWN)
    one.breaks("ARGUMENTS_ARE_GIVEN", "set", set=0)
for one in waits:
    one.null("data", "ARGUMENTS_ARE_GIVEN")


def of_system(a: Process) -> int:
    """Return a new event set for the system."""
    made: int = a.ok.nvmlSystemEventSetCreate(CREATE)[-1]  # a library also returns the version, first
    return made


def failed(a: Process) -> int:
    """Return a set whose registration has failed because of another set."""
    first, second = of_system(a), of_system(a)
    a.ok.nvmlSystemRegisterEvents((REGISTER, UNBIND, first))
    a.c.nvmlSystemRegisterEvents((REGISTER, UNBIND, second))
    return second


def ended(a: Process) -> int:
    """Return a freed set."""
    made = of_system(a)
    a.ok.nvmlSystemEventSetFree((CREATE, made))
    return made


def member(number: int, value: Plain) -> dict[str, Plain]:
    """Return the request with another member: a value, or a function of the process."""

    def changed(i: Invocation) -> Plain:
        made = value(i.process) if callable(value) else value
        return (*i.args["request"][:number], made, *i.args["request"][number + 1 :])

    return {"request": changed}


system = Entry.of("nvmlSystemEventSetCreate", lambda _: (CREATE,))
system.breaks("VERSION_IS_KNOWN", request=2 << 24 | 16)
listens = Entry.of("nvmlSystemRegisterEvents", lambda a: ((REGISTER, UNBIND, of_system(a)),))
listens.breaks("TYPES_ARE_GIVEN", **member(1, 0))
listens.breaks("system_event.SET_IS_KNOWN", **member(2, ended))


@listens.world("ONE_SET_IS_REGISTERED")
def registered(_w: World, i: Invocation) -> None:
    i.process.ok.nvmlSystemRegisterEvents((REGISTER, UNBIND, of_system(i.process)))


closes = Entry.of("nvmlSystemEventSetFree", lambda a: ((CREATE, of_system(a)),))
closes.breaks("system_event.SET_IS_KNOWN", **member(1, ended))
closes.also("none", **member(1, 0))
sleeps = Entry.of("nvmlSystemEventSetWait", lambda a: ((WAIT, 0, of_system(a), 1, 4, 0),))
sleeps.breaks("system_event.SET_IS_KNOWN", **member(2, ended))
sleeps.undefined("SET_IS_SOUND", code=0, **member(2, failed))
sleeps.breaks("EVENT_COMES_IN_TIME", **member(1, 20))
for number in (2, 3, 4):
    sleeps.breaks("ARGUMENTS_ARE_GIVEN", f"member {number}", **member(number, 0))
listens.breaks("ARGUMENTS_ARE_GIVEN", "set", **member(2, 0))
for one in (listens, closes, sleeps):
    one.breaks("VERSION_IS_KNOWN", **member(0, 0))
    one.breaks("ARGUMENTS_ARE_GIVEN", "request", request=None)

test_system = suite(
    *(*starts, ends, *versions, *texts, branch, name, near, *units, *none, *private, bandwidth),
    *(makes, registers, frees, *waits, system, listens, closes, sleeps),
)
