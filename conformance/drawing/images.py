"""Images of code and options for modules, libraries and linkers, valid and broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.linker.fixtures import CALLED, CALLER, CUBIN, FATBINARY, STRANGER, TEXT
from conformance.cases.driver.module.fixtures import EMPTY_FATBIN, NO_FILES, REFUSED, SHARED
from conformance.kit.kernels import HEAD, LAUNCHERS, NEWER, PTX
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from random import Random

    from conformance.drawing.values import Values


def body(text: str) -> bytes:
    """Return PTX with a kernel ``empty`` whose body begins with some text."""
    return (HEAD + f".visible .entry empty() {{ .reg .u32 %r<4>; {text} ret; }}\n").encode()


INVALID = (
    body("no.such.instruction %r0, %r1;"),
    body("add.u32 %r0, %r1;"),
    body("add.u32 %r0, %r1, %missing;"),
    body("mov.u32 %r0, 1"),
    body("bra nowhere;"),
    body("call absent;"),
    HEAD.replace(".address_size 64", ".address_size 16").encode() + b".visible .entry empty() { ret; }\n",
    PTX[: len(PTX) // 2],
    PTX.replace(b".visible .entry empty", b".visible .entree empty"),
    PTX + b".visible .global .align 3 .u32 odd;\n",
    HEAD.encode() + b".visible .entry empty() .maxntid 0, 1, 1 { ret; }\n",
    HEAD.encode() + b".visible .entry empty(.param .u64 p, .param .u64 p) { ret; }\n",
)
"""PTX with a valid beginning."""
OTHERS = (
    HEAD.replace("sm_70", "sm_90a").encode() + b".visible .entry empty() { ret; }\n",
    HEAD.replace("7.0", "8.0").replace("sm_70", "sm_80").encode() + b".visible .entry empty() { ret; }\n",
    HEAD.encode(),
    b"// a comment\n" + PTX,
    PTX.replace(b"\n", b"\r\n"),
)
"""Unusual but valid PTX."""
BROKEN_BINARIES = (
    STRANGER,
    EMPTY_FATBIN,
    *(image for rule, _, image in REFUSED if not rule.startswith("PTX")),
)
SOUND = (PTX, PTX, PTX, PTX, NEWER, LAUNCHERS, SHARED, SHARED, CALLED, *OTHERS)
BROKEN = (b"nothing", CALLER, *INVALID, *BROKEN_BINARIES, *(image for rule, _, image in REFUSED if "PTX" in rule))
IMAGES: Values = (SOUND, BROKEN)
FILES = (PTX, PTX, PTX, PTX, SHARED, INVALID[0], b"nothing", b"")
"""Contents of code files."""
NO_FILE = tuple(NO_FILES.values())
LINKER_INPUTS = ((TEXT, PTX), (TEXT, CALLER), (TEXT, CALLED), (FATBINARY, PTX), (TEXT, OTHERS[3]))
WRONG_INPUTS = (
    *((TEXT, image) for image in (*INVALID[:6], EMPTY_FATBIN, b"garbage")),
    *((CUBIN, image) for image in (PTX, STRANGER)),
    *((kind, PTX) for kind in (FATBINARY, 99, -1)),
    (FATBINARY, b"garbage"),
)
"""Invalid linker inputs: CUjitInputType and bytes."""
KERNELS: Values = (
    (b"empty", b"empty", b"store", b"most", b"exact", b"fixed", b"clustered", b"launcher"),
    (b"none", b"counter", b"", None, b"EMPTY", b"empty "),
)
VARIABLES: Values = ((b"counter", b"table", b"shared", b"far"), (b"none", b"empty", b"", None))
OPTIONS = ENUMS["CUjit_option"]


def _option(name: str, *values: int) -> tuple[tuple[int, int], ...]:
    return tuple((OPTIONS[f"CU_JIT_{name}"], value) for value in values)


TAKEN = (
    *_option("MAX_REGISTERS", 16, 32, 255),
    *_option("THREADS_PER_BLOCK", 64, 1024),
    *_option("OPTIMIZATION_LEVEL", 0, 2, 4),
    *_option("TARGET_FROM_CUCONTEXT", 0),
    *_option("TARGET", 70, 80, 90),
    *_option("FALLBACK_STRATEGY", 0, 1),
    *_option("GENERATE_DEBUG_INFO", 0, 1),
    *_option("LOG_VERBOSE", 0, 1),
    *_option("GENERATE_LINE_INFO", 0, 1),
    *_option("CACHE_MODE", 0, 1, 2),
)
REFUSED_OPTIONS = (
    (99, 0),
    (-1, 0),
    *_option("INFO_LOG_BUFFER_SIZE_BYTES", 100),
    *_option("ERROR_LOG_BUFFER_SIZE_BYTES", 100),
    *_option("OPTIMIZATION_LEVEL", 5, -1),
    *_option("TARGET", 0, 999),
    *_option("FALLBACK_STRATEGY", 7),
    *_option("CACHE_MODE", 9),
    *_option("MAX_REGISTERS", 0, 1 << 20),
    *_option("POSITION_INDEPENDENT_CODE", 1),
)
"""Refused options: CUjit_option and its value."""
LIBRARY_OPTIONS = ((1, 0), (1, 1))
REFUSED_LIBRARY_OPTIONS = ((0, 0), (2, 0), (99, 1))
"""Refused options of libraries: CUlibraryOption and its value."""
TABLES = {
    "numOptions": ("options", "optionValues", TAKEN, REFUSED_OPTIONS),
    "numJitOptions": ("jitOptions", "jitOptionsValues", TAKEN, REFUSED_OPTIONS),
    "numLibraryOptions": ("libraryOptions", "libraryOptionValues", LIBRARY_OPTIONS, REFUSED_LIBRARY_OPTIONS),
}
"""Options parameters by their count parameter: names, values, and valid options."""


def chosen_options(random: Random, found: dict[str, object], *, wrong: bool) -> None:
    """Give a load or a link some options, sometimes refused ones.

    Args:
        random: Draws.
        found: The call's arguments by name.
        wrong: Whether the call is to fail.
    """
    for count, (options, values, taken, refused) in TABLES.items():
        if count not in found or found[count] or random.randrange(3):
            continue
        rows = [random.choice(refused if wrong and random.randrange(2) else taken) for _ in range(random.randint(1, 2))]
        found[count] = len(rows)
        found[options], found[values] = tuple(zip(*rows, strict=True))
        if wrong and not random.randrange(6):
            found[random.choice((options, values))] = None


def chosen_input(random: Random, found: dict[str, object], *, wrong: bool) -> None:
    """Give a linker a valid input, sometimes a refused one."""
    kind, data = random.choice(WRONG_INPUTS if wrong and random.randrange(2) else LINKER_INPUTS)
    found["type"] = kind
    if "data" in found and found["data"] is not None:
        data = data if kind == CUBIN else data + b"\0"
        found["data"] = data
        found["size"] = random.choice((len(data), len(data), len(data) // 2, 0)) if wrong else len(data)
