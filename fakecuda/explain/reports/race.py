"""The additional text of race reports: source lines, and a fix."""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING, Any

from fakecuda.model.work.accesses import Access, SameBytes
from fakecuda.model.work.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = re.compile(r"(?:^|at )(?P<file>\S.*):(?P<line>\d+) in ")
"""Matches the file and line number in a history."""
BETWEEN = (
    "in {theirs}, create an event with CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING and give {own} its handle of "
    "cuIpcGetEventHandle; call cuEventRecord in stream {stream:#x} after the earlier access, and only then notify {own}. "
    "In {own}, open the handle with cuIpcOpenEventHandle and call cuStreamWaitEvent before this {call}. "
    "Or call cuStreamSynchronize in {theirs} on stream {stream:#x} before it notifies {own}"
)
"""The fix for accesses by two processes."""
WITHIN = (
    "call cuEventRecord in stream {stream} after the earlier access, and cuStreamWaitEvent in stream {later} before this "
    "{call}; or call cuStreamSynchronize on stream {stream} between the two accesses"
)
"""The fix for accesses in two streams of a process."""
HOST = "call cuStreamSynchronize on stream {stream:#x} after this {call}, and let the host use the memory only then"
"""The fix for a host access that races with stream work."""
WAIT = "call cuStreamSynchronize on stream {stream:#x} after the earlier access and before this {call}"
"""The fix for a call that frees memory without waiting."""


def source(line: str, indent: str) -> list[str]:
    """Return the source text for a line of history; empty if it cannot be read.

    Both sides of a race have it: the two calls say no more of themselves than their places.
    """
    found = PLACE.search(line)
    text = linecache.getline(found["file"], int(found["line"])).strip() if found else ""
    return [f"{indent}| {text}"] if text else []


def fix(call: str, process: str, facts: Mapping[str, Any]) -> str:
    """Return the fix for a race, with its streams; empty for other findings.

    Args:
        call: The function that made the later access.
        process: The name of the process that called it.
        facts: What broke the rule.
    """
    earlier, later = facts.get("earlier"), facts.get("stream")
    if not isinstance(earlier, Access):
        return ""
    theirs, stream = earlier.stream.context.process, earlier.stream.handle
    if "host" in facts:
        return HOST.format(stream=stream, call=call)
    if isinstance(facts.get("memory"), SameBytes):
        return BETWEEN.format(theirs=theirs, own=f"process {process}", stream=stream, call=call)
    if isinstance(later, Stream):
        return WITHIN.format(stream=earlier.stream.beside(later), later=later.beside(earlier.stream), call=call)
    return WAIT.format(stream=stream, call=call)
