"""The contents of a PTX text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field, frozen

from fakecuda.model.code.code import GRAPH_LAUNCH, SYSTEM
from fakecuda.model.code.ptx_declarations import ROOM

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_body import Body
    from fakecuda.model.code.ptx_declarations import Declared


@frozen
class Kernel:
    """A kernel that was read.

    Attributes:
        params: The offset and the bytes of each parameter.
        directives: The numbers of each directive, by name.
        body: Its body.
    """

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
class Found:
    """The contents of a text.

    Attributes:
        linkage: The linkage of each defined function. Empty for a private function.
        declared: The declared functions, with the offset of each name.
        calls: The functions that each function calls.
        kernels: The kernels by name.
        variables: The linkage, the space and the declaration of each variable.
        sizes: Bytes of the variables by space.
        sections: How many sections of data it has.
    """

    linkage: dict[str, str] = field(factory=dict)
    declared: dict[str, int] = field(factory=dict)
    calls: dict[str, set[str]] = field(factory=dict)
    kernels: dict[str, Kernel] = field(factory=dict)
    variables: list[tuple[str, str, Declared]] = field(factory=list)
    sizes: dict[str, int] = field(factory=lambda: dict.fromkeys(ROOM, 0))
    sections: int = 0

    def missing(self) -> list[str]:
        """Return the functions that are called and not defined, without system functions."""
        called: set[str] = set().union(*self.calls.values(), *(one.body.calls for one in self.kernels.values()))
        return [name for name in self.declared if name in called and name not in self.linkage and name not in SYSTEM]

    def pointed(self) -> list[str]:
        """Return the functions that are not defined, and with whose addresses variables begin."""
        named = {one.name for _, _, variable in self.variables for one in variable.addresses if one.function}
        return [
            name for name in self.declared if name in named and name not in self.linkage and name not in self.kernels
        ]

    def launching(self) -> set[str]:
        """Return the functions that launch graphs, directly or by other functions."""
        if GRAPH_LAUNCH in self.linkage:  # the text defines a function of that name
            return set()
        callers: dict[str, list[str]] = {}
        for name, calls in self.calls.items():
            for called in calls:
                callers.setdefault(called, []).append(name)
        found, left = {GRAPH_LAUNCH}, [GRAPH_LAUNCH]
        while left:
            new = [name for name in callers.get(left.pop(), ()) if name not in found]
            found.update(new)
            left += new
        return found
