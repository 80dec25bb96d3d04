"""Situations that programs should reach, by call, arguments and model state.

A situation is looked for at each call that a program makes, so that a search counts what it has drawn. :data:`ALL` names them;
a test asks that a fixed sample of drawn programs reaches each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.plan import plan_of
from conformance.kit.program import FORKED, MAIN
from fakecuda.model.graph.graph import CHILD, CONDITIONAL, MEM_ALLOC, MEM_FREE, Graph, Node
from fakecuda.rules.registry import RUNTIME, api_of
from fakecuda.spec import node_params, resources
from fakecuda.spec.codes import Result
from fakecuda.spec.forms import STRUCTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.kit.program import Recorder, Step
    from fakecuda.reach.process import Process

CAPTURES = frozenset(code for code in Result if "CAPTURE" in code.name)
IMAGES = {
    Result.INVALID_IMAGE: "no code",
    Result.INVALID_PTX: "invalid PTX",
    Result.NO_BINARY_FOR_GPU: "code for another device",
    Result.UNSUPPORTED_PTX_VERSION: "newer PTX",
}
LAYERED, SURFACE, CUBEMAP, SPARSE = 1, 2, 4, 64
"""CUDA_ARRAY3D_* flags."""
SIDES = {1: "the host", 2: "a device", 3: "an array", 4: "any memory"}
"""Kinds of memory in copies, by CUmemorytype."""
RESOURCES = {
    resources.ARRAY: "an array",
    resources.MIPMAPPED: "a mipmapped array",
    resources.LINEAR: "linear memory",
    resources.PITCHED: "pitched memory",
}

SIDE_WORDS = tuple(SIDES.values())
ALL = (
    *(f"rows from {source} to {target}" for source in SIDE_WORDS for target in SIDE_WORDS),
    "a call that a capture refuses: STREAM_CAPTURE_IMPLICIT",
    "a call that a capture refuses: STREAM_CAPTURE_INVALIDATED",
    "a call that a capture refuses: STREAM_CAPTURE_ISOLATION",
    "a call that a capture refuses: STREAM_CAPTURE_MERGE",
    "a call that a capture refuses: STREAM_CAPTURE_UNJOINED",
    "a call that a capture refuses: STREAM_CAPTURE_UNMATCHED",
    "a call that a capture refuses: STREAM_CAPTURE_UNSUPPORTED",
    "a call that a capture refuses: STREAM_CAPTURE_WRONG_THREAD",
    "a capture that forks",
    "a capture that joins",
    "a capture to a graph",
    "a capture to a graph behind its nodes",
    "a capture whose dependencies change",
    "a captured allocation",
    "a captured graph",
    "a child graph that has a child",
    "a clone of a graph that has another",
    "a conditional node",
    "a free node",
    "a graph that holds a user object",
    "a launch in a stream",
    "a linked image",
    "a mipmapped array of 1 dimensions",
    "a mipmapped array of 2 dimensions",
    "a mipmapped array of 3 dimensions",
    "a mipmapped array: a cubemap",
    "a mipmapped array: for surfaces",
    "a mipmapped array: layered",
    "a mipmapped array: sparse",
    "a node of a graph in another",
    "a node of an executable graph that changes",
    "a node of another context",
    "a node with memory of another device",
    "a surface of an array",
    "a texture of a mipmapped array",
    "a texture of an array",
    "a texture of linear memory",
    "a texture of pitched memory",
    "a texture with a view",
    "a thread that exchanges its capture mode",
    "a thread that exchanges its capture mode beside the main one",
    "an allocation node",
    "an array of 1 dimensions",
    "an array of 2 dimensions",
    "an array of 3 dimensions",
    "an array: a cubemap",
    "an array: for surfaces",
    "an array: layered",
    "an array: sparse",
    "an image that is code for another device",
    "an image that is invalid PTX",
    "an image that is newer PTX",
    "an image that is no code",
    "an instantiation that uploads by a stream",
    "an update that fails",
    "an update that succeeds",
    "an upload by a stream",
    "an upload by a stream of another context",
    "edges that are added",
    "edges that are removed",
    "edges with data",
    "options that are refused",
    "options that are taken",
    "rows with an odd pitch that are copied",
    "rows with an odd pitch that are refused",
)
"""Situations that a fixed sample of programs reaches."""


@frozen
class Made:
    """A call that a program has made on the model.

    Attributes:
        call: Its name.
        given: Its arguments by name.
        code: What it answered.
        thread: The thread that made it.
        state: The process that made it, after the call.
    """

    call: str
    given: dict[str, Any]
    code: int
    thread: str
    state: Process

    @property
    def current(self) -> Any:
        """The thread's current context, or None."""
        stack = self.state.thread_of(self.thread).stack
        return stack[-1] if stack else None


def _captured(made: Made) -> Iterator[str]:
    """Yield situations of captures: how they begin, are joined and are invalidated."""
    call, given, captures = made.call, made.given, made.state.captures
    if made.code in CAPTURES:
        yield f"a call that a capture refuses: {Result(made.code).name}"
    if made.code or captures is None:
        return
    if call == "cuStreamWaitEvent":
        stream = made.state.streams.get(given["hStream"])
        capture = captures.of.get(stream) if stream is not None else None
        if capture is not None:
            yield "a capture that joins" if stream is capture.origin else "a capture that forks"
    if call == "cuStreamBeginCaptureToGraph":
        yield "a capture to a graph"
        if given["numDependencies"]:
            yield "a capture to a graph behind its nodes"
    if call.startswith("cuStreamUpdateCaptureDependencies"):
        yield "a capture whose dependencies change"
    if call == "cuStreamEndCapture":
        graph = max((one for one in made.state.graphs.values() if isinstance(one, Graph)), key=lambda one: one.number)
        kinds = {node.kind for node in graph.nodes}
        yield "a captured graph"
        if MEM_ALLOC in kinds:
            yield "a captured allocation"


def _exchanged(made: Made) -> Iterator[str]:
    """Yield situations of the thread's capture mode."""
    if not made.code and made.given["mode"]:
        yield f"a thread that exchanges its capture mode{' beside the main one' if made.thread != MAIN else ''}"


def _added(made: Made) -> Iterator[str]:
    """Yield situations of nodes: devices, contexts, memory, children, conditionals."""
    if made.code:
        return
    given, state, current = made.given, made.state, made.current
    params = given.get("nodeParams") or given.get("memsetParams") or given.get("copyParams") or ()
    kind = node_params.unpack(params)[0] if isinstance(params, bytes) else -1
    if kind == MEM_ALLOC or "MemAlloc" in made.call:
        yield "an allocation node"
    if kind == MEM_FREE or "MemFree" in made.call:
        yield "a free node"
    if kind == CONDITIONAL:
        yield "a conditional node"
    places = node_params.unpack(params)[1] if isinstance(params, bytes) else params
    for value in (one for one in places if isinstance(one, int) and one > 1 << 16):
        item = state.memory.at(value)
        device = getattr(getattr(item, "context", None), "device", None)
        if current is not None and device is not None and device is not current.device:
            yield "a node with memory of another device"
        if value in state.contexts and state.contexts[value] is not current:
            yield "a node of another context"
    context = state.contexts.get(given.get("ctx", 0))
    if context is not None and context is not current:
        yield "a node of another context"
    if made.call == "cuGraphAddChildGraphNode":
        child = state.graphs.get(given["childGraph"])
        if isinstance(child, Graph) and any(node.kind == CHILD for node in child.nodes):
            yield "a child graph that has a child"
    graph = state.graphs.get(given["hGraph"])
    if isinstance(graph, Graph) and graph.owner is not None:
        yield "a node of a graph in another"


def _of_graph(made: Made) -> Iterator[str]:
    """Yield situations of clones, updates, uploads, edges and user objects of graphs."""
    call, given, state = made.call, made.given, made.state
    if call.startswith("cuGraphExecUpdate"):
        yield f"an update that {'fails' if made.code else 'succeeds'}"
    if made.code:
        return
    graph = state.graphs.get(given.get("originalGraph", 0))
    if isinstance(graph, Graph) and any(node.kind in {CHILD, CONDITIONAL} for node in graph.nodes):
        yield "a clone of a graph that has another"
    if call == "cuGraphUpload":
        stream = state.streams.get(given["hStream"])
        if stream is not None:
            yield (
                "an upload by a stream of another context"
                if stream.context is not made.current
                else "an upload by a stream"
            )
    if call in {"cuGraphAddDependencies", "cuGraphRemoveDependencies"}:
        node = state.graphs.get((given["from_"] or (0,))[0])
        if isinstance(node, Node) and any(any(data) for data in given["edgeData"] or ()):
            yield "edges with data"
        yield "edges that are added" if "Add" in call else "edges that are removed"
    if call.startswith("cuGraphExec") and call.endswith(("SetParams", "SetEvent", "SetParams_v1")):
        yield "a node of an executable graph that changes"
    if call == "cuGraphRetainUserObject":
        yield "a graph that holds a user object"
    if call == "cuGraphInstantiateWithParams" and given["instantiateParams"][1]:
        yield "an instantiation that uploads by a stream"
    if call == "cuGraphLaunch" and given["hStream"] in state.streams:
        yield "a launch in a stream"


def _loaded(made: Made) -> Iterator[str]:
    """Yield situations of images and options, accepted or refused."""
    if made.code in IMAGES:
        yield f"an image that is {IMAGES[Result(made.code)]}"
    counts = [made.given.get(name) for name in ("numOptions", "numJitOptions", "numLibraryOptions")]
    if any(counts):
        yield f"options that are {'refused' if made.code else 'taken'}"
    if not made.code and made.call == "cuLinkComplete":
        yield "a linked image"


def _array(made: Made) -> Iterator[str]:
    """Yield situations of arrays by their shape."""
    described = made.given.get("pAllocateArray") or made.given.get("pMipmappedArrayDesc")
    if made.code or not described:
        return
    kind = "a mipmapped array" if "Mipmapped" in made.call else "an array"
    depth, flags = (described[2], described[5]) if len(described) == 6 else (0, 0)
    yield f"{kind} of {1 + bool(described[1]) + bool(depth)} dimensions"
    names = {LAYERED: "layered", SURFACE: "for surfaces", CUBEMAP: "a cubemap", SPARSE: "sparse"}
    yield from (f"{kind}: {name}" for bit, name in names.items() if flags & bit)


def _rows(made: Made) -> Iterator[str]:
    """Yield situations of row copies, by kinds of memory and odd pitches."""
    copied = next((value for value in made.given.values() if isinstance(value, tuple)), ())
    kind = next((param.type for param in plan_of(made.call).call.inputs if param.type.startswith("CUDA_MEMCPY")), "")
    if not kind or len(copied) != len(STRUCTS[kind]):
        return
    labels = dict(zip((label for _, label in STRUCTS[kind]), copied, strict=True))
    ends = [SIDES.get(labels[f"{side}MemoryType"], "no place") for side in ("src", "dst")]
    if not made.code:
        yield f"rows from {ends[0]} to {ends[1]}"
    if any(labels[f"{side}Pitch"] % 4 for side in ("src", "dst")):
        yield f"rows with an odd pitch that are {'refused' if made.code else 'copied'}"


def _sampled(made: Made) -> Iterator[str]:
    """Yield situations of textures and surfaces by their resource."""
    if not made.code and made.call.endswith("Create"):
        kind = "a texture" if "Tex" in made.call else "a surface"
        yield f"{kind} of {RESOURCES[made.given['pResDesc'][0]]}"
        if made.given.get("pResViewDesc"):
            yield "a texture with a view"


BEGINNINGS: tuple[tuple[tuple[str, ...], Callable[[Made], Iterator[str]]], ...] = (
    (("cuThreadExchange",), _exchanged),
    (("cuGraphAdd",), _added),
    (("cuGraph",), _of_graph),
    (("cuModuleLoad", "cuLibraryLoad", "cuLink", "cuLibraryGetModule", "cuKernelGetFunction"), _loaded),
    (("cuArray", "cuMipmapped"), _array),
    (("cuMemcpy2D", "cuMemcpy3D"), _rows),
    (("cuTexObject", "cuSurfObject"), _sampled),
)
"""Functions that yield situations, by prefix of the call's name."""


def met(model: Recorder, step: Step) -> set[str]:
    """Return the situations that the model's last call has reached."""
    call = step["call"]
    if api_of(call) is RUNTIME or FORKED in step:  # what a fork makes is not in its parent
        return set()
    plan = plan_of(call)
    code = int(model.program.answers[-1]["code"])
    looks = [look for beginnings, look in BEGINNINGS if call.startswith(beginnings)]
    if call.startswith("cuStream") or code in CAPTURES:
        looks.append(_captured)
    if not looks:
        return set()
    values = [model.value(data) for data in step.get("args", ())]
    given = dict(zip(plan.names, values, strict=True))
    made = Made(call, given, code, step.get("thread", MAIN), model.processes[step["process"]])
    return {situation for look in looks for situation in look(made)}
