"""Calls as text with named arguments, and the objects that arguments name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.text import SMALL, exactly, shown
from fakecuda.rules.registry import EVERY_API, api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.os.process import Process
    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Param


def called(call: str, args: tuple[Any, ...]) -> str:
    """Return a call as text with named arguments and enumerators.

    Args:
        call: The function; a function outside of the APIs, such as a test's own, has no names.
        args: Its arguments, plain values in C order.
    """
    if not any(call in api.calls for api in EVERY_API.values()):
        return f"{call}({', '.join(shown(value) for value in args)})"
    api = api_of(call)
    return f"{call}({', '.join(named(api, api.calls[call].inputs, args))})"


def named(
    api: Api, params: tuple[Param, ...], values: tuple[Any, ...], variable: Callable[[Param, Any], str] = lambda *_: ""
) -> list[str]:
    """Return arguments or results as short texts with their names.

    Args:
        api: The API.
        params: The parameters.
        values: The plain values; a call may be printed before it has them all.
        variable: Returns the variable that holds a value, or an empty text.
    """
    return [
        f"{param.keyword or param.name}={variable(param, value) or _argument(api, param, value)}"
        for param, value in zip(params, values, strict=False)
    ]


def _argument(api: Api, param: Param, value: Any) -> str:
    """Return an argument or result as short text."""
    if isinstance(value, bytes) and param.kind == "string" and value.isascii():
        return repr(value.rstrip(b"\0").decode())
    return _value(api, param.type, value)


def _value(api: Api, kind: str, value: Any) -> str:
    """Return a value of a C type as short text."""
    if value is None:
        return "null"
    if isinstance(value, tuple):
        fields = getattr(api.description, "STRUCTS", {}).get(kind, ())
        if len(fields) != len(value):
            return f"({', '.join(_value(api, kind, item) for item in value)})"
        texts = (
            f"{label}={_value(api, of, item)}" for (of, label), item in zip(fields, value, strict=True) if _is_set(item)
        )
        return f"{{{', '.join(texts)}}}"
    if not isinstance(value, int):
        return shown(value) if isinstance(value, bytes) else str(value)
    if (members := api.description.ENUMS.get(kind)) is not None:
        return next((label for label, number in reversed(members.items()) if number == value), str(value))
    if kind == "size_t":
        return exactly(value)
    return hex(value) if value > SMALL else str(int(value))


def _is_set(item: Any) -> bool:
    """Return whether a struct member is not zero."""
    return any(map(_is_set, item)) if isinstance(item, tuple) else bool(item)


def tables_of(process: Process) -> tuple[dict[int, Any], ...]:
    """Return the tables of a process's living objects, by handle."""
    return (
        process.contexts,
        process.streams,
        process.events,
        process.graphs,
        process.user_objects.live,
        process.pools.live,
        process.handles,
        process.arrays,
    )


def named_by(process: Process, args: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the objects of a process that arguments name, including objects that have ended."""
    tables = tables_of(process)
    ended: tuple[dict[int, Any], ...] = (process.dead_contexts, process.freed)
    for value in args:
        if isinstance(value, bytes) and value in process.machine.exchange.shares:
            yield process.machine.exchange.shares[value]
        if isinstance(value, int) and value > SMALL:
            ranges: tuple[Any, ...] = (process.memory.at(value), process.reservations.at(value))
            live = [table[value] for table in tables if value in table] + [item for item in ranges if item is not None]
            yield from live or [table[value] for table in ended if value in table]
