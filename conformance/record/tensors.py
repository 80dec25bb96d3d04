"""Questions to a card about copies of tensor tiles.

A thread copies a box between a tensor and shared memory, which a pattern fills before. Python alone is needed.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from conformance.record.instructions import Card

ROOM = 4096
"""The size of shared memory that a kernel copies to or from the host."""
KINDS = {1: 0, 2: 6, 4: 7, 8: 8}
"""The CUtensorMapDataType by element size."""
PIECE, ALIGNED, WORDS = 16, 64, 16
"""The row padding, and the alignment and words of a tensor map."""


class Question(NamedTuple):
    """A question about a tensor copy.

    Attributes:
        name: Its name.
        dims: Elements of the tensor along each dimension.
        width: Bytes of an element.
        box: Elements of a box.
        at: Its coordinates.
        swizzle: CUtensorMapSwizzle.
        stores: Whether the box is written to the tensor.
        fill: CUtensorMapFloatOOBfill.
        step: The element stride along the last dimension.
        place: Where the box lies in shared memory.
    """

    name: str
    dims: tuple[int, ...]
    width: int
    box: tuple[int, ...]
    at: tuple[int, ...]
    swizzle: int = 0
    stores: bool = False
    fill: int = 0
    step: int = 1
    place: int = 0

    @property
    def strides(self) -> tuple[int, ...]:
        """Strides of all dimensions but the first, with 16 extra bytes per row."""
        found = [-(-self.dims[0] * self.width // PIECE) * PIECE + PIECE]
        for one in self.dims[1:-1]:
            found.append(found[-1] * one)
        return tuple(found[: len(self.dims) - 1])

    @property
    def size(self) -> int:
        """The size of the tensor in bytes."""
        return self.strides[-1] * self.dims[-1] if self.strides else self.dims[0] * self.width

    @property
    def shape(self) -> tuple[Any, ...]:
        """The arguments of cuTensorMapEncodeTiled except the address."""
        steps = (1,) * (len(self.dims) - 1) + (self.step,)
        return (
            KINDS[self.width],
            len(self.dims),
            self.dims,
            self.strides,
            self.box,
            steps,
            0,
            self.swizzle,
            0,
            self.fill,
        )


MODELLED = [
    Question("1d", (64,), 4, (16,), (5,)),
    Question("2d swizzle 32", (20, 10), 2, (16, 4), (3, 2), 1),
    Question("2d corner", (20, 10), 2, (16, 4), (-3, 8), 1),
    Question("2d swizzle 64", (40, 6), 2, (32, 8), (0, 0), 2),
    Question("2d swizzle 128", (80, 20), 2, (64, 16), (7, 1), 3),
    Question("2d swizzle 128 at 128", (80, 20), 2, (64, 12), (7, 1), 3, place=128),
    Question("2d outside", (20, 10), 2, (16, 4), (40, 0)),
    Question("3d swizzle 32", (10, 5, 4), 4, (8, 4, 2), (1, 2, 3), 1),
    Question("4d", (9, 3, 3, 3), 8, (4, 2, 2, 2), (6, 2, 2, 2)),
    Question("5d", (33, 2, 2, 2, 3), 1, (16, 2, 2, 2, 2), (20, 0, 1, 0, 2)),
    Question("1d at 16 bytes", (64,), 4, (16,), (8,)),
    Question("2d swizzle 32 at 16 bytes", (20, 10), 2, (16, 4), (8, 2), 1),
    Question("2d corner at 16 bytes", (20, 10), 2, (16, 4), (-8, 8), 1),
    Question("2d swizzle 128 at 16 bytes", (80, 20), 2, (64, 16), (8, 1), 3),
    Question("2d swizzle 128 at 16 bytes, to 128", (80, 20), 2, (64, 12), (8, 1), 3, place=128),
    Question("3d swizzle 32 at 16 bytes", (10, 5, 4), 4, (8, 4, 2), (4, 2, 3), 1),
    Question("5d at 16 bytes", (33, 2, 2, 2, 3), 1, (16, 2, 2, 2, 2), (32, 0, 1, 0, 2)),
]
"""Copies to shared memory that are modelled."""
OPEN = [
    Question("short row swizzle 64", (40, 8), 2, (16, 8), (0, 0), 2),
    Question("short row swizzle 128", (80, 20), 2, (32, 8), (0, 0), 3),
    Question("fill by NaN", (20, 10), 4, (16, 4), (10, 8), fill=1),
    Question("step 2", (20, 10), 4, (16, 4), (1, 1), step=2),
    Question("box at 64", (64,), 4, (16,), (5,), place=64),
    Question("store at -1", (20, 10), 2, (16, 4), (-1, 0), stores=True),
    Question("fill by NaN at 16 bytes", (20, 10), 4, (16, 4), (12, 8), fill=1),
    Question("step 2 at 16 bytes", (20, 10), 4, (16, 4), (4, 1), step=2),
    Question("box at 64, at 16 bytes", (64,), 4, (16,), (8,), place=64),
    Question("store at -8", (20, 10), 2, (16, 4), (-8, 0), stores=True),
    Question("1d store to the end", (63,), 4, (16,), (52,), stores=True),
]
"""Copies that are not modelled or left open by the manual."""


def questions() -> list[Question]:
    """Return all questions."""
    stores = [one._replace(name=f"{one.name} store", stores=True) for one in MODELLED if min(one.at) >= 0]
    return [*MODELLED, *stores, *OPEN]


def pattern(size: int, step: int) -> bytes:
    """Return bytes that all differ from their neighbours."""
    return bytes((step * place + place // 256 + 3) % 256 for place in range(size))


def written(question: Question) -> str:
    """Return the PTX of a question's kernel."""
    rank, box = len(question.dims), question.width
    for one in question.box:
        box *= one
    if question.step > 1:
        box = box // question.box[-1] * -(-question.box[-1] // question.step)
    coordinates = ", ".join(f"%c{number}" for number in range(rank))
    moves = " ".join(f"mov.u32 %c{number}, {one};" for number, one in enumerate(question.at))
    place = f"[data+{question.place}]"
    words = f"""mov.u32 %n, 0; mov.u32 %s, data; mov.u64 %at, %out;
{{name}}: {{act}} add.u32 %s, %s, 4; add.u64 %at, %at, 4; add.u32 %n, %n, 4; setp.lt.u32 %p, %n, {ROOM}; @%p bra {{name}};
"""
    fill = words.format(name="fill", act="ld.global.u32 %v, [%at]; st.shared.u32 [%s], %v;")
    dump = words.format(name="dump", act="ld.shared.u32 %v, [%s]; st.global.u32 [%at], %v;")
    if question.stores:
        work = f"""cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%map, {{{coordinates}}}], {place};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"""
    else:
        work = f"""mbarrier.arrive.expect_tx.shared.b64 _, [bar], {box};
cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes {place}, [%map, {{{coordinates}}}], [bar];
wait: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra wait;
{dump}"""
    return f""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128]) {{
.reg .pred %p; .reg .b32 %n, %s, %v, %c<5>; .reg .b64 %out, %at, %map;
.shared .align 1024 .b8 data[{ROOM}]; .shared .align 8 .b64 bar;
ld.param.u64 %out, [out]; mov.u64 %map, map; cvta.param.u64 %map, %map; {moves}
mbarrier.init.shared.b64 [bar], 1;
{fill}fence.proxy.async;
{work}
ret;
}}
"""


def answer(card: Card, question: Question) -> str:
    """Return a card's answer: shared memory or the tensor in hexadecimal."""
    out, tensor = card.memory(ROOM), card.memory(question.size)
    for memory, data in ((out, pattern(ROOM, 7)), (tensor, pattern(question.size, 11))):
        card.ask("cuMemcpyHtoD_v2", memory, data, ctypes.c_size_t(len(data)))
    held = (ctypes.c_uint64 * (2 * WORDS))()
    start = -(-ctypes.addressof(held) // ALIGNED) * ALIGNED
    made: Any = (ctypes.c_uint64 * WORDS).from_address(start)
    kind, rank, dims, strides, box, steps, *looks = question.shape
    lists = [(ctypes.c_uint64 * 5)(*dims), (ctypes.c_uint64 * 5)(*strides)]
    card.ask(
        "cuTensorMapEncodeTiled",
        made,
        kind,
        rank,
        tensor,
        *lists,
        *[(ctypes.c_uint32 * 5)(*one) for one in (box, steps)],
        *looks,
    )
    card.launch(written(question), "k", 1, out, made, threads=1)
    memory, size = (tensor, question.size) if question.stores else (out, ROOM)
    found = (ctypes.c_uint8 * size)()
    card.ask("cuMemcpyDtoH_v2", found, memory, ctypes.c_size_t(size))
    for one in (out, tensor):
        card.ask("cuMemFree_v2", one)
    return bytes(found).hex()
