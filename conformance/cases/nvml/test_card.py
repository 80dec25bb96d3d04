"""Cards: handles, properties, MIG instances, links and use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.nvml.fixtures import asked, asking, card
from conformance.cases.nvml.sweeps import WRONG
from conformance.kit.case import Entry, suite
from fakecuda.rules.nvml.sample import CLOCKS, POWER, UTILISATIONS
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

SPLIT, SUPERCHIPS, APART = "h200-mig", "nvl72", "pcie-pair"
"""Profiles: a split card, cards without a recording, and cards without links."""
UUID = 1 << 24 | 52
"""A version of nvmlUUID_t."""
MEMORY_CLOCK = 3201


def uuid(a: Process) -> bytes:
    """Return the UUID of the first card."""
    made: bytes = a.ok.nvmlDeviceGetUUID(card(a), 96)
    return made


def place(a: Process) -> bytes:
    """Return the PCI bus id of the first card."""
    made: bytes = a.ok.nvmlDeviceGetPciInfo_v3(card(a))[6]
    return made


def instance(a: Process) -> int:
    """Return the handle of the first instance of a split card."""
    made: int = a.ok.nvmlDeviceGetMigDeviceHandleByIndex(card(a), 0)
    return made


def on(entry: Entry, profile: str, rule: str, **changed: object) -> None:
    """Add the case of a rule that cards of another profile break."""
    entry.breaks(rule, profile, **(changed or {entry.inputs[0]: lambda i: card(i.process)}))
    entry.only(profile, f"{rule}-{profile}")


PLAIN = asked(
    **dict.fromkeys(
        (
            *("GetArchitecture", "GetBAR1MemoryInfo", "GetBoardId", "GetComputeMode", "GetCudaComputeCapability"),
            *("GetEccMode", "GetGpuFabricInfo", "GetIndex", "GetMemoryInfo", "GetMinorNumber", "GetPciInfo"),
            *("GetPciInfo_v2", "GetPciInfo_v3", "GetPersistenceMode", "GetUtilizationRates", "IsMigDeviceHandle"),
            *(
                f"Get{kind}RunningProcesses{version}"
                for kind in ("Graphics", "MPSCompute")
                for version in ("", "_v2", "_v3")
            ),
        ),
        (),
    ),
    ClearFieldValues=(0, ()),
)
for name in ("GetGpuFabricInfoV", "GetPciInfoExt", "GetPdi"):
    PLAIN[name] = asking(f"nvmlDevice{name}", {"V": 2 << 24 | 36, "t": 1 << 24 | 64, "i": 1 << 24 | 16}[name[-1]])
    PLAIN[name].breaks("VERSION_IS_KNOWN", **{PLAIN[name].inputs[1]: WRONG})
PLAIN["ClearFieldValues"].breaks("ARGUMENTS_ARE_GIVEN", "values", valuesCount=1, values=None)

counts = [Entry.of(f"nvmlDeviceGetCount{version}") for version in ("", "_v2")]
found = {
    **{f"Index{version}": Entry.of(f"nvmlDeviceGetHandleByIndex{version}", lambda _: (0,)) for version in ("", "_v2")},
    **{
        f"PciBusId{version}": Entry.of(f"nvmlDeviceGetHandleByPciBusId{version}", lambda a: (place(a),))
        for version in ("", "_v2")
    },
    "Serial": Entry.of("nvmlDeviceGetHandleBySerial", lambda a: (a.ok.nvmlDeviceGetSerial(card(a), 30),)),
    "UUID": Entry.of("nvmlDeviceGetHandleByUUID", lambda a: (uuid(a),)),
    "UUIDV": Entry.of("nvmlDeviceGetHandleByUUIDV", lambda a: ((UUID, 1, (uuid(a), (0,) * 16)),)),
}
for version in ("", "_v2"):
    found[f"Index{version}"].breaks("INDEX_IS_IN_RANGE", index=2)
    found[f"PciBusId{version}"].breaks("BUS_ID_IS_WRITTEN", pciBusId=b"00:06.1")
    found[f"PciBusId{version}"].breaks("BUS_ID_IS_FOUND", pciBusId=b"fe:00.0")
for name in ("PciBusId", "PciBusId_v2", "Serial", "UUID", "UUIDV"):
    found[name].breaks("ARGUMENTS_ARE_GIVEN", "text", **{found[name].inputs[0]: None})
    found[name].null("device", "ARGUMENTS_ARE_GIVEN")
found["Serial"].breaks("SERIAL_IS_FOUND", serial=b"1")
found["UUID"].breaks("UUID_IS_FOUND", uuid=b"GPU-")
found["UUIDV"].breaks("UUID_IS_FOUND", uuid=(UUID, 1, (b"GPU-", (0,) * 16)))
found["UUIDV"].breaks("UUID_TYPE_IS_KNOWN", uuid=lambda i: (UUID, 3, i.args["uuid"][2]))
found["UUIDV"].breaks("VERSION_IS_KNOWN", uuid=lambda i: (0, *i.args["uuid"][1:]))

texts = asked(GetName=(96,), GetSerial=(30,), GetUUID=(96,))
on(texts["GetSerial"], "rtx-4090", "SERIAL_IS_THERE")

whole = asked(GetMaxMigDeviceCount=(), GetMigMode=(), GetSupportedEventTypes=())
for one in whole.values():
    on(one, SPLIT, "CARD_IS_WHOLE", device=lambda i: instance(i.process))
on(whole["GetMigMode"], "t4", "CARD_CAN_BE_SPLIT")
child = asking("nvmlDeviceGetMigDeviceHandleByIndex")
child.answers = int(Nvml.NOT_FOUND)
child.also("the card is not split", rule="INSTANCE_IS_FOUND", index=0)
on(child, SPLIT, "CARD_IS_WHOLE", device=lambda i: instance(i.process))
parts = asked(GetComputeInstanceId=(), GetDeviceHandleFromMigDeviceHandle=(), GetGpuInstanceId=())
for one in parts.values():
    one.answers = int(Nvml.INVALID_ARGUMENT)
    one.also("a whole card", rule="HANDLE_IS_AN_INSTANCE")(lambda _, i: i)
shares = asked(GetAttributes=(), GetAttributes_v2=())
for one in shares.values():
    one.answers = int(Nvml.NOT_SUPPORTED)
    one.also("a whole card", rule="ATTRIBUTES_ARE_AN_INSTANCE_S")(lambda _, i: i)
for one in (*parts.values(), *shares.values(), child):

    @one.also("an instance")
    def of_an_instance(_w: World, i: Invocation) -> Invocation:
        return i.evolve(**{next(iter(i.args)): instance(i.process) if len(i.args) == 1 else card(i.process)})

    one.only(SPLIT, "an-instance")
node = asking("nvmlDeviceGetNumaNodeId")
node.answers = int(Nvml.NOT_SUPPORTED)
node.also("no superchip", rule="NODE_IS_THERE")(lambda _, i: i)
node.also("a superchip")(lambda _, i: i)
node.only(SUPERCHIPS, "a-superchip")

links = asked(
    **{
        f"GetNvLink{name}": ()
        for name in ("Capability", "RemoteDeviceType", "RemotePciInfo", "RemotePciInfo_v2", "State", "Version")
    }
)
for one in links.values():
    one.breaks("LINK_IS_IN_RANGE", link=18)
    on(one, APART, "LINKS_ARE_THERE")
links["GetNvLinkCapability"].breaks("CAPABILITY_IS_KNOWN", capability=6)

two = {
    "P2PStatus": Entry.of("nvmlDeviceGetP2PStatus", lambda a: (card(a), card(a, 1), 2)),
    "Ancestor": Entry.of("nvmlDeviceGetTopologyCommonAncestor", lambda a: (card(a), card(a, 1))),
    "Board": Entry.of("nvmlDeviceOnSameBoard", lambda a: (card(a), card(a, 1))),
}
two["Ancestor"].breaks("CARDS_ARE_TWO", device2=lambda i: i.args["device1"])
two["Board"].breaks("BOTH_CARDS_ARE_GIVEN", device2=0)
two["Board"].breaks("BOTH_CARDS_ARE_GIVEN", "the first", device1=0)
nearest = asking("nvmlDeviceGetTopologyNearestGpus", 30, 8)
nearest.breaks("ARRAY_IS_COUNTED", count=0)
near = asked(GetCpuAffinity=(4,), GetCpuAffinityWithinScope=(4,), GetMemoryAffinity=(2,))
for one in near.values():
    one.breaks("ROOM_IS_GIVEN", **{one.inputs[1]: 0})
    if "scope" in one.inputs:
        one.breaks("SCOPE_IS_KNOWN", scope=2)

memory = asking("nvmlDeviceGetMemoryInfo_v2", 2 << 24 | 40)
memory.breaks("STRUCT_IS_THE_SECOND", memory=1 << 24 | 40)
running = asked(**{f"GetComputeRunningProcesses{version}": (4,) for version in ("", "_v2", "_v3")})
for one in running.values():

    @one.world("ROOM_SUFFICES")
    def busy(_w: World, i: Invocation) -> Invocation:
        i.process.ok.cuInit(0)
        i.process.ok.cuDevicePrimaryCtxRetain(0)
        return i.evolve(infoCount=0)


fields = asking("nvmlDeviceGetFieldValues", 1, (91,))
fields.breaks("FIELDS_ARE_GIVEN", valuesCount=0, values=())
fields.breaks("FIELDS_ARE_GIVEN", "null", values=None)

accounts = asked(GetAccountingPids=(64,), GetAccountingStats=())
accounts["GetAccountingStats"].answers = int(Nvml.NOT_FOUND)
accounts["GetAccountingStats"].also("no process", rule="PROCESS_IS_ACCOUNTED", pid=1)
accounts["GetAccountingPids"].null("pids", "ARRAY_IS_GIVEN")

energy = asking("nvmlDeviceGetTotalEnergyConsumption")
on(energy, SUPERCHIPS, "CARD_MEASURES")
samples = asking("nvmlDeviceGetSamples", POWER, 0, 200)
samples.breaks("sample.KIND_IS_KNOWN", type=7)
samples.breaks("sample.ROOM_IS_GIVEN", sampleCount=0)
samples.breaks("SAMPLES_ARE_FOUND", type=min(CLOCKS))
on(samples, SUPERCHIPS, "CARD_MEASURES")
on(samples, SPLIT, "CARD_IS_WHOLE", type=min(UTILISATIONS))
use = asking("nvmlDeviceGetProcessUtilization", 72)
use.answers = int(Nvml.NOT_FOUND)
use.also("no process is seen", rule="PROCESS_IS_SEEN", processSamplesCount=72)
use.breaks("BUFFER_FITS", processSamplesCount=0)
clocks = asked(GetSupportedMemoryClocks=(2,), GetSupportedGraphicsClocks=(MEMORY_CLOCK, 200))
for one in clocks.values():
    one.breaks("clock.ROOM_SUFFICES", count=1)
    on(one, SUPERCHIPS, "CLOCKS_ARE_KNOWN")
clocks["GetSupportedGraphicsClocks"].breaks("CLOCK_IS_GIVEN", memoryClockMHz=0)
clocks["GetSupportedGraphicsClocks"].breaks("CLOCK_IS_FOUND", memoryClockMHz=1000)
clocks["GetSupportedGraphicsClocks"].breaks("CLOCKS_ARE_KNOWN", "of the other", memoryClockMHz=2201)

test_card = suite(
    *(
        one
        for group in (PLAIN, found, texts, whole, parts, shares, links, two, near, running, accounts, clocks)
        for one in group.values()
    ),
    *(*counts, child, node, nearest, memory, fields, energy, samples, use),
)
