"""Modules of contexts with functions, and libraries of processes with kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.model.code.code import Entry, Image
    from fakecuda.model.code.kernels import Dim
    from fakecuda.model.code.linking import Linker
    from fakecuda.model.context import Context
    from fakecuda.model.memory.memory import Variable
    from fakecuda.model.os.process import Process

    Loaded: TypeAlias = "Module" | "Function" | "Library" | "Kernel" | Linker

REQUIRED_CLUSTER = (11, 12, 13)
"""CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, _HEIGHT and _DEPTH."""


@define(eq=False)
class Module(history.Lifetime):
    """An image that was loaded into a context.

    Attributes:
        handle: The CUmodule.
        context: Its context.
        image: Its contents.
        library: The library that it belongs to. None for a module that was loaded by itself.
        functions: Its functions that were requested, by name.
        variables: The memory of its variables by name. All modules of a library share managed variables.
        debug: Whether it was compiled with CU_JIT_GENERATE_DEBUG_INFO by cuModuleLoadDataEx.
    """

    words = ("loaded", "unloaded")
    handle: int
    context: Context
    image: Image = field(repr=False)
    library: Library | None = None
    functions: dict[str, Function] = field(factory=dict, repr=False)
    variables: dict[str, Variable] = field(factory=dict, repr=False)
    debug: bool = False

    def __repr__(self) -> str:
        return f"module {self.handle:#x} of {self.context}"


@define(eq=False)
class Function:
    """A kernel of a module.

    Attributes:
        handle: The CUfunction.
        module: Its module.
        entry: Its description in the image.
        attributes: Attributes that were set, by CUfunction_attribute.
        cache_config: Its CUfunc_cache.
        loaded: Whether its code is on the device. A function that is only enumerated is loaded at its first use.
        prepared: What runs it from its PTX keeps for its next launch. None before a launch.
    """

    handle: int
    module: Module
    entry: Entry = field(repr=False)
    attributes: dict[int, int] = field(factory=dict)
    cache_config: int = 0
    loaded: bool = False
    prepared: Any = field(default=None, repr=False)

    @property
    def kernel(self) -> Kernel | None:
        """The kernel of the function's library.

        None without a library, or before the kernel was requested.
        """
        library = self.module.library
        return library.kernels.get(self.entry.name) if library is not None else None

    def attribute(self, attribute: int) -> int | None:
        """Return a set attribute of the function, or else of its kernel.

        None if neither was set.
        """
        own = self.attributes.get(attribute)
        kernel = self.kernel
        if own is None and kernel is not None:
            return kernel.attributes.get((self.module.context.device.ordinal, attribute))
        return own

    @property
    def required(self) -> Dim | None:
        """The cluster that its attributes require. None if they require none."""
        if not self.attributes and self.kernel is None:
            return None
        x, y, z = (self.attribute(side) or 0 for side in REQUIRED_CLUSTER)
        return (x, y, z) if x or y or z else None

    def cluster(self, asked: Dim | None) -> Dim | None:
        """Return the cluster size of a launch: requested, compiled or required; or None."""
        return asked or self.entry.cluster or self.required

    @property
    def preference(self) -> int:
        """The CUfunc_cache in effect: the function's, its kernel's, or its context's."""
        context, kernel = self.module.context, self.kernel
        return self.cache_config or (kernel.preference(context) if kernel is not None else context.cache_config)

    @effect(beside="the first use loads it")
    def load(self) -> None:
        """Load the function's code on the device."""
        self.loaded = True

    @effect()
    def set_attribute(self, attribute: int, value: int) -> None:
        """Set an attribute (CUfunction_attribute) of the function."""
        self.attributes[attribute] = value

    @effect()
    def set_cache_config(self, config: int) -> None:
        """Set the CUfunc_cache of the function."""
        self.cache_config = config

    def history(self) -> list[str]:
        """Return the history of the function's module."""
        return self.module.history()

    def __repr__(self) -> str:
        return f"function {self.entry.name} of {self.module}"


@define(eq=False)
class Library(history.Lifetime):
    """An image loaded into a process.

    It becomes a module of each context that asks for its code.

    Attributes:
        handle: The CUlibrary.
        process: Its process.
        data: The image.
        kernels: Its kernels that were requested, by name.
        modules: Its modules by context.
        variables: The memory of its managed variables by name, after the first request for its code. It belongs to no
            context.
        of_program: Whether the runtime library has loaded it, for a program that registers it.
        objects: The relocatable images that a program's image was linked from. Empty for other images.
        jit: The values of its options of the compiler, by CUjit_option.
    """

    words = ("loaded", "unloaded")
    handle: int
    process: Process = field(repr=False)
    data: bytes = field(repr=False)
    kernels: dict[str, Kernel] = field(factory=dict, repr=False)
    modules: dict[Context, Module] = field(factory=dict, repr=False)
    variables: dict[str, Variable] = field(factory=dict, repr=False)
    of_program: bool = False
    objects: tuple[bytes, ...] = field(default=(), repr=False)
    jit: dict[int, int] = field(factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"library {self.handle:#x}"


@define(eq=False)
class Kernel:
    """A kernel of a library.

    Attributes:
        handle: The CUkernel.
        library: Its library.
        entry: Its description in the image.
        attributes: Attributes that were set, by device ordinal and CUfunction_attribute.
        cache_configs: Its CUfunc_cache by device ordinal.
    """

    handle: int
    library: Library
    entry: Entry = field(repr=False)
    attributes: dict[tuple[int, int], int] = field(factory=dict)
    cache_configs: dict[int, int] = field(factory=dict)

    def preference(self, context: Context) -> int:
        """Return the kernel's CUfunc_cache in a context, or the context's."""
        return self.cache_configs.get(context.device.ordinal) or context.cache_config

    @effect()
    def set_cache_config(self, ordinal: int, config: int) -> None:
        """Set the kernel's CUfunc_cache on a device."""
        self.cache_configs[ordinal] = config

    @effect()
    def set_attribute(self, ordinal: int, attribute: int, value: int) -> None:
        """Set an attribute (CUfunction_attribute) of the kernel on a device."""
        self.attributes[ordinal, attribute] = value

    def history(self) -> list[str]:
        """Return the history of the kernel's library."""
        return self.library.history()

    def __repr__(self) -> str:
        return f"kernel {self.entry.name} of {self.library}"
