"""Stand-in images for a recorded program without its images.

Such an image is opaque: the model does not know what its kernels do. It has the kernels and variables that the program looked up in
it, with the sizes that the driver told. Its kernels have no parameters, so that the model reads none of a launch. The bytes are a
cubin, which the model loads like any other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from conformance.kit.plan import referred
from conformance.kit.values import decode
from fakecuda.model.code.code import GLOBAL, MANAGED, Entry, Image, Variable
from fakecuda.model.code.cubin_writer import written
from fakecuda.spec import node_params
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Answer, Program, Step

IMAGE, FILE = "unseen.image", "unseen.file"
"""What the arguments of a recorded load refer to."""
CODE = re.compile(r"unseen\.(module|library)\d+")
"""The name of code without a recorded load."""
LOADS = frozenset(
    {
        "cuModuleLoad",
        "cuModuleLoadData",
        "cuModuleLoadDataEx",
        "cuModuleLoadFatBinary",
        "cuLibraryLoadData",
        "cuLibraryLoadFromFile",
    }
)
KERNELS = frozenset({"cuModuleGetFunction", "cuLibraryGetKernel"})
VARIABLES = frozenset({"cuModuleGetGlobal", "cuLibraryGetGlobal", "cuLibraryGetManaged"})
SAME = {"cuKernelGetFunction": "pFunc", "cuLibraryGetModule": "pMod", "cuFuncGetModule": "hmod"}
"""Calls that return another handle of the same code."""
ATTRIBUTES = frozenset({"cuFuncGetAttribute", "cuKernelGetAttribute"})
TOLD = {
    ENUMS["CUfunction_attribute"][f"CU_FUNC_ATTRIBUTE_{name}"]: member
    for name, member in (
        ("MAX_THREADS_PER_BLOCK", "most"),
        ("SHARED_SIZE_BYTES", "shared"),
        ("LOCAL_SIZE_BYTES", "local"),
        ("NUM_REGS", "registers"),
    )
}
"""Attributes that a stand-in image takes over."""
SETTABLE = ENUMS["CUfunction_attribute"]["CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"]
"""The first settable attribute; earlier ones depend only on the code."""
ROOM = 1 << 20
"""The size of a variable with unknown size."""
PARAMS = {"cuLaunchKernel": (9, 10), "cuLaunchCooperativeKernel": (9,), "cuLaunchKernelEx": (2, 3)}
"""The argument index of parameter addresses, by call."""
NODES = {"cuGraphAddKernelNode": 3, "cuGraphKernelNodeSetParams": 1, "cuGraphExecKernelNodeSetParams": 2}
"""The argument index of a CUDA_KERNEL_NODE_PARAMS, by call."""
NODE_PARAMS = 8, 9
"""The members of node parameters that are parameter addresses."""
BY_CODE = frozenset(
    {
        *PARAMS,
        *ATTRIBUTES,
        *NODES,
        "cuFuncSetAttribute",
        "cuKernelSetAttribute",
        "cuGraphInstantiate",
        "cuGraphLaunch",
        "cuOccupancyAvailableDynamicSMemPerBlock",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        "cuOccupancyMaxActiveClusters",
        "cuOccupancyMaxPotentialBlockSize",
        "cuOccupancyMaxPotentialBlockSizeWithFlags",
        "cuOccupancyMaxPotentialClusterSize",
    }
)
"""Calls whose answers depend on a kernel's code."""
UNKNOWN = frozenset(
    {
        "cuFuncGetParamCount",
        "cuFuncGetParamInfo",
        "cuKernelGetParamCount",
        "cuKernelGetParamInfo",
        "cuLibraryEnumerateKernels",
        "cuLibraryGetKernelCount",
        "cuModuleEnumerateFunctions",
        "cuModuleGetFunctionCount",
    }
)
"""Calls about the contents of an image, which are skipped."""


@define
class _Found:
    """The names that a program has looked up in an image."""

    kernels: dict[str, Entry] = field(factory=dict)
    variables: dict[str, Variable] = field(factory=dict)


@define
class Opaque:
    """The stand-in images of a program.

    Attributes:
        arch: The architecture of the machine's devices.
    """

    arch: int
    _images: dict[str, _Found] = field(factory=dict)
    _kernels: dict[str, tuple[_Found, str]] = field(factory=dict)

    def note(self, program: Program) -> None:
        """Note what a program looks up."""
        for step, answer in zip(program.steps, program.answers, strict=True):
            if answer["code"] == 0:
                self._note(step["call"], step.get("args", []), answer["outs"])

    def _note(self, call: str, args: list[Any], outs: dict[str, Any]) -> None:
        if call in LOADS:
            if (text := _text(next(iter(outs.values()), None))) is not None:
                self._images[text] = _Found()
        elif call in KERNELS | VARIABLES:
            image = self._image_of(referred(args[0]) or "")
            name = decode(args[1])
            if image is not None and isinstance(name, bytes):
                self._look_up(call, image, name.decode(errors="replace"), outs)
        elif call in SAME:
            text, told = referred(args[0]) or "", _text(outs.get(SAME[call]))
            self._image_of(text)
            if told is not None and text in self._images:
                self._images[told] = self._images[text]
            if told is not None and text in self._kernels:
                self._kernels[told] = self._kernels[text]
        elif call in ATTRIBUTES and args[0] in TOLD and isinstance(outs.get("pi"), int):
            known = self._kernels.get(referred(args[1]) or "")
            if known is not None:
                image, name = known
                image.kernels[name] = evolve(image.kernels[name], **{TOLD[args[0]]: outs["pi"]})

    def _image_of(self, text: str) -> _Found | None:
        """Return the image of a module or library, with a new one if it is unknown."""
        if CODE.fullmatch(text):
            self._images.setdefault(text, _Found())
        return self._images.get(text)

    def _look_up(self, call: str, image: _Found, name: str, outs: dict[str, Any]) -> None:
        if call in KERNELS:
            image.kernels.setdefault(name, Entry(name))
            if (text := _text(next(iter(outs.values()), None))) is not None:
                self._kernels[text] = image, name
            return
        size = outs.get("bytes")
        known = image.variables.get(name)
        if known is None or isinstance(size, int):
            kind = MANAGED if call == "cuLibraryGetManaged" else GLOBAL
            image.variables[name] = Variable(name, size if isinstance(size, int) and size else ROOM, kind)

    def code(self, text: str) -> bytes:
        """Return the image of code without a recorded load."""
        found = self._images.get(text, _Found({text: Entry(text)}))
        return written(Image(found.kernels, found.variables), self.arch)

    def cubin(self, answer: Answer) -> bytes | None:
        """Return the image for a recorded load; None if the load failed."""
        found = self._images.get(_text(next(iter(answer["outs"].values()), None)) or "")
        return None if found is None else written(Image(found.kernels, found.variables), self.arch)


def _text(out: Any) -> str | None:
    """Return the name of a result."""
    return (out.get("new") or out.get("name")) if isinstance(out, dict) else None


def without_params(step: Step) -> Step:
    """Return a launch step without the addresses of its parameters."""
    call, args = step["call"], step.get("args", [])
    if call in PARAMS:
        return {**step, "args": [0 if place in PARAMS[call] else arg for place, arg in enumerate(args)]}
    place = NODES.get(call)
    if place is not None and isinstance(args[place], list):
        return {**step, "args": [*args[:place], _cleared(args[place]), *args[place + 1 :]]}
    if any(isinstance(arg, dict) and arg.get("node", [None])[0] == node_params.KERNEL for arg in args):
        return {**step, "args": [_node(arg) for arg in args]}
    return step


def _cleared(members: list[Any]) -> list[Any]:
    return [0 if place in NODE_PARAMS else member for place, member in enumerate(members)]


def _node(arg: Any) -> Any:
    if not (isinstance(arg, dict) and arg.get("node", [None])[0] == node_params.KERNEL):
        return arg
    number, members, clean = arg["node"]
    return {"node": [number, _cleared(members), clean]}
