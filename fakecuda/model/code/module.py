"""Code that was loaded: modules of contexts with their functions, libraries of processes with their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.model.code.code import Entry, Image
    from fakecuda.model.code.linking import Linker
    from fakecuda.model.context import Context
    from fakecuda.model.memory.memory import Variable
    from fakecuda.model.os.process import Process

    Loaded: TypeAlias = "Module" | "Function" | "Library" | "Kernel" | Linker


@define(eq=False)
class Module(history.Lifetime):
    """An image that was loaded into a context.

    Attributes:
        handle: The CUmodule.
        context: Its context.
        image: What it holds.
        library: The library that it is of; None for one that was loaded by itself.
        functions: Its functions, by the names of those that were asked for.
        variables: The memory of its variables by their names; managed ones of a library are all its modules'.
    """

    words = ("loaded", "unloaded")
    handle: int
    context: Context
    image: Image = field(repr=False)
    library: Library | None = None
    functions: dict[str, Function] = field(factory=dict, repr=False)
    variables: dict[str, Variable] = field(factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"module {self.handle:#x} of {self.context}"


@define(eq=False)
class Function:
    """A kernel of a module.

    Attributes:
        handle: The CUfunction.
        module: Its module.
        entry: What its image tells of it.
        attributes: Attributes that were set, by CUfunction_attribute.
        cache_config: Its CUfunc_cache.
        loaded: Whether its code is on the device: what is only enumerated is loaded when it is first used.
    """

    handle: int
    module: Module
    entry: Entry = field(repr=False)
    attributes: dict[int, int] = field(factory=dict)
    cache_config: int = 0
    loaded: bool = False

    @property
    def kernel(self) -> Kernel | None:
        """The kernel of its library that it is; None of a module that was loaded by itself, or where nobody has asked for it."""
        library = self.module.library
        return library.kernels.get(self.entry.name) if library is not None else None

    def attribute(self, attribute: int) -> int | None:
        """Return what an attribute was set to, by its kernel where it was not by itself; None where it was not at all."""
        own = self.attributes.get(attribute)
        kernel = self.kernel
        if own is None and kernel is not None:
            return kernel.attributes.get((self.module.context.device.ordinal, attribute))
        return own

    @property
    def preference(self) -> int:
        """The CUfunc_cache that counts: its own, its kernel's, or its context's."""
        context, kernel = self.module.context, self.kernel
        return self.cache_config or (kernel.preference(context) if kernel is not None else context.cache_config)

    @effect(beside="whatever uses it loads it")
    def load(self) -> None:
        """Bring its code to the device."""
        self.loaded = True

    @effect()
    def set_attribute(self, attribute: int, value: int) -> None:
        """Set an attribute (CUfunction_attribute)."""
        self.attributes[attribute] = value

    @effect()
    def set_cache_config(self, config: int) -> None:
        """Set its CUfunc_cache."""
        self.cache_config = config

    def history(self) -> list[str]:
        """Return the history of its module."""
        return self.module.history()

    def __repr__(self) -> str:
        return f"function {self.entry.name} of {self.module}"


@define(eq=False)
class Library(history.Lifetime):
    """An image that was loaded into a process; it becomes a module of each context that asks for its code.

    Attributes:
        handle: The CUlibrary.
        process: Its process.
        data: The image.
        kernels: Its kernels, by the names of those that were asked for.
        modules: Its modules by their contexts.
        variables: The memory of its managed variables by their names, once somebody has asked for its code: it is no context's.
    """

    words = ("loaded", "unloaded")
    handle: int
    process: Process = field(repr=False)
    data: bytes = field(repr=False)
    kernels: dict[str, Kernel] = field(factory=dict, repr=False)
    modules: dict[Context, Module] = field(factory=dict, repr=False)
    variables: dict[str, Variable] = field(factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"library {self.handle:#x}"


@define(eq=False)
class Kernel:
    """A kernel of a library.

    Attributes:
        handle: The CUkernel.
        library: Its library.
        entry: What its image tells of it.
        attributes: Attributes that were set, by device ordinal and CUfunction_attribute.
        cache_configs: Its CUfunc_cache by device ordinal.
    """

    handle: int
    library: Library
    entry: Entry = field(repr=False)
    attributes: dict[tuple[int, int], int] = field(factory=dict)
    cache_configs: dict[int, int] = field(factory=dict)

    def preference(self, context: Context) -> int:
        """Return the CUfunc_cache that counts in a context: its own, or the context's."""
        return self.cache_configs.get(context.device.ordinal) or context.cache_config

    @effect()
    def set_cache_config(self, ordinal: int, config: int) -> None:
        """Set its CUfunc_cache on a device."""
        self.cache_configs[ordinal] = config

    @effect()
    def set_attribute(self, ordinal: int, attribute: int, value: int) -> None:
        """Set an attribute (CUfunction_attribute) on a device."""
        self.attributes[ordinal, attribute] = value

    def history(self) -> list[str]:
        """Return the history of its library."""
        return self.library.history()

    def __repr__(self) -> str:
        return f"kernel {self.entry.name} of {self.library}"
