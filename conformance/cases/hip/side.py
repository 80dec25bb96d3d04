"""The two sides of a statement of hip-tests: HIP on a machine that has it, and the CUDA runtime in its place on NVIDIA's.

``expectations.json`` holds the statements as they were gathered; a program answers a code on the side that it runs on.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.rules.registry import api_of
from fakecuda.spec import hip, runtime

if TYPE_CHECKING:
    from collections.abc import Callable

    import fakecuda

CODES = dict(hip.ENUMS["hipError_t"]) | {"hipErrorInvalidResourceHandle": 400, "hipErrorMemoryAllocation": 2}


def ids(enum: str, prefix: str) -> dict[str, int]:
    """Return the members of an enum by their names without a prefix."""
    return {name.removeprefix(prefix): value for name, value in hip.ENUMS[enum].items()}


SIZE = 4096
READ_WRITE = 3
ALL = (1 << 64) - 1


@frozen
class Side:
    """A process on a side.

    Attributes:
        machine: Its machine.
        prefix: ``hip`` or ``cuda``.
        a: The process.
    """

    machine: fakecuda.Machine
    prefix: str
    a: Any = field(init=False)

    @a.default
    def _a(self) -> Any:
        return self.machine.spawn()

    def all(self, name: str, *args: Any, null: int | None = None, on: Any = None) -> tuple[Any, ...]:
        """Make a call and return all that it answers.

        Args:
            name: The call without its prefix.
            args: Its inputs in C order.
            null: Which of its results is a null pointer, by its place.
            on: The process that makes it; the first one by default.
        """
        call = api_of(self.prefix + name).calls[self.prefix + name]
        nulls = "" if null is None else call.outputs[null].name
        result: tuple[Any, ...] = getattr((on or self.a).c, self.prefix + name)(*args, null=nulls)
        return result

    def __call__(self, name: str, *args: Any, null: int | None = None, on: Any = None) -> int:
        """Make a call and return its code."""
        return int(self.all(name, *args, null=null, on=on)[0])

    def get(self, name: str, *args: Any, on: Any = None) -> Any:
        """Make a call that succeeds and return its first result."""
        code, *results = self.all(name, *args, on=on)
        assert code == 0, (name, args, code)
        return results[0] if results else None

    @property
    def ptr(self) -> int:
        """New memory of the first device."""
        return int(self.get("Malloc", SIZE))

    @property
    def there(self) -> int:
        """New memory of the second device; the first one is the thread's again afterwards."""
        self.get("SetDevice", 1)
        found = int(self.get("Malloc", SIZE))
        self.get("SetDevice", 0)
        return found

    @property
    def host(self) -> int:
        """New memory of the host, not page-locked."""
        return int(self.a.host_memory(2 * SIZE))

    @property
    def pool(self) -> int:
        """The default pool of the first device."""
        return int(self.get("DeviceGetDefaultMemPool", 0))

    def freed(self) -> int:
        """Return the address of memory that was freed."""
        ptr = self.ptr
        self.get("Free", ptr)
        return ptr

    def stream(self) -> int:
        """Return a new stream."""
        return int(self.get("StreamCreate"))

    def event(self, flags: int = 0) -> int:
        """Return a new event, which was recorded."""
        event = int(self.get("EventCreateWithFlags", flags))
        self.get("EventRecord", event, 0)
        return event

    def handle(self, size: int = 2 << 20, device: int = 0) -> int:
        """Return a new allocation handle."""
        return int(self.get("MemCreate", size, PROP(id=device), 0))

    def mapped(self, size: int = 2 << 20) -> int:
        """Return the address of a new mapping."""
        ptr = int(self.get("MemAddressReserve", size, 0, 0, 0))
        self.get("MemMap", ptr, size, 0, self.handle(size), 0)
        return ptr


def PROP(kind: int = 1, handles: int = 1, where: int = 1, id: int = 0) -> tuple[Any, ...]:  # noqa: A002 - C's names
    """Return a hipMemAllocationProp."""
    return (kind, handles, (where, id), 0, (0, 0, 0))


def key(statement: dict[str, str], count: dict[str, int]) -> str:
    """Return the short name of a statement: its test and line, or its place among those of its test without a line."""
    test = statement["test"].removeprefix("Unit_")
    line = re.search(r":(\d+)$", statement["file"])
    count[test] = count.get(test, 0) + 1
    return f"{test}@{line[1]}" if line else f"{test}/{count[test]}"


def statements() -> dict[str, dict[str, str]]:
    """Return all statements by their short names."""
    found: dict[str, dict[str, str]] = {}
    count: dict[str, int] = {}
    for statement in json.loads(Path(__file__).with_name("expectations.json").read_text()):
        name = key(statement, count)
        while name in found:
            name += "'"
        found[name] = statement
    return found


def accepted(text: str) -> set[int]:
    """Return the codes that an expectation accepts."""
    return {CODES[name] for name in re.findall(r"hip(?:Error\w+|Success)", text) if name in CODES}


def has_counterpart(program: Callable[[Side], int]) -> bool:
    """Return whether every call that a program names exists in the CUDA runtime with the same results."""
    names = getattr(program, "calls", ()) or [one for one in _texts(program.__code__) if f"hip{one}" in hip.CALLS]
    return bool(names) and all(
        f"cuda{name}" in runtime.CALLS
        and len(runtime.CALLS[f"cuda{name}"].inputs) == len(hip.CALLS[f"hip{name}"].inputs)
        and len(runtime.CALLS[f"cuda{name}"].outputs) == len(hip.CALLS[f"hip{name}"].outputs)
        for name in names
    )


def _texts(code: Any) -> list[str]:
    own = [one for one in code.co_consts if isinstance(one, str)]
    return own + [text for one in code.co_consts if hasattr(one, "co_consts") for text in _texts(one)]
