"""Patterns of code, arrays, textures, surfaces, tensor maps and checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.linker.fixtures import CALLED, CALLER, TEXT
from conformance.cases.driver.module.fixtures import SHARED
from conformance.cases.driver.va.fixtures import TILE_POOL, prop
from conformance.drawing.graph_patterns import some
from conformance.drawing.images import IMAGES
from conformance.drawing.shapes import FLAT, SOLID
from conformance.drawing.values import PAGE
from conformance.kit.kernels import PTX
from conformance.kit.world import GRANULE
from fakecuda.model.memory.array import DEFERRED, SPARSE
from fakecuda.spec.resources import ARRAY, LINEAR, MIPMAPPED, PITCHED

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drawing.drawing import Drawing
    from conformance.drawing.graph_patterns import Make

FEATURES = ("cuFuncGetAttribute", "cuFuncSetAttribute", "cuFuncSetCacheConfig", "cuFuncGetName", "cuFuncGetParamInfo")
OF_KERNELS = tuple(
    f"cuKernel{does}" for does in ("GetAttribute", "SetAttribute", "GetName", "GetParamInfo", "GetLibrary")
)
OCCUPANCY = (
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxPotentialBlockSize",
    "cuOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialClusterSize",
    "cuOccupancyAvailableDynamicSMemPerBlock",
    "cuLaunchKernelEx",
    "cuLaunchCooperativeKernel",
)


def link(drawing: Drawing, process: str, make: Make) -> None:
    """Link some inputs, load the image, and destroy the linker."""
    random = drawing.random
    linker = (
        some(drawing, process, make, "cuLinkCreate")
        if random.randrange(2)
        else make(process, "cuLinkCreate", 0, None, None)
    )
    if not linker:
        return
    for data in random.choice(((PTX,), (CALLER, CALLED), (CALLED, CALLER), (CALLER,), (PTX, CALLED), (PTX, PTX), ())):
        plain = data + b"\0"
        make(process, "cuLinkAddData", linker, TEXT, plain, len(plain), None, 0, None, None)
    path = make(process, "file") if random.randrange(2) else None
    if path:
        make(process, random.choice(("cuLinkAddFile", "cuLinkAddFile_v1")), linker, TEXT, path, 0, None, None)
    if random.randrange(3) == 0:
        some(drawing, process, make, "cuLinkAddData", "cuLinkAddData_v1")
    if make(process, "cuLinkComplete", linker):
        module = make(process, "cuModuleLoadData", drawing.named(process, "image")[-1].value)
        if module:
            make(process, "cuModuleGetFunction", module, random.choice((b"empty", b"caller", b"none")))
    some(drawing, process, make, "cuLinkAddData", "cuLinkComplete", "cuLinkDestroy")
    if drawing.named(process, "linker")[-1].live:
        make(process, "cuLinkDestroy", linker)


def load_any(drawing: Drawing, process: str, make: Make) -> None:
    """Load a valid or broken image in each way, and use the result."""
    random = drawing.random
    image = random.choice(IMAGES[random.randrange(2)])
    for way in random.sample(("data", "options", "fatbin", "library"), random.randint(1, 3)):
        if way == "library":
            library = make(process, "cuLibraryLoadData", image, None, None, 0, None, None, 0)
            if library:
                kernel = make(process, "cuLibraryGetKernel", library, b"empty")
                make(process, "cuLibraryGetModule", library)
                if kernel:
                    make(process, "cuKernelGetFunction", kernel)
                    some(drawing, process, make, *OF_KERNELS)
        else:
            ways = {"data": "cuModuleLoadData", "options": "cuModuleLoadDataEx", "fatbin": "cuModuleLoadFatBinary"}
            module = make(process, ways[way], image, *((0, None, None) if way == "options" else ()))
            if module:
                make(process, "cuModuleGetFunction", module, b"empty")


def load_file(drawing: Drawing, process: str, make: Make) -> None:
    """Load code from a file."""
    if make(process, "file"):
        some(drawing, process, make, "cuModuleLoad", "cuLibraryLoadFromFile", often=2)
        some(drawing, process, make, "cuModuleGetFunction", "cuLibraryGetKernel", "cuModuleGetFunctionCount")


def describe_code(drawing: Drawing, process: str, make: Make) -> None:
    """Query attributes of functions and kernels, set some, and query them again."""
    module = make(process, "cuModuleLoadData", PTX)
    name = drawing.random.choice((b"empty", b"store", b"most", b"exact", b"fixed"))
    found = module and make(process, "cuModuleGetFunction", module, name)
    library = found and make(process, "cuLibraryLoadData", PTX, None, None, 0, None, None, 0)
    if library:
        make(process, "cuLibraryGetKernel", library, name)
        some(drawing, process, make, *FEATURES, *OF_KERNELS, *OCCUPANCY, often=5)


def managed_variables(drawing: Drawing, process: str, make: Make) -> None:
    """Query a library's variables: of a device, and managed ones."""
    random = drawing.random
    library = make(process, "cuLibraryLoadData", random.choice((SHARED, SHARED, PTX)), None, None, 0, None, None, 0)
    if library:
        for _ in range(random.randint(1, 3)):
            call = random.choice(("cuLibraryGetManaged", "cuLibraryGetGlobal", "cuLibraryGetUnifiedFunction"))
            make(process, call, library, random.choice((b"shared", b"counter", b"empty")))


def make_levels(drawing: Drawing, process: str, make: Make) -> None:
    """Create a mipmapped array, and query a level."""
    array = make(process, "cuMipmappedArrayCreate", drawing.random.choice(SOLID), 3)
    if array:
        make(process, "cuMipmappedArrayGetLevel", array, drawing.random.choice((0, 1, 2)))
        asks = ("MemoryRequirements", "SparseProperties", "Level")
        some(drawing, process, make, *(f"cuMipmappedArrayGet{what}" for what in asks), often=2)


def fill_array(drawing: Drawing, process: str, make: Make) -> None:
    """Copy bytes from the host to an array, and back."""
    array = make(process, "cuArrayCreate", FLAT[0])
    if array:
        at = drawing.random.choice((0, 64))
        make(process, "cuMemcpyHtoA", array, at, bytes(range(64)), 64)
        make(process, "cuMemcpyAtoH", bytearray(64), array, at, 64)


def make_arrays(drawing: Drawing, process: str, make: Make) -> None:
    """Create arrays of any shape, and query their descriptors."""
    for _ in range(drawing.random.randint(1, 3)):
        make(process, "cuArray3DCreate", drawing.random.choice(SOLID))
    asks = ("Descriptor", "MemoryRequirements", "SparseProperties", "Plane")
    some(drawing, process, make, *(f"cuArrayGet{what}" for what in asks), "cuArray3DGetDescriptor", often=3)


def map_tiles(drawing: Drawing, process: str, make: Make) -> None:
    """Map memory to sparse or deferred arrays, copy, and unmap or free parts."""
    random = drawing.random
    levels = random.randrange(3)
    shape = random.choice([one for one in SOLID if one[-1] & (SPARSE | DEFERRED)])
    array = (
        make(process, "cuMipmappedArrayCreate", shape, levels) if levels else make(process, "cuArray3DCreate", shape)
    )
    context = array and drawing.model.processes[process].arrays[array].context
    device = drawing.model.processes[process].devices.index(context.device) if context else 0
    wanted = prop(handle_types=0, location=(1, device), capabilities=(0, 0, TILE_POOL))
    if not array or not make(process, "cuMemCreate", GRANULE, wanted, 0):
        return
    some(drawing, process, make, "cuMemMapArrayAsync", often=3)
    target = make(process, "cuMipmappedArrayGetLevel", array, 0) if levels else array
    if target and random.randrange(2):
        make(process, "cuMemcpyHtoA", target, 0, bytes(range(64)), 64)
        make(process, "cuMemcpyAtoH", bytearray(64), target, 0, 64)
    make(process, "cuCtxSynchronize")
    ends = "cuMemMapArrayAsync", "cuMemRelease", "cuArrayDestroy", "cuMipmappedArrayDestroy", "cuMemGetInfo"
    some(drawing, process, make, *ends, often=2)


def copy_rows(drawing: Drawing, process: str, make: Make) -> None:
    """Copy rows between arrays, device memory and host memory."""
    make(process, "cuMemAlloc", PAGE)
    make(process, "memory")
    make(process, "cuArray3DCreate", drawing.random.choice(SOLID[:6]))
    kinds = ("cuMemcpy2D", "cuMemcpy2DUnaligned", "cuMemcpy3D", "cuMemcpy3DPeer", "cuMemcpy2DAsync", "cuMemcpy3DAsync")
    some(drawing, process, make, *kinds, "cuMemcpyAtoA", "cuMemcpyAtoD", "cuMemcpyDtoA", often=4)


def textures(drawing: Drawing, process: str, make: Make) -> None:
    """Create textures and surfaces of each resource, query them, and destroy them."""
    random = drawing.random
    made: dict[int, Callable[[], tuple[Any, ...]]] = {
        ARRAY: lambda: (make(process, "cuArray3DCreate", random.choice(SOLID)),),
        MIPMAPPED: lambda: (make(process, "cuMipmappedArrayCreate", random.choice(SOLID), 2),),
        LINEAR: lambda: (make(process, "cuMemAlloc", PAGE), random.choice((1, 32)), random.choice((1, 2, 4)), PAGE),
        PITCHED: lambda: (make(process, "cuMemAlloc", PAGE), 32, 1, 8, random.choice((1, 4)), 32),
    }
    kind = random.choice((*made, ARRAY))
    resource = kind, made[kind](), 0
    if not resource[1][0]:
        return
    place = random.choice((None, None, 1, 2))
    given = drawing.arguments(process, "cuTexObjectCreate", place)
    texture = given and make(process, "cuTexObjectCreate", resource, given[1], given[2])
    surface = make(process, "cuSurfObjectCreate", resource) if random.randrange(2) else None
    if texture:
        some(drawing, process, make, *(f"cuTexObjectGet{what}Desc" for what in ("Resource", "Texture", "ResourceView")))
    if surface:
        make(process, "cuSurfObjectGetResourceDesc", surface)
    if random.randrange(2):
        some(
            drawing,
            process,
            make,
            "cuTexObjectDestroy",
            "cuSurfObjectDestroy",
            "cuArrayDestroy",
            "cuMipmappedArrayDestroy",
        )


def tensor_maps(drawing: Drawing, process: str, make: Make) -> None:
    """Encode tensor maps, and replace the address of one."""
    some(
        drawing,
        process,
        make,
        *(f"cuTensorMapEncode{what}" for what in ("Tiled", "Tiled", "Im2col", "Im2colWide")),
        often=3,
    )
    some(drawing, process, make, "cuTensorMapReplaceAddress")


def halt(drawing: Drawing, process: str, make: Make) -> None:
    """Lock another process and unlock it, sometimes with a checkpoint between."""
    random = drawing.random
    other = drawing.other(process)
    number = other != process and make(other, "pid")
    if not number:
        return
    asks = ("cuCheckpointProcessGetState", "cuCheckpointProcessGetRestoreThreadId")
    make(process, random.choice(asks), number)
    if random.randrange(3) == 0:
        make(process, "cuCheckpointProcessUnlock", number, None)
    if not drawing.lasting or not make(process, "cuCheckpointProcessLock", number, None):
        return
    make(process, random.choice(asks), number)
    if random.randrange(2):
        make(process, "cuCheckpointProcessCheckpoint", number, None)
        make(process, random.choice(asks), number)
        make(process, "cuCheckpointProcessRestore", number, None)
    make(process, "cuCheckpointProcessUnlock", number, None)


OF = {
    "linker": (link, link, load_file),
    "module": (load_any, load_file, describe_code),
    "library": (load_any, load_file, describe_code, managed_variables),
    "execution": (describe_code,),
    "array": (make_arrays, make_levels, fill_array, map_tiles, copy_rows),
    "copy": (copy_rows, fill_array),
    "texture": (textures,),
    "tensor": (tensor_maps,),
    "checkpoint": (halt,),
}
"""The patterns of each chapter."""
