"""HIP cases through hip-python and through its look-alike.

A side takes the plain arguments of a call to its door, and brings plain results back.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from conformance.fuzz.hip_in_c import ROOM, Through, Unsayable, packed
from fakecuda.spec import hip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.description import Function, Param


@frozen
class Python(Through):
    """hip-python, or its look-alike.

    Attributes:
        module: The module.
    """

    module: Any = field(kw_only=True)

    def through(self, call: Function, given: dict[str, Any], missing: str) -> tuple[Any, ...]:
        """Make the call.

        Raises:
            Unsayable: It takes an argument from C alone.
        """
        places: dict[str, int] = {}
        function = getattr(self.module, call.name, None)
        if function is None or any(not p.keyword for p in call.inputs):
            raise Unsayable
        args = list(self._arguments(call, given, missing, places))
        if missing and missing not in places:
            raise Unsayable
        try:
            code, *results = function(*args)
        except ValueError as error:  # it reads what a call that failed has left alone
            raise Unsayable from error
        if code:
            return (int(code), *[None] * len(call.outputs))
        made = dict(zip([p.name for p in call.params if not p.keyword], results, strict=True))
        return (
            0,
            *[
                self.found(call, p, places[p.name], given) if p.name in places else self._plain(p, made[p.name])
                for p in call.outputs
            ],
        )

    def _arguments(self, call: Function, given: dict[str, Any], missing: str, places: dict[str, int]) -> Iterator[Any]:
        for p in call.params:
            if not p.keyword:
                continue
            if p.role in {"out", "string_out"}:
                places[p.name] = 0 if p.name == missing else self.memory(ROOM)
                yield places[p.name]
            elif p.type in hip.ENUMS and not p.pointer:
                if given[p.name] not in hip.ENUMS[p.type].values():
                    raise Unsayable
                yield getattr(self.module, p.type)(given[p.name])
            elif p.role == "string_in":
                yield given[p.name]
            elif p.kind in {"struct", "bytes"} and not p.pointer:
                item = getattr(self.module, p.type)()
                content = packed(p.type, given[p.name])
                ctypes.memmove(int(item), content, len(content))
                yield item
            else:
                yield self.pointed(p, given[p.name]) if p.pointer else given[p.name]

    def _plain(self, p: Param, value: Any) -> Any:
        if p.kind in {"struct", "bytes"} and value is not None:
            return self.found(hip.CALLS["hipInit"], p, int(value), {})
        if p.kind == "string":
            return ctypes.string_at(int(value)) if not isinstance(value, bytes | str) else value
        if isinstance(value, float):
            return value
        return 0 if value is None else int(value)
