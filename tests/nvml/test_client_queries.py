"""What communication libraries ask NVML, in their order, and what they conclude: UCX, NCCL, FlashInfer and vLLM.

Each query here is written after the client's source that its docstring names, and asks as that does: in C, through ctypes, or through
nvidia-ml-py. What they need is which cards are joined by NVLink, and whether a card has joined a fabric that others are on.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from tests.nvml.state import shut_down

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

pytestmark = pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
n: Any = pytest.importorskip("pynvml", reason="nvidia-ml-py: pip install -e '.[dev]'")

LINKED, ON_THE_BUS, IN_A_FABRIC = ("h200-x4", "hgx-8", "nvl72"), ("pcie-pair", "wsl"), ("nvl72",)
"""Profiles with NVLink, without, and in a fabric."""
LINKS = 18
CLUSTER = 16
"""The size of a cluster's UUID in bytes."""


@contextmanager
def machine(profile: str) -> Iterator[Machine]:
    """A machine in this process, with NVML as nobody has initialised it."""
    with fakecuda.simulate(profile) as made:
        shut_down()
        yield made
        shut_down()


@contextmanager
def initialised() -> Iterator[None]:
    """What nvidia-ml-py's clients put around their questions."""
    n.nvmlInit()
    try:
        yield
    finally:
        n.nvmlShutdown()


def handles() -> list[Any]:
    """Return the handles of all cards, by index."""
    return [n.nvmlDeviceGetHandleByIndex(index) for index in range(n.nvmlDeviceGetCount())]


def loaded(*names: str) -> Any:
    """Return the library as a C program has it: by its name, with each symbol that it looks up, and initialised."""
    library = ctypes.CDLL("libnvidia-ml.so.1")
    assert all(hasattr(library, name) for name in ("nvmlInit_v2", "nvmlShutdown", *names))
    assert library.nvmlInit_v2() == 0
    return library


@pytest.mark.parametrize("place", ["nvmlDeviceGetNvLinkRemotePciInfo", "nvmlDeviceGetNvLinkRemotePciInfo_v2"])
@pytest.mark.parametrize(("profile", "links"), [*((one, LINKS) for one in LINKED), *((one, 0) for one in ON_THE_BUS)])
def test_ucx_counts_links(profile: str, links: int, place: str) -> None:
    """src/uct/cuda/cuda_ipc/cuda_ipc_iface.c: the links of card 0, each with a remote end, or it does not get over IPC."""
    with machine(profile):
        library = loaded("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetFieldValues", place)
        card, value, end = ctypes.c_void_p(), n.c_nvmlFieldValue_t(), n.nvmlPciInfo_t()
        assert library.nvmlDeviceGetHandleByIndex(0, ctypes.byref(card)) == 0
        value.fieldId, value.scopeId = n.NVML_FI_DEV_NVLINK_LINK_COUNT, 0xA5A5A5A5  # which it leaves as it is
        library.nvmlDeviceGetFieldValues(card, 1, ctypes.byref(value))
        told = (value.nvmlReturn, value.valueType) == (n.NVML_SUCCESS, n.NVML_VALUE_TYPE_UNSIGNED_INT)
        found = value.value.uiVal if told else 0
        assert found == links
        assert {getattr(library, place)(card, link, ctypes.byref(end)) for link in range(found)} <= {0}
        assert library.nvmlShutdown() == 0


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
@pytest.mark.parametrize("version", [n.nvmlGpuFabricInfo_v2, 0])
def test_ucx_looks_for_a_fabric(profile: str, version: int) -> None:
    """src/uct/cuda/cuda_ipc/cuda_ipc_md.c: card 0 has joined a cluster with a name, by either call of cuda_nvml.c."""
    with machine(profile):
        library = loaded("nvmlDeviceGetGpuFabricInfoV", "nvmlDeviceGetGpuFabricInfo")
        card = ctypes.c_void_p()
        assert library.nvmlDeviceGetHandleByIndex(0, ctypes.byref(card)) == 0
        info = n.c_nvmlGpuFabricInfo_v2_t() if version else n.c_nvmlGpuFabricInfo_t()
        ask = library.nvmlDeviceGetGpuFabricInfoV if version else library.nvmlDeviceGetGpuFabricInfo
        assert ask(card, ctypes.byref(info)) == 0
        joined = (info.state, info.status) == (n.NVML_GPU_FABRIC_STATE_COMPLETED, n.NVML_SUCCESS)
        assert (joined and any(info.clusterUuid)) == (profile in IN_A_FABRIC)
        assert library.nvmlShutdown() == 0


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
def test_ucx_enumerates_cards(profile: str) -> None:
    """src/uct/cuda/base: each card of NVML, by its place on the bus, is one that the driver has, too."""
    with machine(profile) as made, initialised():
        places = [n.nvmlDeviceGetPciInfo(card) for card in handles()]
        c = made.here.c
        c.cuInit(0)
        driver = {c.cuDeviceGetPCIBusId(20, device)[1].decode().lower() for device in range(c.cuDeviceGetCount()[1])}
        assert {f"{one.domain:04x}:{one.bus:02x}:{one.device:02x}.0" for one in places} == driver


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
def test_nccl_finds_what_joins_cards(profile: str) -> None:
    """src/misc/nvmlwrap.cc and src/graph/xml.cc: what a pair may do, and the active links of a card with their ends."""
    joined = profile in LINKED
    with machine(profile) as made, initialised():
        cards = handles()
        for one, other in combinations(cards, 2):
            device, peer = cards.index(one), cards.index(other)
            made.here.c.cuInit(0)
            access = made.here.c.cuDeviceCanAccessPeer(device, peer)[1]
            for index in (n.NVML_P2P_CAPS_INDEX_READ, n.NVML_P2P_CAPS_INDEX_WRITE):
                number = index[0] if isinstance(index, tuple) else index
                assert (n.nvmlDeviceGetP2PStatus(one, other, number) == n.NVML_P2P_STATUS_OK) == bool(access)
        for card in cards:
            bus = n.nvmlDeviceGetPciInfo(card).busId
            assert n.nvmlDeviceGetIndex(n.nvmlDeviceGetHandleByPciBusId(bus)) == n.nvmlDeviceGetIndex(card)
            assert n.nvmlDeviceGetCudaComputeCapability(card) >= (9, 0)
            assert [link for link in range(LINKS) if _nccl_uses(card, link)] == list(range(LINKS * joined))


def _nccl_uses(card: Any, link: int) -> bool:
    """Return whether a link can be used for peers, is active, and has a remote end."""
    try:
        if not n.nvmlDeviceGetNvLinkCapability(card, link, n.NVML_NVLINK_CAP_P2P_SUPPORTED):
            return False
        [state] = n.nvmlDeviceGetFieldValues(card, [(n.NVML_FI_DEV_NVLINK_GET_STATE, link)])
        if state.nvmlReturn != n.NVML_SUCCESS or not state.value.uiVal:
            return False
        return bool(n.nvmlDeviceGetNvLinkRemotePciInfo(card, link).busId)
    except n.NVMLError_NotSupported:
        return False


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
def test_flashinfer_looks_for_links_and_a_fabric(profile: str) -> None:
    """flashinfer/comm/mnnvl.py: whether all links of a card are up, and whether the card has joined a cluster."""
    with machine(profile), initialised():
        for card in handles():
            available = [link for link in range(LINKS) if _flashinfer_has(card, link)]
            assert all(n.nvmlDeviceGetNvLinkState(card, link) for link in available)
            assert len(available) == LINKS * (profile in LINKED)
            info = n.c_nvmlGpuFabricInfoV_t()
            n.nvmlDeviceGetGpuFabricInfoV(card, ctypes.byref(info))
            joined = info.state >= n.NVML_GPU_FABRIC_STATE_COMPLETED and info.clusterUuid[0] != 0
            assert joined == (profile in IN_A_FABRIC)


def _flashinfer_has(card: Any, link: int) -> bool:
    try:
        return bool(n.nvmlDeviceGetNvLinkCapability(card, link, n.NVML_NVLINK_CAP_P2P_SUPPORTED))
    except n.NVMLError_NotSupported:
        return False


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
def test_flashinfer_asks_of_pairs(profile: str) -> None:
    """flashinfer/comm/ulysses_topology.py, pcie_ipc_topology.py: by the driver's UUIDs, whether NVLink joins each pair, or what else."""
    with machine(profile) as made, initialised():
        c = made.here.c
        c.cuInit(0)
        found = []
        for device in range(c.cuDeviceGetCount()[1]):
            text = c.cuDeviceGetUuid(device)[1].hex()
            name = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
            found.append(n.nvmlDeviceGetHandleByUUID(f"GPU-{name}".encode()))
        joined = {
            n.nvmlDeviceGetP2PStatus(one, other, n.NVML_P2P_CAPS_INDEX_NVLINK) == n.NVML_P2P_STATUS_OK
            for one, other in combinations(found, 2)
        }
        assert joined <= {profile in LINKED}
        levels = {n.nvmlDeviceGetTopologyCommonAncestor(*pair) for pair in combinations(found, 2)}
        assert all(n.NVML_TOPOLOGY_SINGLE <= level <= n.NVML_TOPOLOGY_SYSTEM for level in levels)


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
def test_vllm_knows_the_platform(profile: str) -> None:
    """vllm/platforms/cuda.py: capability, name, UUID and memory of a card by its number, and whether all are joined."""
    with machine(profile) as made, initialised():
        cards = handles()
        for card, device in zip(cards, made.devices, strict=True):
            assert n.nvmlDeviceGetCudaComputeCapability(card) >= (9, 0)
            assert n.nvmlDeviceGetName(card) == device.profile.name
            assert n.nvmlDeviceGetUUID(card).startswith("GPU-")
            assert n.nvmlDeviceGetMemoryInfo(card).total >= device.profile.total_memory
        assert all(
            n.nvmlDeviceGetP2PStatus(one, other, n.NVML_P2P_CAPS_INDEX_NVLINK) == n.NVML_P2P_STATUS_OK
            for one, other in combinations(cards, 2)
        ) == (profile in LINKED or len(cards) == 1)


@pytest.mark.parametrize("profile", [*LINKED, *ON_THE_BUS])
@pytest.mark.parametrize("struct", ["c_nvmlGpuFabricInfo_v2_t", "c_nvmlGpuFabricInfo_v3_t"])
def test_ranks_compare_cliques(profile: str, struct: str) -> None:
    """Those with the same cluster and clique share memory over NVLink: vLLM's has_cross_node_nvlink, by each version of the struct."""
    with machine(profile), initialised():
        cliques = set()
        for card in handles():
            info = getattr(n, struct)()
            n.nvmlDeviceGetGpuFabricInfoV(card, ctypes.byref(info))
            if info.state == n.NVML_GPU_FABRIC_STATE_COMPLETED and info.status == n.NVML_SUCCESS:
                offset = type(info).clusterUuid.offset
                cliques.add((ctypes.string_at(ctypes.addressof(info) + offset, CLUSTER), info.cliqueId))
        named = {one for one in cliques if one[0] != bytes(CLUSTER)}
        assert len(cliques) == (profile in LINKED)
        assert len(named) == (profile in IN_A_FABRIC)
