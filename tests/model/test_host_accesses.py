"""What the host does to memory that work uses: found with ``races="strict"`` and by ``explore``, at the line of the host."""

from __future__ import annotations

import ctypes
import mmap
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import Machine
from fakecuda.model.memory.space import libc, mapped_access
from fakecuda.model.os import page_guards
from fakecuda.model.os.page_guards import GUARDS
from fakecuda.model.work import host_accesses
from fakecuda.rules.driver.stream.race import ACCESSES_ARE_ORDERED
from tests.model.ordering_programs import HOST, PINNED
from tests.model.racing import PROTOTYPE, SIZE, Scene
from tests.model.world import GRANULE, READ_WRITE, done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.finding import Finding

PAGE = mmap.PAGESIZE
DEVICE = 1
"""CU_MEM_LOCATION_TYPE_DEVICE."""
Host = ctypes.c_char * SIZE


@pytest.fixture(params=["eager", "manual"])
def scene(request: pytest.FixtureRequest) -> Iterator[Scene]:
    """Return a scene whose host accesses are looked for."""
    with Machine("h200", seed=1, races="strict", completion=request.param) as made:
        yield Scene(made)


def fetch(scene: Scene, at: int = 0) -> None:
    """Have the first stream write page-locked memory."""
    done(scene.c.cuMemcpyDtoHAsync(scene.pinned + at, scene.own, SIZE, scene.one))


def put(scene: Scene, at: int = 0) -> None:
    """Have the first stream read it."""
    done(scene.c.cuMemcpyHtoDAsync(scene.own, scene.pinned + at, SIZE, scene.one))


def wait(scene: Scene) -> None:
    """Wait for the first stream."""
    done(scene.c.cuStreamSynchronize(scene.one))


def call(scene: Scene) -> None:
    """Make any call, after which pages are protected that were not."""
    done(scene.c.cuCtxGetDevice())


def the_one(scene: Scene) -> Finding:
    """Return the only finding, which no call raised."""
    (finding,) = scene.machine.findings
    assert finding.rule is ACCESSES_ARE_ORDERED
    return finding


READS: dict[str, Callable[[int], object]] = {
    "an element": lambda at: Host.from_address(at)[3],
    "bytes": lambda at: ctypes.string_at(at, SIZE),
    "a view": lambda at: bytes(memoryview(Host.from_address(at))),
    "a copy": lambda at: ctypes.memmove(Host(), at, SIZE),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_read_before_a_copy_is_done(scene: Scene, read: Callable[[int], object]) -> None:
    """The report has the line of the host and that of the copy; after the wait the host may read."""
    fetch(scene)
    read(scene.pinned)
    finding = the_one(scene)
    text = str(finding)
    assert finding.call == "cuMemcpyDtoHAsync"
    assert "in test_a_read_before_a_copy_is_done" in text
    assert "in fetch" in text
    assert "before it waits for the work" in text
    wait(scene)
    read(scene.pinned)
    assert len(scene.machine.findings) == 1


def test_a_write_before_a_copy_is_done(scene: Scene) -> None:
    """A copy that reads allows reads alone, and the host's first write is reported."""
    put(scene)
    read = READS["bytes"](scene.pinned)
    assert scene.machine.findings == []
    ctypes.memset(scene.pinned, 7, SIZE)
    ctypes.memset(scene.pinned, 8, SIZE)
    assert read == bytes(SIZE)
    assert f"writes {scene.pinned:#x}" in str(the_one(scene))
    wait(scene)
    ctypes.memset(scene.pinned, 9, SIZE)
    assert len(scene.machine.findings) == 1


def test_other_bytes_of_the_page(scene: Scene) -> None:
    """They are free, and so is a read beside both kinds of work in a page. The page is then open until the next call."""
    fetch(scene)
    put(scene, 2 * SIZE)
    ctypes.memset(scene.pinned + SIZE, 1, SIZE)
    READS["bytes"](scene.pinned)
    call(scene)
    READS["bytes"](scene.pinned + 2 * SIZE)
    READS["bytes"](scene.pinned + 3 * SIZE)
    assert scene.machine.findings == []
    call(scene)
    ctypes.memset(scene.pinned + 2 * SIZE, 1, SIZE)
    assert f"{scene.pinned + 2 * SIZE:#x}" in the_one(scene).facts["host"]


def test_rows(scene: Scene) -> None:
    """Between rows the host may use the memory."""
    done(scene.c.cuMemsetD2D8Async(scene.pinned, 32, 1, 8, 4, scene.one))
    ctypes.string_at(scene.pinned + 40, 8)
    assert scene.machine.findings == []
    done(scene.c.cuMemsetD2D8Async(scene.pinned, 32, 1, 8, 4, scene.one))
    ctypes.string_at(scene.pinned + 32, 8)
    the_one(scene)


def test_another_thread(scene: Scene) -> None:
    """Each thread of the host is found."""
    fetch(scene)
    thread = threading.Thread(target=READS["bytes"], args=(scene.pinned,))
    thread.start()
    thread.join()
    the_one(scene)


def test_registered_memory(scene: Scene) -> None:
    """Whole pages of it are guarded, so that its neighbours are never touched."""
    memory = mmap.mmap(-1, 3 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    done(scene.c.cuMemHostRegister(start, 3 * PAGE, 0))
    big = int(done(scene.c.cuMemAlloc(3 * PAGE)))
    done(scene.c.cuMemcpyDtoHAsync(start + SIZE, big, 2 * PAGE, scene.one))
    ctypes.string_at(start + SIZE, SIZE)
    assert scene.machine.findings == []
    ctypes.string_at(start + PAGE, SIZE)
    the_one(scene)
    wait(scene)
    done(scene.c.cuMemHostUnregister(start))


def test_registered_memory_that_is_gone(scene: Scene) -> None:
    """Nothing is compared, and nothing protected."""
    memory = mmap.mmap(-1, 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    done(scene.c.cuMemHostRegister(start, 2 * PAGE, 0))
    big = int(done(scene.c.cuMemAlloc(2 * PAGE)))
    scene.settle()
    done(scene.c.cuMemcpyHtoDAsync(big, start, 2 * PAGE, scene.one))
    scene.settle()
    ctypes.CDLL(None).munmap(ctypes.c_void_p(start), ctypes.c_size_t(2 * PAGE))
    wait(scene)
    assert scene.machine.findings == []
    ctypes.CDLL(None).mmap.restype = ctypes.c_void_p
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x10
    ctypes.CDLL(None).mmap(ctypes.c_void_p(start), ctypes.c_size_t(2 * PAGE), 3, flags, -1, ctypes.c_long(0))


def test_managed_memory(scene: Scene) -> None:
    """A memset of a stream writes it."""
    managed = int(done(scene.c.cuMemAllocManaged(PAGE, 1)))
    done(scene.c.cuMemsetD8Async(managed, 1, PAGE, scene.one))
    ctypes.string_at(managed + 8, 1)
    the_one(scene)


@pytest.mark.parametrize("writes", [True, False], ids=["written", "read"])
def test_host_pools(scene: Scene, *, writes: bool) -> None:
    """A stream writes or reads the second half of an allocation; the host may use the first half."""
    pool = done(scene.c.cuMemPoolCreate((PINNED, 0, (HOST, 0), 0, 0, 0, 0)))
    done(scene.c.cuMemPoolSetAccess(pool, (((DEVICE, 0), READ_WRITE),), 1))
    start = int(done(scene.c.cuMemAllocFromPoolAsync(2 * SIZE, pool, scene.one)))
    wait(scene)
    places = (start + SIZE, scene.own) if writes else (scene.own, start + SIZE)
    done(scene.c.cuMemcpyAsync(*places, SIZE, scene.one))
    ctypes.memset(start, 1, SIZE)
    call(scene)
    assert scene.machine.findings == []
    ctypes.memset(start + SIZE, 1, 1)
    the_one(scene)
    wait(scene)
    ctypes.memset(start + SIZE, 1, SIZE)
    assert len(scene.machine.findings) == 1


@pytest.mark.parametrize("scene", ["eager"], indirect=True)
@pytest.mark.parametrize("granted", [True, False])
def test_mapped_host_memory(scene: Scene, *, granted: bool) -> None:
    """The host's accesses are found if it has access. Without access, and once it is unmapped, no page is given to the host."""
    handle = done(scene.c.cuMemCreate(GRANULE, (PINNED, 0, (HOST, 0), 0, (0, 0, 0)), 0))
    start = int(done(scene.c.cuMemAddressReserve(GRANULE, 0, 0, 0)))
    done(scene.c.cuMemMap(start, GRANULE, 0, handle, 0))
    for where in ((DEVICE, 0), (HOST, 0)) if granted else ((DEVICE, 0),):
        done(scene.c.cuMemSetAccess(start, GRANULE, ((where, READ_WRITE),), 1))
    done(scene.c.cuMemcpyDtoHAsync(start, scene.own, SIZE, scene.one))
    call(scene)
    if granted:
        ctypes.string_at(start, 1)
        the_one(scene)
        scene.machine.findings.clear()
    scene.machine.tolerates = lambda _: True
    done(scene.c.cuMemUnmap(start, GRANULE))
    wait(scene)
    assert mapped_access(start, PAGE) == 0


def test_a_host_function(scene: Scene) -> None:
    """It writes what another stream's copy reads, while a call waits for its stream."""
    function = PROTOTYPE(lambda _: ctypes.memset(scene.pinned, 1, 1) and None)
    done(scene.c.cuMemcpyHtoDAsync(scene.own, scene.pinned, SIZE, scene.two))
    done(scene.c.cuLaunchHostFunc(scene.one, ctypes.cast(function, ctypes.c_void_p).value, 0))
    wait(scene)
    the_one(scene)


def test_memory_that_is_freed(scene: Scene) -> None:
    """Its addresses are as any that the host cannot use."""
    fetch(scene)
    scene.machine.tolerates = lambda _: True
    done(scene.c.cuMemFreeHost(scene.pinned))
    assert "missing" in the_one(scene).facts
    wait(scene)
    the_one(scene)


def test_work_on_what_earlier_work_uses(scene: Scene) -> None:
    """Calls use the memory without a finding, and what work has written is not taken for the host's."""
    fetch(scene)
    put(scene)
    fetch(scene)
    put(scene)
    done(scene.c.cuMemsetD8Async(scene.pinned, 3, SIZE, scene.one))
    done(scene.c.cuMemcpyDtoHAsync(scene.pinned + SIZE, scene.own, SIZE, scene.one))
    done(scene.c.cuStreamWriteValue32(scene.one, scene.pinned + 2 * SIZE, 1, 0))
    wait(scene)
    assert scene.machine.findings == []


def hidden(scene: Scene, write: Callable[[], object]) -> None:
    """Write as another OS process does: past the protection."""
    GUARDS.open(scene.pinned, scene.pinned + PAGE)
    write()


@pytest.mark.parametrize("scene", ["eager"], indirect=True)
def test_a_write_that_no_signal_shows(scene: Scene) -> None:
    """The wait, or the next copy from there, finds other bytes than the copy has read at its call."""
    put(scene)
    hidden(scene, lambda: ctypes.memset(scene.pinned, 7, 1))
    wait(scene)
    assert "wrote to" in str(the_one(scene))
    scene.machine.findings.clear()
    put(scene)
    hidden(scene, lambda: ctypes.memset(scene.pinned, 8, 1))
    put(scene)
    assert "in test_a_write_that_no_signal_shows" in str(the_one(scene))
    wait(scene)
    assert len(scene.machine.findings) == 1


def test_a_value_that_a_stream_writes(scene: Scene) -> None:
    """It is not the host's."""
    put(scene)
    done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
    done(scene.c.cuStreamWriteValue32(scene.one, scene.pinned + 8, 1, 0))
    wait(scene)
    assert scene.machine.findings == []


def test_a_copy_behind_work_on_its_source(scene: Scene) -> None:
    """The bytes at the call are not those that a later copy reads."""
    done(scene.c.cuMemsetD8Async(scene.pinned, 3, SIZE, scene.one))
    put(scene)
    wait(scene)
    assert scene.machine.findings == []


def test_work_behind_a_wait(scene: Scene) -> None:
    """Until the wait is over the host may fill what a copy behind it reads."""
    done(scene.c.cuStreamWaitValue32(scene.one, scene.flag, 1, 0))
    put(scene)
    ctypes.memset(scene.pinned, 7, SIZE)
    done(scene.c.cuStreamWriteValue32(scene.two, scene.flag, 1, 0))
    wait(scene)
    assert scene.machine.findings == []


def test_two_streams(scene: Scene) -> None:
    """A wait for one leaves the other's memory guarded, and so are rows that a copy reads."""
    rows = (0, 0, 1, scene.pinned, 0, 0, 32, 0, 0, 2, 0, scene.own + 2048, 0, 32, 8, 4)
    done(scene.c.cuMemcpy2DAsync(rows, scene.two))
    fetch(scene, 2048)
    wait(scene)
    ctypes.memset(scene.pinned + 2048, 1, SIZE)
    ctypes.string_at(scene.pinned, SIZE)
    assert scene.machine.findings == []
    call(scene)
    ctypes.memset(scene.pinned + 32, 1, 1)
    the_one(scene)


def test_memory_that_the_host_cannot_write(scene: Scene) -> None:
    """Its protection stays as it is."""
    memory = mmap.mmap(-1, PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    done(scene.c.cuMemHostRegister(start, PAGE, 0))
    libc.mprotect(start, PAGE, mmap.PROT_READ)
    done(scene.c.cuMemcpyHtoDAsync(scene.own, start, PAGE, scene.one))
    assert not any(guard.start == start for guard in GUARDS._guards)
    wait(scene)
    libc.mprotect(start, PAGE, mmap.PROT_READ | mmap.PROT_WRITE)
    done(scene.c.cuMemHostUnregister(start))


def test_many_ranges(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the most the oldest is dropped."""
    monkeypatch.setattr(host_accesses, "MOST", 1)
    fetch(scene)
    fetch(scene, SIZE)
    READS["bytes"](scene.pinned)
    assert scene.machine.findings == []
    call(scene)
    READS["bytes"](scene.pinned + SIZE)
    the_one(scene)


def test_by_default_the_host_is_not_watched() -> None:
    """It costs too much."""
    with Machine("h200", seed=1) as machine:
        scene = Scene(machine)
        fetch(scene)
        READS["bytes"](scene.pinned)
        put(scene)
        ctypes.memset(scene.pinned, 7, SIZE)
        wait(scene)
        assert machine.findings == []


def test_explore() -> None:
    """The report of an order has the copy and the line of the host, whether the program looks at the bytes or not."""

    def program(orders: Any) -> None:
        scene = Scene(orders.machine)
        fetch(scene)
        ctypes.string_at(scene.pinned, SIZE)
        wait(scene)

    found = fakecuda.explore(program, schedules=1)
    assert isinstance(found.error, fakecuda.UndefinedBehaviour)
    assert "<locals>.program\n             | ctypes.string_at" in str(found.error)


@pytest.mark.parametrize("scene", ["eager"], indirect=True)
def test_systems_without_such_signals(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is protected there; writes are still found by their bytes."""
    monkeypatch.setattr(page_guards, "ABLE", False)
    fetch(scene)
    READS["bytes"](scene.pinned)
    assert scene.machine.findings == []
    put(scene, SIZE)
    ctypes.memset(scene.pinned + SIZE, 7, 1)
    wait(scene)
    the_one(scene)


def test_a_machine_is_watched_once() -> None:
    """A schedule of a strict machine asks for it again."""
    with Machine("h200", races="strict") as machine:
        races = machine.races
        assert races is not None
        before = races.host
        races.watch_host(machine)
        assert before is not None
        assert races.host is before
