"""Objects that a recorded program used without a recorded origin.

A runtime makes them by the driver's private tables, or a library by a driver that it has opened by its path. The model makes
an object of its own in the place of each, in the thread's current context. The recording does not say all that the driver
knows of the object: a stream may be non-blocking, an event may have been recorded. So only the codes of calls that use the
object are compared. If the driver and the model disagree on such a call, the model does not use the object any more.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.calls import CALLS
from conformance.kit.names import Name
from conformance.kit.plan import plan_of, referred
from conformance.record.findings import ENDS, FILE, UNRECORDED
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.kit.program import Answer, Step
    from conformance.record.opaque import Opaque

NAME = re.compile(r"(?:(\w+)\.)?([a-z]+)(\d+)")
"""Matches a name: process, kind, number."""
UNSEEN = "unseen"
"""The process in the names of objects without a recorded origin."""
HARMLESS = "labs"
"""A C library function that stands for every host function."""
RELAXED = ENUMS["CUstreamCaptureMode"]["CU_STREAM_CAPTURE_MODE_RELAXED"]
DYNAMIC = ENUMS["CUfunction_attribute"]["CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"]
SHARED = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"]
PINNED = ENUMS["CUmemAllocationType"]["CU_MEM_ALLOCATION_TYPE_PINNED"]
DEVICE = ENUMS["CUmemLocationType"]["CU_MEM_LOCATION_TYPE_DEVICE"]
CODE = frozenset({"function", "ctx", "module", "library", "kernel"})
"""Kinds of objects that do not order work."""
MEMSET = re.compile(r"cuMemsetD(8|16|32)(Async)?(_v\d)?")
"""Matches one-dimensional memsets, with their bits."""
POINTED = frozenset({"cuMemFree", "cuMemFreeAsync", "cuPointerGetAttribute", "cuPointerGetAttributes"})
"""Calls that use an address without a size."""
MOST = 1 << 30
"""The maximum size of adopted memory on the model."""
DESCRIBES = {"cuArrayGetDescriptor": "cuArrayCreate", "cuArray3DGetDescriptor": "cuArray3DCreate"}
"""The call that creates an array, by the call that returns its descriptor."""
ACCEPTED = frozenset({Result.SUCCESS, Result.NOT_READY})
"""Codes of calls that the driver accepted."""


@define
class Adopted:
    """The adopted objects of a program.

    Attributes:
        recorder: What makes the steps on the model.
        opaque: The images of code.
        names: Names of adopted objects, and of the results of their calls.
        is_order_known: Whether nothing was adopted that may have ordered work.
    """

    recorder: Any
    opaque: Opaque
    names: set[str] = field(factory=set)
    is_order_known: bool = True
    _ended: set[str] = field(factory=set)
    _dropped: set[str] = field(factory=set)
    _retains: dict[str, Step] = field(factory=dict)
    _devices: dict[str, int] = field(factory=dict)
    _current: dict[tuple[str, str], str] = field(factory=dict)
    _arrays: dict[str, tuple[str, Any]] = field(factory=dict)
    _sizes: Counter[str] = field(factory=Counter)
    _room: dict[str, int] = field(factory=dict)

    def note(self, step: Step, answer: Answer) -> None:
        """Note what a step says about objects without a recorded origin."""
        call, outs = step["call"], answer["outs"]
        thread = step["process"], step.get("thread", "")
        current = self._current.pop(thread, "")
        if answer["code"] or call not in CALLS:
            return
        used = _used(step)
        text = used[0][0] if used else ""
        for name, ctype in used:
            if ctype == "CUdeviceptr":
                self._sizes[name] = max(self._sizes[name], _length(step, outs))
        if call == "cuDevicePrimaryCtxRetain":  # a context may have been current before, and have its name from there
            self._retains.setdefault(text_of(outs["pctx"]), step)
        elif call == "cuCtxSetCurrent":
            self._current[thread] = text
        elif call == "cuCtxGetDevice":
            self._devices.setdefault(current, outs["device"])
        elif call in DESCRIBES:
            self._arrays[text] = DESCRIBES[call], outs["pArrayDescriptor"]

    def context(self, number: int, step: Step, value: Any) -> Name | None:
        """Return the context that a step found current; make it if no recorded call has.

        Args:
            number: The step's number.
            step: The step.
            value: The step's result.
        """
        text, names = text_of(value), self.recorder.names
        if text in self._retains and text not in names.by_text:
            self._adopt(number, step, text, "CUcontext", accepted=True)
            if text in names.by_text:
                names.again(text, step["process"], "ctx", names.by_text[text].value)
        found: Name | None = names.by_text.get(text)
        return found

    def take(self, number: int, step: Step, expected: Answer) -> None:
        """Create the objects without a recorded origin that a step uses.

        Args:
            number: The step's number.
            step: The step.
            expected: The driver's answer.
        """
        names = self.recorder.names.by_text
        accepted = expected["code"] in ACCEPTED
        for text, ctype in _used(step):
            again = accepted and text in self._ended  # past the recorded calls, another object has got its handle
            small = text in self._room and self._room[text] < self._sizes[text]
            if (text not in names or again or small) and text not in self._dropped:
                self._adopt(number, step, text, ctype, accepted=accepted)

    def _adopt(self, number: int, step: Step, text: str, ctype: str, *, accepted: bool) -> None:
        """Create an object for a name, if its kind allows it and its calls succeeded."""
        found = NAME.fullmatch(text)
        if found is None or not (found[1] == UNSEEN or found[2] == "kernel" or text in self._retains):
            return
        exact = found[2] == "function" or text in self._retains
        if not (accepted or exact):
            return
        if self._take(number, step, text, found[2], ctype):
            self._ended.discard(text)
            self.names |= set() if exact else {text}
            self.is_order_known &= found[2] in CODE

    def _take(self, number: int, step: Step, text: str, kind: str, ctype: str = "") -> bool:
        """Create an object for a name; return whether its kind allows that."""
        make: Callable[..., int | None] | None = getattr(self, f"_{kind}", None)
        if make is None:
            return False
        places, self.recorder.places = self.recorder.places, ((FILE, max(number, 1), UNRECORDED),)
        mode = self._call(step, "cuThreadExchangeStreamCaptureMode", RELAXED)  # a capture forbids some calls
        value = make(step, text, ctype)
        if mode is not None:
            self._call(step, "cuThreadExchangeStreamCaptureMode", *mode)
        self.recorder.places = places
        if value is not None:
            self.recorder.names.by_text[text] = Name(text, kind, step["process"], value)
        return value is not None

    def load_again(self, number: int, step: Step) -> bool:
        """Load code again that did not have what a step looks up; return whether it did.

        A program that still runs may look up more of it at any time.
        """
        text = referred(step["args"][0]) or ""
        return self._take(number, step, text, self.recorder.names.by_text[text].kind)

    def concerns(self, step: Step) -> bool:
        """Return whether a step uses an adopted object."""
        return bool(self.names) and any(text in self.names for text, _ in _used(step))

    def agree(self, step: Step, expected: Answer, got: Answer) -> bool:
        """Note whether model and driver agree on a call with adopted objects."""
        used = [text for text, _ in _used(step)]
        codes = {expected["code"], got["code"]}
        if len(codes) > 1 and not codes <= ACCEPTED:
            for text in self.names.intersection(used):
                self._dropped.add(text)
                self.recorder.names.by_text.pop(text, None)
            self.is_order_known = False
            return False
        if not got["code"]:
            self.names.update(new_names(got["outs"]))
            if ENDS.search(step["call"]):
                self._ended.add(used[0])
        return True

    # What makes an object of each kind; None if it cannot be made

    def _call(self, step: Step, name: str, *inputs: Any) -> list[Any] | None:
        """Make a call on a step's thread; return its results, or None if it failed."""
        made: tuple[Any, ...] = self.recorder.door({**step, "call": name}, plan_of(name))(*inputs)
        return None if made[0] else list(made[1:])

    def _one(self, step: Step, name: str, *inputs: Any) -> int | None:
        made = self._call(step, name, *inputs)
        return None if made is None else int(made[0])

    def _function(self, step: Step, *_: Any) -> int | None:
        return int(self.recorder.c_function(step["process"], HARMLESS))

    def _ctx(self, step: Step, text: str, *_: Any) -> int | None:
        if text in self._retains:
            device = self._retains[text]["args"][0]
        else:
            device = 0 if len(self.recorder.machine.devices) == 1 else self._devices.get(text)
        return None if device is None else self._one(step, "cuDevicePrimaryCtxRetain", device)

    def _stream(self, step: Step, *_: Any) -> int | None:
        return self._one(step, "cuStreamCreate", 0)

    def _event(self, step: Step, *_: Any) -> int | None:
        return self._one(step, "cuEventCreate", 0)

    def _module(self, step: Step, text: str, *_: Any) -> int | None:
        return self._one(step, "cuModuleLoadData", self.opaque.code(text))

    def _library(self, step: Step, text: str, *_: Any) -> int | None:
        return self._one(step, "cuLibraryLoadData", self.opaque.code(text), (), (), 0, (), (), 0)

    def _kernel(self, step: Step, text: str, ctype: str, *_: Any) -> int | None:
        """Create a kernel in its own image, with all shared memory of the device."""
        device = self._one(step, "cuCtxGetDevice")
        most = None if device is None else self._one(step, "cuDeviceGetAttribute", SHARED, device)
        name = text.encode()
        if ctype == "CUkernel":
            library = self._library(step, text)
            made = None if library is None else self._one(step, "cuLibraryGetKernel", library, name)
            if made is not None and most is not None:
                self._call(step, "cuKernelSetAttribute", DYNAMIC, most, made, device)
        else:
            module = self._module(step, text)
            made = None if module is None else self._one(step, "cuModuleGetFunction", module, name)
            if made is not None and most is not None:
                self._call(step, "cuFuncSetAttribute", made, DYNAMIC, most)
        return made

    def _dptr(self, step: Step, text: str, *_: Any) -> int | None:
        """Allocate as many bytes as calls use at an address."""
        size = self._sizes[text]
        if not size or sum(self._room.values()) + size > MOST:
            return None
        self._room[text] = size
        return self._one(step, "cuMemAlloc", size)

    def _pool(self, step: Step, *_: Any) -> int | None:
        device = self._one(step, "cuCtxGetDevice")
        return None if device is None else self._one(step, "cuMemPoolCreate", (PINNED, 0, (DEVICE, device), 0, 0, 0, 0))

    def _array(self, step: Step, text: str, *_: Any) -> int | None:
        if text not in self._arrays:
            return None
        name, descriptor = self._arrays[text]
        return self._one(step, name, tuple(descriptor))


def _used(step: Step) -> list[tuple[str, str]]:
    """Return the names in a step, with the types of the arguments."""
    args, call = step.get("args"), step["call"]
    if call not in CALLS or not args:
        return []
    found = []
    for (param, _), arg in zip(plan_of(call).inputs, args, strict=False):
        if type(arg) is not int:  # as most are
            found += [(text, param.type) for text in _nested(arg, "ref")]
    return found


def text_of(value: Any) -> str:
    """Return the name of a result; empty if it has none."""
    return value.get("new") or value.get("name") or "" if isinstance(value, dict) else ""


def new_names(data: Any) -> Iterator[str]:
    """Yield the new names of results."""
    return _nested(data, "new")


def _nested(data: Any, key: str) -> Iterator[str]:
    """Yield the nested names under a key: ``ref`` or ``new``."""
    if isinstance(data, dict) and key in data:
        yield data[key]
    elif isinstance(data, (dict, list)):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _nested(part, key)


def _length(step: Step, outs: dict[str, Any]) -> int:
    """Return the bytes that a call uses at an address; 0 if unknown."""
    call, given = step["call"], dict(zip(plan_of(step["call"]).names, step["args"], strict=False))
    if call.startswith("cuMemGetAddressRange"):
        return int(outs.get("psize") or 0)
    if (memset := MEMSET.fullmatch(call)) is not None:
        return int(given["N"]) * int(memset[1]) // 8
    return int(given.get("ByteCount", call in POINTED))
