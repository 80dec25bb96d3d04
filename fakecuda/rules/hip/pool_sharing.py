"""How processes share memory pools: a descriptor for the pool, and 64 bytes for memory of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_effects, pool_lifetime
from fakecuda.model.memory.pool import Pool, Pooled
from fakecuda.rules.core import Rule, hip_tests, source, undefined
from fakecuda.rules.driver.pool.mem_pool_import_pointer import exporter_has
from fakecuda.rules.hip.active import answering
from fakecuda.rules.hip.pool import pool_of
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POOL_EXPORTS = Rule(
    "`handle_type` is the handle type of `mem_pool` and is not hipMemHandleTypeNone, and `flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemPoolExportToShareableHandle", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="create the pool with hipMemHandleTypePosixFileDescriptor, export that type, and pass 0 for the flags",
)
IMPORT_FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemPoolImportFromShareableHandle", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 0 for the flags of hipMemPoolImportFromShareableHandle",
)
HANDLE_IS_GIVEN = Rule(
    "`shared_handle` is not null, and `handle_type` is not hipMemHandleTypeNone",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemPoolImportFromShareableHandle", "HIP answers hipErrorInvalidValue to null, and to hipMemHandleTypeNone"
    ),
    fix="pass the descriptor, and hipMemHandleTypePosixFileDescriptor for its type",
)
HANDLE_IS_A_POOL = Rule(
    "`shared_handle` is a file descriptor of an exported pool",
    Result.OUT_OF_MEMORY,
    source("hipMemPoolImportFromShareableHandle", "clr answers hipErrorOutOfMemory if it cannot open the descriptor"),
    fix="pass a descriptor of hipMemPoolExportToShareableHandle, sent through a Unix socket and still open",
)
POINTER_IS_GIVEN = Rule(
    "`dev_ptr` to export, or `export_data` to import, is not null",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemPoolExportPointer",
        "hipMemPoolExportPointer and hipMemPoolImportPointer answer hipErrorInvalidValue to null",
    ),
    fix="pass the address to export, or the data that hipMemPoolExportPointer returned",
)
POINTER_IS_IN_MEMORY = Rule(
    "`dev_ptr` lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.OUT_OF_MEMORY,
    source("hipMemPoolExportPointer", "clr answers hipErrorOutOfMemory to any other memory"),
    fix="pass the address that hipMallocFromPoolAsync returned, before it is freed",
)
POINTER_IS_OF_A_POOL = Rule(
    "`dev_ptr` is the start of an allocation from a pool that was exported",
    Result.INVALID_VALUE,
    undefined(
        "hipMemPoolExportPointer", "the manual says nothing about other memory, for which clr creates an IPC handle"
    ),
    fix="export memory that was allocated from an exported pool, or use hipIpcGetMemHandle for other memory",
)
DATA_NAMES_MEMORY = Rule(
    "`export_data` names memory of the pool that `mem_pool` was imported from",
    Result.OUT_OF_MEMORY,
    source("hipMemPoolImportPointer", "clr answers hipErrorOutOfMemory when its backend cannot attach"),
    fix="pass all 64 bytes of the data, and the pool imported from the same exported pool",
)
ADDRESSES_SUFFICE = Rule(
    "the process has free addresses for the memory and, if the exporter already freed it, its device has free memory",
    Result.OUT_OF_MEMORY,
    source("hipMemPoolImportPointer", "clr answers hipErrorOutOfMemory when its backend cannot attach"),
    fix="free imported memory or reservations first, and keep the exporter's memory until it is imported",
)


@HIP.op("hipMemPoolExportToShareableHandle")
def export(call: Call, handle: int, handle_type: int, flags: int) -> int:
    """Export a pool as a file descriptor, the same each time."""
    answering(call)
    pool = pool_of(call, handle)
    if not handle_type or pool.props.handle_types != handle_type or flags:
        raise POOL_EXPORTS.broken(pool=pool, handle_type=handle_type, flags=flags)
    return pool.export_once(history.here())


@HIP.op("hipMemPoolImportFromShareableHandle", several="it makes the pool, and gives devices access to it")
def import_(call: Call, shared: int, handle_type: int, flags: int) -> int:
    """Import a pool from a file descriptor, with the device access that the pool had when it was exported.

    Args:
        call: The call.
        shared: A file descriptor in place of an address.
        handle_type: Not hipMemHandleTypeNone.
        flags: 0.
    """
    # CHECK
    process = answering(call)
    if flags:
        raise IMPORT_FLAGS_ARE_ZERO.broken(flags=flags)
    if not shared or not handle_type:
        raise HANDLE_IS_GIVEN.broken(shared=shared, handle_type=handle_type)
    exported = call.machine.exchange.exported(shared) if shared < 1 << 31 else None
    if not isinstance(exported, Pool):
        raise HANDLE_IS_A_POOL.broken(descriptor=shared)
    # EFFECT
    props = exported.props._replace(handle_types=0)
    pool = pool_lifetime.create_pool(process, props, exported.device, history.here(), source=exported)
    if exported.handed:
        pool.set_access(exported.handed)
    return pool.handle


@HIP.op("hipMemPoolExportPointer")
def export_pointer(call: Call, ptr: int) -> bytes:
    """Return 64 bytes of export data for memory of a pool."""
    process = answering(call)
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_IS_IN_MEMORY.broken(pointer=ptr, found=process.freed.get(ptr))
    if not isinstance(item, Pooled) or item.start != ptr or not item.pool.exported:
        call.undefined(POINTER_IS_OF_A_POOL, pointer=ptr, found=item)
        raise POINTER_IS_OF_A_POOL.broken(pointer=ptr, found=item)
    return item.export()


@HIP.op("hipMemPoolImportPointer")
def import_pointer(call: Call, handle: int, data: bytes | None) -> int:
    """Import pool memory of another process. A second import returns the same address."""
    # CHECK
    answering(call)
    pool = pool_of(call, handle)
    if data is None:
        raise POINTER_IS_GIVEN.broken()
    source_memory = call.machine.exchange.pool_shares.get(data)
    if source_memory is None or source_memory.pool is not pool.source:
        raise DATA_NAMES_MEMORY.broken(data=data[:6].hex(), found=source_memory)
    exporter_has(call, source_memory)
    # EFFECT
    memory = pool.imports.get(data) or pool_effects.import_(pool, source_memory, history.here())
    if memory is None:
        raise ADDRESSES_SUFFICE.broken(memory=source_memory)
    return memory.start
