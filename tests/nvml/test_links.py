"""What cards are linked to: NVLink, the fabric, the topology, and the processors near a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda import Machine
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN
from fakecuda.spec.codes import Nvml
from tests.nvml.state import code, of

if TYPE_CHECKING:
    from fakecuda import Process


def test_cards_without_links() -> None:
    """They are in no fabric, and have no link to ask of."""
    with Machine("pcie-pair") as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        for name in ("State", "Version", "RemoteDeviceType", "RemotePciInfo", "RemotePciInfo_v2"):
            assert code(getattr(c, f"nvmlDeviceGetNvLink{name}")(card, 0)) is Nvml.NOT_SUPPORTED
        assert code(c.nvmlDeviceGetNvLinkCapability(card, 0, 0)) is Nvml.NOT_SUPPORTED
        assert code(c.nvmlDeviceGetNvLinkErrorCounter(card, 0, 0)) is Nvml.NOT_SUPPORTED
        assert c.nvmlDeviceGetGpuFabricInfo(card)[1][3] == 0
        [links] = c.nvmlDeviceGetFieldValues(card, 1, (91,))[1]
        assert int.from_bytes(links[28:32], "little") == Nvml.NOT_SUPPORTED


def test_links(process: Process, card: int) -> None:
    """Their numbers and what can be asked of them; a switch whose place is not known is at the other end."""
    c = process.c
    assert c.nvmlDeviceGetNvLinkCapability(card, 17, 5) == (0, 1)
    assert code(c.nvmlDeviceGetNvLinkCapability(card, 17, 6)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetNvLinkState(card, 18)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetNvLinkRemoteDeviceType(card, 0) == (0, 2)
    assert c.nvmlDeviceGetNvLinkRemotePciInfo_v2(card, 0)[1][6] == b"FFFFFFFF:FF:FF.0"
    assert len(c.nvmlDeviceGetNvLinkRemotePciInfo(card, 0)[1]) == 5


def test_the_fabric_is_told_in_versions(process: Process, card: int) -> None:
    """The struct says which; another is refused."""
    assert len(process.c.nvmlDeviceGetGpuFabricInfoV(card, 2 << 24 | 36)[1]) == 5
    assert len(process.c.nvmlDeviceGetGpuFabricInfoV(card, 3 << 24 | 40)[1]) == 6
    assert code(process.c.nvmlDeviceGetGpuFabricInfoV(card, 2 << 24 | 40)) is Nvml.ARGUMENT_VERSION_MISMATCH
    assert code(process.c.nvmlDeviceGetGpuFabricInfoV(card, None)) is Nvml.INVALID_ARGUMENT


def test_topology(process: Process, card: int) -> None:
    """A card is no ancestor of itself; an array goes with a count."""
    c = process.c
    other = c.nvmlDeviceGetHandleByIndex_v2(1)[1]
    assert c.nvmlDeviceGetTopologyCommonAncestor(card, other) == (0, 30)
    assert code(c.nvmlDeviceGetTopologyCommonAncestor(card, card)) is Nvml.NOT_SUPPORTED
    assert c.nvmlDeviceGetTopologyNearestGpus(card, 30, 8) == (0, 1, (other,))
    assert c.nvmlDeviceGetTopologyNearestGpus(card, 30, 0, null="deviceArray")[:2] == (0, 1)
    assert c.nvmlDeviceGetTopologyNearestGpus(card, 20, 8) == (0, 0, ())
    assert code(c.nvmlDeviceGetTopologyNearestGpus(card, 30, 0)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetTopologyNearestGpus(card, 30, None)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlDeviceGetP2PStatus(card, card, 2) == (0, 0)
    assert code(c.nvmlDeviceGetP2PStatus(card, other, 2, null="p2pStatus")) is Nvml.INVALID_ARGUMENT


def test_affinity(process: Process, card: int) -> None:
    """Every processor and node of a simulated host is near every card."""
    c = process.c
    assert c.nvmlDeviceGetCpuAffinity(card, 4)[1][0] & 1
    assert c.nvmlDeviceGetCpuAffinityWithinScope(card, 1, 1)[0] == 0
    assert c.nvmlDeviceGetMemoryAffinity(card, 2, 0) == (0, (1, 0))
    assert code(c.nvmlDeviceGetMemoryAffinity(card, 2, 2)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlDeviceGetCpuAffinity(card, 0)) is Nvml.INVALID_ARGUMENT
    assert c.nvmlSystemGetTopologyGpuSet(0, 1) == (0, 1, (card,))
    assert c.nvmlSystemGetTopologyGpuSet(0, 0, null="deviceArray")[:2] == (0, 2)
    assert c.nvmlSystemGetTopologyGpuSet(1 << 20, 4) == (0, 4, ())
    assert code(c.nvmlSystemGetTopologyGpuSet(0, 0)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlSystemGetTopologyGpuSet(0, None)) is Nvml.INVALID_ARGUMENT
    assert of(process).log[-1].rule is ARGUMENTS_ARE_GIVEN
