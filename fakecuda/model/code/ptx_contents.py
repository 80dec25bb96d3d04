"""The contents of a PTX text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field, frozen

from fakecuda.model.code.code import GRAPH_LAUNCH
from fakecuda.model.code.ptx_declarations import ROOM

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_body import Body
    from fakecuda.model.code.ptx_declarations import Declared

    Signature = tuple[object, ...]


@frozen
class Kernel:
    """A kernel of a PTX text.

    Attributes:
        linkage: Its linkage. Empty for a private kernel.
        params: The offset and the bytes of each parameter.
        directives: The numbers of each directive, by name.
        body: Its body.
    """

    linkage: str
    params: tuple[tuple[int, int], ...]
    directives: dict[str, list[int]]
    body: Body

    def three(self, directive: str) -> tuple[int, int, int] | None:
        """Return the three numbers of a directive, with 1 for missing ones.

        None without the directive.
        """
        numbers = self.directives.get(directive)
        if not numbers:
            return None
        x, y, z = [*numbers, 1, 1][:3]
        return x, y, z


@define
class Contents:
    """The contents of a text.

    Attributes:
        linkage: The linkage of each defined function. Empty for a private function.
        declared: The declared functions, with the offset of each name.
        functions: The linkage of each function and all that its declarations must repeat.
        prototypes: The results and the parameters of each defined or declared function.
        narrow: The functions with results or parameters that relocatable code cannot have, with the offset of each name.
        bodies: The bodies of functions.
        defined: The bodies of functions and kernels, in the order of the text.
        kernels: The kernels by name.
        variables: The linkage, the space and the declaration of each variable.
        sizes: Bytes of the variables by space.
        sections: How many sections of data it has.
    """

    linkage: dict[str, str] = field(factory=dict)
    declared: dict[str, int] = field(factory=dict)
    functions: dict[str, tuple[str, Signature]] = field(factory=dict)
    prototypes: dict[str, str] = field(factory=dict)
    narrow: dict[str, int] = field(factory=dict)
    bodies: dict[str, Body] = field(factory=dict)
    defined: dict[str, Body] = field(factory=dict)
    kernels: dict[str, Kernel] = field(factory=dict)
    variables: list[tuple[str, str, Declared]] = field(factory=list)
    sizes: dict[str, int] = field(factory=lambda: dict.fromkeys(ROOM, 0))
    sections: int = 0

    def called(self) -> list[str]:
        """Return called functions that are not defined."""
        called: set[str] = set().union(*(one.calls for one in self.defined.values()))
        return [name for name in self.declared if name in called and name not in self.linkage]

    def reached(self) -> set[str]:
        """Return the functions and kernels that code uses, or that other texts can use.

        A compiler leaves out other private functions.
        """
        left = [*self.kernels, *(name for name, how in self.linkage.items() if how)]
        left += [one.name for _, _, variable in self.variables for one in variable.addresses if one.function]
        found = set(left)
        while left:
            body = self.defined.get(left.pop())
            if body is not None:
                new = (body.calls | body.pointed) - found
                found |= new
                left += new
        return found

    def ordered(self) -> list[str]:
        """Return the functions and kernels in the order in which a linker compares them.

        The last definition comes first. Behind it are the functions that it uses, as they are declared.
        """
        places = {name: place for place, name in enumerate(self.prototypes)}
        found: dict[str, None] = {}
        for name, body in reversed(self.defined.items()):
            found[name] = None
            found.update(dict.fromkeys(sorted(body.calls | body.pointed, key=places.__getitem__)))
        found.update(dict.fromkeys(reversed(self.prototypes)))
        return list(found)

    def shared(self, kernel: Body) -> int:
        """Return the shared memory of a kernel, including that of functions it calls."""
        reached, seen = [kernel], set(kernel.calls)
        left = sorted(seen)
        while left:
            body = self.bodies.get(left.pop())
            if body is not None:
                reached.append(body)
                left += sorted(body.calls - seen)
                seen |= body.calls
        used = set().union(*(body.used for body in reached))
        own = [one for body in reached for one in body.shared]
        end = 0
        for one in [one for _, space, one in self.variables if space == "shared" and one.name in used] + own:
            end += -end % one.align + one.size
        return end

    def pointed(self) -> list[str]:
        """Return undefined functions whose addresses are used, also in initial values."""
        named = {one.name for _, _, variable in self.variables for one in variable.addresses if one.function}
        named.update(*(one.pointed for one in self.defined.values()))
        return [
            name for name in self.declared if name in named and name not in self.linkage and name not in self.kernels
        ]

    def launching(self) -> set[str]:
        """Return the functions that launch graphs, directly or indirectly."""
        if GRAPH_LAUNCH in self.linkage:  # the text defines a function of that name
            return set()
        callers: dict[str, list[str]] = {}
        for name, body in self.bodies.items():
            for called in body.calls:
                callers.setdefault(called, []).append(name)
        found, left = {GRAPH_LAUNCH}, [GRAPH_LAUNCH]
        while left:
            new = [name for name in callers.get(left.pop(), ()) if name not in found]
            found.update(new)
            left += new
        return found
