"""A pytest plugin that runs TensorRT-LLM's IPC memory on a machine, in place of its test's FakeCudart.

The other ranks are simulated processes, because a process cannot open its own handles. The modules of TensorRT-LLM
that need its libraries are stubs with the names that the test uses.
"""

# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from cuda.bindings import runtime

if TYPE_CHECKING:
    from fakecuda.fixture import FakeCuda

OK = runtime.cudaError_t.cudaSuccess
LAZY = runtime.cudaIpcMemLazyEnablePeerAccess
SIZE = 2 << 20


class Cudart:
    """The calls of cuda.bindings.runtime, with what the tests ask of their fake.

    Args:
        fakecuda: The machine.
        get_handle_error: What cudaIpcGetMemHandle answers.
        open_handle_error: What cudaIpcOpenMemHandle answers.
    """

    def __init__(self, fakecuda: FakeCuda, get_handle_error: int = 0, open_handle_error: int = 0) -> None:
        self.fail = fakecuda.fail
        self.errors = {"cudaIpcGetMemHandle": get_handle_error, "cudaIpcOpenMemHandle": open_handle_error}
        self.allocated: set[int] = set()
        self.opened: set[int] = set()
        self.open_calls: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(runtime, name)

    def _made(self, call: str, *arguments: Any) -> Any:
        code = self.errors[call]
        with self.fail(call, code=code) if code else nullcontext():
            return getattr(runtime, call)(*arguments)

    def cudaMalloc(self, size: int) -> Any:
        error, pointer = runtime.cudaMalloc(size)
        self.allocated.add(pointer)
        return error, pointer

    def cudaFree(self, pointer: int) -> Any:
        answer = runtime.cudaFree(pointer)
        self.allocated.discard(pointer)
        return answer

    def cudaIpcGetMemHandle(self, pointer: int) -> Any:
        return self._made("cudaIpcGetMemHandle", pointer)

    def cudaIpcOpenMemHandle(self, handle: Any, flags: int) -> Any:
        self.open_calls.append(bytes(handle.reserved))
        error, pointer = self._made("cudaIpcOpenMemHandle", handle, flags)
        if error == OK:
            self.opened.add(pointer)
        return error, pointer

    def cudaIpcCloseMemHandle(self, pointer: int) -> Any:
        answer = runtime.cudaIpcCloseMemHandle(pointer)
        self.opened.discard(pointer)
        return answer


class Dist:
    """The TP group of a test: this process, and simulated processes that allocate, export and open like it.

    Args:
        fakecuda: The machine.
        tp_size: The number of ranks.
        peer_exports: Whether the other ranks can export.
        peer_ipc_ok: Whether the other ranks can open.
    """

    def __init__(
        self, fakecuda: FakeCuda, tp_size: int, *, peer_exports: bool = True, peer_ipc_ok: bool = True
    ) -> None:
        self.peers = [fakecuda.spawn(f"rank {rank}") for rank in range(1, tp_size)]
        self.exports, self.opens = peer_exports, peer_ipc_ok
        self.handle = b""

    def tp_allgather(self, mine: Any) -> list[Any]:
        if not isinstance(mine, bool):
            self.handle = mine
            return [mine, *(self._exported(peer) if self.exports else None for peer in self.peers)]
        if self.opens:
            for peer in self.peers:
                self._open(peer)
        return [mine, *(self.opens for _ in self.peers)]

    def _exported(self, peer: Any) -> bytes:
        _checked(peer.runtime.cudaSetDevice(1))
        return bytes(_checked(peer.runtime.cudaIpcGetMemHandle(_checked(peer.runtime.cudaMalloc(SIZE)))).reserved)

    def _open(self, peer: Any) -> None:
        handle = runtime.cudaIpcMemHandle_t()
        handle.reserved = self.handle
        _checked(peer.runtime.cudaIpcOpenMemHandle(handle, LAZY))


@pytest.fixture(autouse=True)
def _ranks_of_the_test(fakecuda: FakeCuda, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request.module, "FakeCudart", partial(Cudart, fakecuda))
    monkeypatch.setattr(request.module, "FakeDist", partial(Dist, fakecuda))


def _checked(answer: tuple[Any, ...]) -> Any:
    assert answer[0] == OK, answer[0]
    return answer[1] if len(answer) > 1 else None


class Mapping:
    """The ranks of a run, all of one TP group."""

    def __init__(self, world_size: int, rank: int, tp_size: int, gpus_per_node: int = 8) -> None:
        self.world_size, self.rank, self.tp_size, self.gpus_per_node = world_size, rank, tp_size, gpus_per_node
        self.tp_rank = rank % tp_size


def _stub(name: str, **content: object) -> None:
    module = ModuleType(name)
    module.__path__ = []
    vars(module).update(content)
    sys.modules[name] = module


_stub("torch", ops=SimpleNamespace(), cuda=SimpleNamespace(is_available=lambda: False))
_stub("tensorrt_llm.logger", logger=SimpleNamespace(warning_once=lambda message, key: None))
_stub("tensorrt_llm.mapping", Mapping=Mapping)
_stub("tensorrt_llm.functional", AllReduceStrategy=None)
_stub("tensorrt_llm._torch")
_stub("tensorrt_llm._torch.distributed")
_stub("tensorrt_llm._torch.distributed.communicator", Distributed=type("Distributed", (), {"get": None}))
