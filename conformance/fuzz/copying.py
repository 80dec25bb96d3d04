"""Copies of rows and batches of copies, as the state machine makes them: mostly legal, often a step from legal."""

# ruff: noqa: D102 - a rule is named after what it does

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from conformance.cases.driver.copy.fixtures import struct
from conformance.fuzz.draws import Drawn
from conformance.fuzz.lockstep import PROCESSES, Memory, has
from conformance.kit.program import MAIN
from fakecuda.spec.driver import STRUCTS

KINDS = {
    "cuMemcpy2D": "CUDA_MEMCPY2D",
    "cuMemcpy2DUnaligned": "CUDA_MEMCPY2D",
    "cuMemcpy3D": "CUDA_MEMCPY3D",
    "cuMemcpy3DPeer": "CUDA_MEMCPY3D_PEER",
}
MEMBERS = {kind: {label for _, label in STRUCTS[kind]} for kind in KINDS.values()}
ROWS = 256
"""Bytes that copies of rows, and batches, keep to on either side."""
ROW = {
    **dict.fromkeys(("dstMemoryType", "srcMemoryType"), 2),
    **dict.fromkeys(("dstPitch", "srcPitch"), 16),
    **dict.fromkeys(("dstHeight", "srcHeight"), 4),
    "WidthInBytes": 8,
    "Height": 3,
    "Depth": 2,
}
"""What a copy of rows is but for its addresses."""
WRONG_ROWS: tuple[dict[str, int], ...] = (
    {"pCopy": 0},
    {"dstMemoryType": 0},
    {"srcMemoryType": 3},
    {"srcMemoryType": 4, "srcDevice": 0},
    {"dstPitch": 7},
    {"srcPitch": 1 << 40},
    {"srcHeight": 2},
    {"dstHeight": 0},
    {"srcHeight": 0},
    {"srcY": 1 << 40, "srcHeight": 1 << 41},
    {"WidthInBytes": 0},
)
ATTRIBUTES_OF_COPIES = (1, (0, 0), (0, 0), 0)
BATCH: dict[str, Any] = {"count": 2, "attrs": (ATTRIBUTES_OF_COPIES,), "attrsIdxs": (0,), "numAttrs": 1, "hStream": 2}
"""What a batch is but for its addresses."""
WRONG_BATCHES: tuple[dict[str, Any], ...] = (
    {"hStream": 0},
    {"srcs": None},
    {"dsts": (0, 0)},
    {"sizes": (1 << 40, 8)},
    {"attrs": (ATTRIBUTES_OF_COPIES,) * 2, "attrsIdxs": (0, 0), "numAttrs": 2},
    {"attrsIdxs": (1,)},
    {"numAttrs": 0},
    {"attrs": ((0, (0, 0), (0, 0), 0),)},
    {"attrs": ((1, (0, 0), (0, 0), 2),)},
)

who = st.sampled_from(PROCESSES)
thread = st.sampled_from((*[MAIN] * 5, "second"))
pick = st.integers(0, 15)


class Copying(Drawn):
    """Copies whose arguments are drawn together."""

    def two(self, large: list[Memory], index: int, other: int) -> tuple[int, int]:
        """Return where a copy goes to and comes from; both may lie in one allocation."""
        target, source = self.some(large, index), self.some(large, other)
        within = ROWS if target is source and target.size >= 2 * ROWS else 0
        return target.pointer, source.pointer + within

    @precondition(has("memory"))
    @rule(
        process=who,
        on=thread,
        index=pick,
        other=pick,
        call=st.sampled_from(sorted(KINDS)),
        wrong=st.sampled_from(({}, {}, *WRONG_ROWS)),
        queued=st.booleans(),
    )
    def copy_rows(
        self, process: str, on: str, index: int, other: int, call: str, wrong: dict[str, int], *, queued: bool
    ) -> None:
        process = self.holder(process, "memory")
        large = [one for one in self.known[process].memory if one.size >= ROWS]
        if large:
            target, source = self.two(large, index, other)
            kind = KINDS[call]
            members = {"dstDevice": target, "srcDevice": source, **ROW, **wrong}
            copy = struct(kind, **{name: value for name, value in members.items() if name in MEMBERS[kind]})
            given = None if "pCopy" in wrong and kind != "CUDA_MEMCPY3D_PEER" else copy
            if abs(target - source) >= ROWS:
                queued &= call != "cuMemcpy2DUnaligned"
                self.call(process, on, call + "Async" * queued, given, *[0] * queued)

    @precondition(has("memory"))
    @rule(process=who, on=thread, index=pick, other=pick, wrong=st.sampled_from(({}, {}, *WRONG_BATCHES)))
    def copy_batch(self, process: str, on: str, index: int, other: int, wrong: dict[str, Any]) -> None:
        process = self.holder(process, "memory")
        large = [one for one in self.known[process].memory if one.size >= ROWS]
        if large:
            target, source = self.two(large, index, other)
            addresses = {"dsts": (target, target + 32), "srcs": (source, source + 32), "sizes": (8, 16)}
            if abs(target - source) >= ROWS:
                self.call(process, on, "cuMemcpyBatchAsync", *{**addresses, **BATCH, **wrong}.values())
