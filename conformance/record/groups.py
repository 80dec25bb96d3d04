"""Questions to a card about wgmma.

Four warps multiply a matrix in registers or in shared memory by one in shared memory. A factor that is the identity shows where the
elements of the other lie in shared memory: an element is a number that says its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.record.matrices import Question, drawn, packed, registers, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

THREADS = 128
SPACE = 1 << 15
"""The size of a block's shared memory in bytes."""
FIRST = 0x0400
"""The bits of the first ``f16`` in shared memory: the smallest normal number."""
SWIZZLES = {0: 16, 3: 32, 2: 64, 1: 128}
"""The row size of a swizzle pattern, by descriptor mode."""
ONE = 0x3C00
"""1 as ``f16``."""


def descriptor(start: int, leading: int, stride: int, mode: int) -> list[int]:
    """Return the words of a matrix descriptor for shared memory at address 0."""
    whole = start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62
    return [whole & 0xFFFFFFFF, whole >> 32]


def asked(
    name: str, text: str, sides: tuple[int, int], tail: str, given: Sequence[Sequence[int]], *, held: int = 0
) -> Question:
    """Return a question with shared memory, descriptors and registers.

    Args:
        name: Its name.
        text: The instruction.
        sides: The columns of the result, and the bits of its elements.
        tail: The operands that are constants.
        given: The words of each block.
        held: How many registers the first factor has. 0 if it lies in shared memory.
    """
    columns, bits = sides
    count = columns * bits // 64
    base = SPACE + 16
    first = registers("a32_", held) if held else "%a64_0"
    fill = [
        "mov.u32 %r0, space; shl.b32 %r1, %lane, 2; add.u32 %r1, %r0, %r1; mov.u32 %r2, 0;",
        "FILL: mul.wide.u32 %at, %r2, 512; add.u64 %at, %at, %in32; ld.global.b32 %r3, [%at]; st.shared.b32 [%r1], %r3;",
        f"add.u32 %r1, %r1, 512; add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, {SPACE // 512}; @%p bra FILL;",
        "fence.proxy.async.shared::cta; bar.sync 0; shr.u32 %r0, %r0, 4; cvt.u64.u32 %at, %r0;",
        f"ld.global.b64 %a64_0, [%in+{SPACE}]; add.u64 %a64_0, %a64_0, %at;",
        f"ld.global.b64 %b64_0, [%in+{SPACE + 8}]; add.u64 %b64_0, %b64_0, %at;",
    ]
    loads = [f"ld.global.b32 %a32_{n}, [%in32+{base + 512 * n}];" for n in range(held)]
    loads += [f"ld.global.b32 %d32_{n}, [%in32+{base + 512 * (held + n)}];" for n in range(count)]
    stores = [f"st.global.b32 [%out32+{512 * n}], %d32_{n};" for n in range(count)]
    call = [
        "setp.eq.u32 %p, 0, 0; wgmma.fence.sync.aligned;",
        f"{text} {registers('d32_', count)}, {first}, %b64_0, %p{tail};",
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
    ]
    body = "\n".join([*fill, *loads, *call, *stores])
    return Question(name, body, given, THREADS * count, THREADS, "sm_90a", SPACE)


def numbered() -> list[int]:
    """Return shared memory whose 16-bit halves contain their index."""
    return packed([FIRST + number for number in range(SPACE // 2)], 16)


def identity() -> list[int]:
    """Return the registers of a factor that begins with the identity matrix."""
    words = []
    for register in range(4):
        for thread in range(THREADS):
            row, column = thread // 4 + register % 2 * 8, thread % 4 * 2 + register // 2 * 8
            halves = [ONE * (thread < 32 and row == column + part) for part in range(2)]
            words += packed(halves, 16)
    return words


def places() -> Iterator[Question]:
    """Yield questions about element places."""
    for mode, row in SWIZZLES.items():
        for across in (0, 1):
            columns = 64 if not across else 128 if mode else 32
            strides = [(2048, 4096), (4096, 2048)] if across else [(128, 256)] if not mode else [(16, 8 * row)]
            for leading, stride in strides:
                for start in (0, 32)[: 2 if mode in {1, 2} and not across else 1]:
                    text = f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16"
                    words = [*numbered(), 0, 0, *descriptor(start, leading, stride, mode), *identity()]
                    name = f"{text} b {row} {across} {leading} {stride} {start}"
                    given = [words + [0] * (THREADS * columns // 2)]
                    yield asked(name, text, (columns, 32), f", 1, 1, {across}", given, held=4)
            leading, stride = strides[0]
            text = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16"
            unit = SPACE - 512  # the identity, in four patterns of 8 x 8
            halves = [FIRST + number for number in range(unit // 2)]
            halves += [ONE * (spot // 128 == spot // 64 % 2 and spot // 8 % 8 == spot % 8) for spot in range(256)]
            words = packed(halves, 16) + descriptor(0, leading, stride, mode) + descriptor(unit, 128, 256, 0)
            given = [words + [0] * (THREADS * 8)]
            yield asked(f"{text} a {row} {across}", text, (16, 32), f", 1, 1, {across}, 0", given)


SUMMED = [
    ("m64n8k16.f32.f16.f16", ", 1, 1, 0"),
    ("m64n8k16.f32.f16.f16", ", -1, 1, 0"),
    ("m64n8k16.f16.f16.f16", ", 1, 1, 0"),
    ("m64n8k16.f32.bf16.bf16", ", 1, 1, 0"),
    ("m64n8k8.f32.tf32.tf32", ", 1, -1"),
    ("m64n8k32.f32.e4m3.e4m3", ", 1, 1"),
    ("m64n8k32.f32.e5m2.e4m3", ", 1, 1"),
    ("m64n8k32.f16.e5m2.e5m2", ", 1, 1"),
    ("m64n8k32.s32.s8.s8", ""),
    ("m64n8k32.s32.u8.s8.satfinite", ""),
]


def sums() -> Iterator[Question]:
    """Yield questions about values."""
    for shape, tail in SUMMED:
        kinds = shape.removesuffix(".satfinite").split(".")
        to, first, second = kinds[1:]
        text = f"wgmma.mma_async.sync.aligned.{shape.replace('.satfinite', '')}{'.satfinite' if 'satfinite' in shape else ''}"
        depth = int(kinds[0].partition("k")[2])
        given = []
        for number in range(8 if to != "s32" else 1):
            words = drawn(
                f"{text}{tail}", number, [(second, 8 * depth, False), (first, 64 * depth, False), (to, 64 * 8, True)]
            )
            cut = 8 * depth * width(second) // 32
            given.append(words[:cut] + [0] * (SPACE // 4 - cut) + [0, 0] + descriptor(0, 128, 256, 0) + words[cut:])
        yield asked(f"{text}{tail}", text, (8, width(to)), tail, given, held=4)


def questions() -> list[Question]:
    """Return all questions."""
    return [*places(), *sums()]
