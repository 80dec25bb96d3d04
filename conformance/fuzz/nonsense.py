"""Arguments of garbage programs: possible values, and impossible ones.

An argument is drawn as plain data, so that the same program can be made again in a new world: what a world has made is
meant by a :class:`Held`, and what has no literal by a :class:`Made`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.spec import launch_config, mem_ops, resources, stream_values
from fakecuda.spec.layouts import CODES, HIDDEN, POINTING, UNIONS
from fakecuda.spec.sizes import BYTES

if TYPE_CHECKING:
    from random import Random

    from fakecuda.rules.registry import Api
    from fakecuda.spec.description import Function, Param

SMALL = (0, 0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 64, 100, 512, 4096, 65536, 1 << 20, 2 << 20, 4 << 20, 1 << 30)
WIDTH = {"b": 8, "B": 8, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
SIGNED = "biq"
FUNCTION = "function"
"""The kind of a callable host function."""
HOST = "host"
"""The kind of writable host memory."""
FUNCTIONS = frozenset(
    {
        "CUhostFn",
        "CUstreamCallback",
        "cudaHostFn_t",
        "cudaStreamCallback_t",
        "hipHostFn_t",
        "hipStreamCallback_t",
    }
)
POINTERS = frozenset({"CUdeviceptr", "void", "size_t"})
COUNTS = (0, 1, 1, 2, 3)
ODD: tuple[Any, ...] = (
    None,
    -1,
    1 << 31,
    1 << 32,
    1 << 63,
    1 << 64,
    -(1 << 63),
    1.5,
    float("inf"),
    float("nan"),
    True,
    "",
    "x",
    "x" * 5000,
    b"",
    b"x",
    bytes(63),
    bytes(64),
    (),
    [],
    [None],
    [1],
    {},
)
"""Values that no or few C arguments have."""
CLASSES = ("Raises", "Answers", "Index", "object")
"""Classes of :mod:`conformance.fuzz.garbage`: a raise, no number, and an index."""


@frozen
class Held:
    """An object that the world has created.

    Attributes:
        kind: Its C type, or ``HOST`` or ``FUNCTION``; "" for any.
        number: Which, in the order in which they came.
        plus: What is added to it, where it is a number.
    """

    kind: str
    number: int
    plus: int = 0


@frozen
class Made:
    """An object of the tested module's class, or of :mod:`conformance.fuzz.garbage`.

    Attributes:
        name: The class.
        value: What it is made of: nothing, a number, or the values of its attributes in the order of their names.
    """

    name: str
    value: Any = None


class Plain:
    """Draws plain values for operations.

    Args:
        random: Draws.
        api: Whose calls are made.
    """

    def __init__(self, random: Random, api: Api) -> None:
        self.random = random
        self.structs: dict[str, Any] = api.description.STRUCTS
        self.enums: dict[str, dict[str, int]] = api.description.ENUMS

    def arguments(self, call: Function) -> tuple[Any, ...]:
        """Return arguments of a call, with arrays no shorter than their counts."""
        values = [self.argument(param) for param in call.inputs]
        places = {param.name: place for place, param in enumerate(call.inputs)}
        for param, value in zip(call.inputs, values, strict=True):
            if param.array and param.count in places and type(value) is tuple:
                values[places[param.count]] = self.random.choice([len(value), len(value), 0])
        for place, param in enumerate(call.inputs):
            if param.type in UNIONS and not param.array and type(values[place - 1]) is int:
                values[place] = self.union(values[place - 1])
        return tuple(values)

    def argument(self, param: Param) -> Any:
        """Return an argument for a parameter."""
        if param.array:
            if not self.random.randrange(8):
                return None
            return tuple(self._one(param) for _ in range(self.random.choice(COUNTS)))
        if (
            param.kind != "integer"
            and param.pointer
            and not self.random.randrange(8)
            and param.kind not in {HOST, "any"}
        ):
            return None
        return self._one(param)

    def _one(self, param: Param) -> Any:
        if param.type in FUNCTIONS:
            return Held(FUNCTION, 0)
        if param.kind == HOST:
            return self.random.choice(
                [Held(HOST, 0), Held(HOST, 1, 4088), Held("", self.random.randrange(64)), 0, 0x1000]
            )
        if param.kind == "string":
            return self.random.choice([b"", b"0000:01:00.0", b"cuMemAlloc", b"x" * 300, bytes(range(255, 0, -1))])
        if param.kind == "bytes":
            return self._bytes(param.type)
        if param.type in UNIONS:
            return self._operation()
        if param.type in POINTING:
            return self._pointing(param.type)
        if param.kind == "struct":
            return self.struct(param.type)
        return self.integer("void" if param.pointer and not param.array and param.role != "inout" else param.type)

    def _bytes(self, kind: str) -> Any:
        size = BYTES[kind]
        return self.random.choice([Held(kind, self.random.randrange(4)), bytes(size), b"\xff" * size])

    def struct(self, name: str) -> tuple[Any, ...]:
        """Return the members of a struct, without unused ones."""
        values: list[Any] = []
        for ctype, label in self.structs[name]:
            member, _, count = label.rstrip("]").partition("[")
            if ctype in BYTES:
                values.append(bytes(BYTES[ctype]))
            elif ctype in self.structs and not count:
                values.append(self.struct(ctype))
            elif not HIDDEN.match(member):
                if count and ctype == "char":
                    values.append(b"")
                elif count:
                    values.append(tuple(self.integer(ctype) for _ in range(int(count))))
                else:
                    values.append(self.integer(ctype))
        return tuple(values)

    def union(self, key: int) -> Any:
        """Return a stream attribute's value, as read from bytes."""
        return stream_values.unpack(key, self.random.randbytes(stream_values.SIZE))

    def _operation(self) -> tuple[int, ...]:
        data = bytearray(self.random.randbytes(mem_ops.SIZE))
        data[:4] = self.random.choice((1, 2, 3, 4, 5, 99)).to_bytes(4, "little")
        return mem_ops.unpack(bytes(data))

    def _pointing(self, struct: str) -> tuple[Any, ...]:
        """Return a struct that points to others."""
        if struct == "CUlaunchConfig":
            return self._launch()
        return self._restore() if struct == "CUcheckpointRestoreArgs" else self._resource(struct)

    def _restore(self) -> tuple[Any, ...]:
        """Return the arguments of a process restore."""
        pairs = tuple((self._bytes("CUuuid"), self._bytes("CUuuid")) for _ in range(self.random.choice((0, 1, 2))))
        return pairs or 0, len(pairs) or self.random.choice((0, 0, 1 << 31)), self.random.choice((0, 0, 0, 1))

    def _resource(self, struct: str) -> tuple[Any, ...]:
        """Return a resource of a texture."""
        form = ("CUarray_format", "unsigned int") if struct == "CUDA_RESOURCE_DESC" else ("int",) * 5
        kind = self.random.choice((*resources.LAYOUTS, 9))
        members = {
            resources.ARRAY: ("CUarray",),
            resources.MIPMAPPED: ("CUmipmappedArray",),
            resources.LINEAR: ("CUdeviceptr", *form, "size_t"),
            resources.PITCHED: ("CUdeviceptr", *form, "size_t", "size_t", "size_t"),
        }.get(kind, ())
        values, flags = tuple(self.integer(member) for member in members), self.random.choice((0, 0, 1))
        return kind, values, flags if struct == "CUDA_RESOURCE_DESC" else 0  # no door reads those of the other one

    def _launch(self) -> tuple[Any, ...]:
        """Return a launch configuration."""
        rows = []
        for _ in range(self.random.choice(COUNTS)):
            number = self.random.choice((*launch_config.LAYOUTS, 99))
            form = launch_config.LAYOUTS.get(number)
            rows.append((number, *(form.unpack(self.random.randbytes(form.size)) if form else ())))
        sizes = [self.integer("unsigned int") for _ in range(launch_config.STREAM)]
        return (*sizes, self.integer("CUstream"), self.random.choice((tuple(rows), tuple(rows), None)))

    def integer(self, ctype: str) -> Any:
        """Return a number that a C type can hold."""
        random = self.random
        code = CODES.get(ctype) or ("i" if ctype in self.enums else "Q")
        if code == "f":
            return random.choice([0.0, 0.5, -1.0, 1e30])
        if ctype in self.enums and random.randrange(4):
            return random.choice(sorted(self.enums[ctype].values()))
        if code == "Q" and random.randrange(3):
            kind = ctype if random.randrange(4) or ctype in POINTERS else ""
            if ctype != "size_t":
                return Held(kind, random.randrange(64), random.choice((0, 0, 0, 0, 0, 1, 512, 4096, -1)))
        value = random.choice(SMALL)
        if not random.randrange(4):
            value = (1 << random.randrange(WIDTH[code] + 1)) + random.choice((-1, 0, 1))
        if not random.randrange(8):
            value = random.getrandbits(WIDTH[code])
        return fitted(value, code)


def fitted(value: int, code: str) -> int:
    """Return a number cut to a C type, by its code in ``CODES``."""
    width = WIDTH[code]
    value &= (1 << width) - 1
    return value - (1 << width) if code in SIGNED and value >> width - 1 else value


class Odd(Plain):
    """Draws arguments as a Python program could pass them."""

    def arguments(self, call: Function) -> tuple[Any, ...]:
        """Return arguments of a call, one for each keyword, mostly of the right kind."""
        return tuple(self.argument(param) for param in call.params if param.keyword)

    def argument(self, param: Param) -> Any:
        """Return an argument for a parameter, or any value."""
        random = self.random
        if param.type in FUNCTIONS:  # whatever it is, it would be called
            return Held(FUNCTION, 0)
        if not random.randrange(4):
            return self.anything()
        if param.array:
            return [self._one(param) for _ in range(random.choice(COUNTS))]
        return self._one(param)

    def anything(self) -> Any:
        """Return any value."""
        random = self.random
        kind = random.randrange(6)
        if kind == 0:
            return Made(random.choice(CLASSES))
        if kind == 1:
            return Held("", random.randrange(64))
        if kind == 2:
            return self.struct(random.choice(sorted(self.structs)))
        if kind == 3:
            return self._member(random.choice(sorted(self.enums)))
        return random.choice(ODD)

    def _one(self, param: Param) -> Any:
        if param.type in self.enums and self.random.randrange(8):
            return self._member(param.type)
        if param.kind in {"bytes", "struct"} or param.type in UNIONS:
            return self._of(param.type)
        return super()._one(param)

    def _member(self, name: str) -> Any:
        return Made(name, self.random.choice(sorted(self.enums[name].values()) or [0]))

    def _of(self, name: str) -> Any:
        if self.random.randrange(2):
            return Held(name, self.random.randrange(4))
        return self.struct(name) if name in self.structs else Made(name)

    def struct(self, name: str) -> Any:
        """Return an object of a struct's class, with numbers in some attributes."""
        labels = [
            label
            for ctype, label in self.structs.get(name, ())
            if not ("[" in label or "*" in ctype or ctype in self.structs)
        ]
        chosen = [label for label in labels if not HIDDEN.match(label) and self.random.randrange(2)]
        types = {label: ctype for ctype, label in self.structs.get(name, ())}
        return Made(
            name,
            tuple(
                (label, self._member(types[label]) if types[label] in self.enums else self.integer(types[label]))
                for label in chosen
            ),
        )
