"""Texture and surface objects.

Such an object is a number. Kernels of its context use it to read an array, or memory, in a given way.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack


@define(eq=False)
class Seen(history.Lifetime):
    """A texture or surface object.

    Attributes:
        number: The CUtexObject or CUsurfObject: the lowest number that was free in its context.
        context: The context that it ends with.
        resource: The array or memory that it reads, in the form of :mod:`fakecuda.spec.resources`.
    """

    words = ("created", "destroyed")
    number: int
    context: Context
    resource: tuple[Any, ...] = field(repr=False)


@define(eq=False)
class Texture(Seen):
    """A texture object.

    Attributes:
        sampling: How it reads: a CUDA_TEXTURE_DESC.
        view: Which part of an array it reads, and in which format: a CUDA_RESOURCE_VIEW_DESC.
    """

    sampling: tuple[Any, ...] = field(default=(), repr=False)
    view: tuple[Any, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return f"texture object {self.number} of {self.context}"


@define(eq=False)
class Surface(Seen):
    """A surface object."""

    def __repr__(self) -> str:
        return f"surface object {self.number} of {self.context}"


def _free(numbers: dict[int, Any]) -> int:
    return next(number for number in count(1) if number not in numbers)


@effect(makes="Texture")
def create(
    context: Context, resource: tuple[Any, ...], sampling: tuple[Any, ...], view: tuple[Any, ...], stack: Stack
) -> Texture:
    """Create a texture object in a context, and return it."""
    number = _free(context.textures)
    made = context.textures[number] = Texture(number, context, resource, sampling, view, created=stack)
    return made


@effect(makes="Surface")
def create_surface(context: Context, resource: tuple[Any, ...], stack: Stack) -> Surface:
    """Create a surface object in a context, and return it."""
    number = _free(context.surfaces)
    made = context.surfaces[number] = Surface(number, context, resource, created=stack)
    return made


@effect(ends="seen")
def end(seen: Seen, stack: Stack) -> None:
    """Destroy a texture or surface object; its array or memory remains."""
    seen.ended = stack
    table: dict[int, Any] = seen.context.textures if isinstance(seen, Texture) else seen.context.surfaces
    del table[seen.number]
