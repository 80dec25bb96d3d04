"""Names on which the inputs of a linker do not agree: the log has a line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import linking
from fakecuda.model.code.code import COMMON, EXTERN, FUNCTION, KERNEL, OWN, PRIVATE, WEAK
from fakecuda.model.code.linking import ERRORS
from fakecuda.rules.core import Broken, Rule, guard, observed
from fakecuda.rules.driver.linker.handle import of_names
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Symbol
    from fakecuda.model.code.linking import Input, Linker

    Line = tuple[Rule, str, str]

ADD = "cuLinkAddData"
FUNCTIONS_ARE_NOT_VARIABLES = Rule(
    "an input has no function with the name of another input's variable",
    Result.UNKNOWN,
    observed(ADD, "the driver answers UNKNOWN to a function with the name of a variable that an earlier input has"),
    fix="rename the function or the variable",
)
NAMES_ARE_ONE_INPUT_S = Rule(
    "no two inputs define the same non-static, non-weak function, kernel or variable",
    Result.INVALID_SOURCE,
    observed(
        ADD,
        "the driver answers INVALID_SOURCE if two inputs define the same kernel, function or variable, unless it is "
        "weak, or private in the later input; a `.common` variable may come before another definition, not after it",
    ),
    fix="make the function or variable static in all inputs except one",
)
FUNCTIONS_HAVE_ONE_PROTOTYPE = Rule(
    "inputs agree on the number, sizes and kinds of the results and parameters of a function that they define or call",
    Result.INVALID_SOURCE,
    observed(
        ADD,
        "the driver answers INVALID_SOURCE to a result or a parameter that the other input does not have, to b64 or f32 "
        "for b32, and to an array for a value; it accepts u32 or s32 for b32, and another alignment",
    ),
    fix="declare the function as its definition does",
)
KERNELS_ARE_KERNELS = Rule(
    "inputs that use one name for code have a kernel in all of them, or a function in all of them",
    Result.INVALID_SOURCE,
    observed(
        ADD,
        "the driver answers INVALID_SOURCE to a function with the name of a kernel, also if the input only calls it, and "
        "to a kernel with the name of a function, also if that is weak or private",
    ),
    fix="rename the kernel or the function",
)
VARIABLES_ARE_WHERE_THEY_WERE = Rule(
    "inputs that use one name give it one memory space: that of code, global, constant or shared memory",
    Result.INVALID_SOURCE,
    observed(
        ADD,
        "the driver answers INVALID_SOURCE to a constant or a shared variable with the name of a global variable in "
        "another input, and to a variable with the name of an earlier function",
    ),
    fix="declare the variable in the same space in all inputs",
)
VARIABLES_ARE_MANAGED_EVERYWHERE = Rule(
    "inputs that name the same variable agree on whether it is managed",
    Result.INVALID_SOURCE,
    observed(
        ADD, "the driver answers INVALID_SOURCE to a managed variable that another input has without the attribute"
    ),
    fix="declare the variable as __managed__ in all inputs",
)
VARIABLES_HAVE_ONE_SIZE = Rule(
    "inputs that name the same variable give it the same size",
    Result.INVALID_SOURCE,
    observed(
        ADD,
        "the driver answers INVALID_SOURCE to another size, also if the input does not use the variable, or if it is "
        "weak; it accepts an array without a size, and two `.common` variables",
    ),
    fix="declare the variable with the same type in all inputs",
)
WEAK_KERNELS_HAVE_ONE_SIZE = Rule(
    "inputs that define the same weak kernel give its parameters the same size",
    Result.INVALID_SOURCE,
    observed(ADD, "the driver answers INVALID_SOURCE to weak kernels with parameters of 4 and of 8 bytes"),
    fix="give the kernel the same parameters in all inputs",
)
CLASHES = (
    *(FUNCTIONS_ARE_NOT_VARIABLES, NAMES_ARE_ONE_INPUT_S, FUNCTIONS_HAVE_ONE_PROTOTYPE, KERNELS_ARE_KERNELS),
    *(VARIABLES_ARE_WHERE_THEY_WERE, VARIABLES_ARE_MANAGED_EVERYWHERE, VARIABLES_HAVE_ONE_SIZE),
    WEAK_KERNELS_HAVE_ONE_SIZE,
)
"""The rules on names. The first that an input breaks is reported."""
NO_KERNEL = "Function '{0}' not declared __global__ in all source files"
SPACE = "Memory space doesn't match for '{0}' in '{1}', first specified in '{2}'"
ATTRIBUTE = "Managed attribute doesn't match for '{0}' in '{1}', first specified in '{2}'"
SIZE = "Size doesn't match for '{0}' in '{1}', first specified in '{2}'"
TWICE = "Multiple definition of '{0}' in '{1}', first defined in '{2}'"
BANK = "Duplicate weak parameter bank for '{0}' is not the same size"
PROTOTYPE = "Prototype doesn't match for '{0}' in '{1}', first defined in '{2}'"
FATAL = "fatal   : Internal error: no callgraph node"


@guard
def of_kinds(new: Symbol, known: Symbol) -> Iterator[tuple[Rule, str]]:
    """Yield what the kinds of two symbols break, each with its line of the log."""
    if new.code and new.kind != known.kind and KERNEL in {new.kind, known.kind}:
        yield KERNELS_ARE_KERNELS, NO_KERNEL
    if known.how == PRIVATE:
        return
    if new.code != known.code or (not new.code and new.kind != known.kind):
        yield VARIABLES_ARE_WHERE_THEY_WERE, SPACE
    if not new.code and not known.code and new.managed != known.managed:
        yield VARIABLES_ARE_MANAGED_EVERYWHERE, ATTRIBUTE


@guard
def of_symbols(new: Symbol, known: Symbol) -> Iterator[tuple[Rule, str]]:
    """Yield what a symbol breaks beside an earlier input's, each with its line of the log.

    As with nvlink of CUDA 13.0, the size of a function is no variable's, and unsized shared memory defines its name
    beside a variable of another space.
    """
    yield from of_kinds(new, known)
    if known.how == PRIVATE:
        return
    sized = known.how != EXTERN if known.code else known.size
    if (
        not new.code
        and new.size
        and sized
        and (known.code or new.size != known.size)
        and {new.how, known.how} != {COMMON}
    ):
        yield VARIABLES_HAVE_ONE_SIZE, SIZE
    unsized = known.kind == "shared" != new.kind and known.how == EXTERN and not known.size
    if (new.how in {OWN, COMMON} and known.how == OWN) or (new.how == OWN and unsized):
        yield NAMES_ARE_ONE_INPUT_S, TWICE


@guard
def lines(linker: Linker, made: Input) -> Iterator[Line]:
    """Yield the rules that an input breaks, with the name or what is otherwise, and the line of the log."""
    own = made.image.names.symbols
    pairs = [(new, *linker.symbols[new.name]) for new in own if new.name in linker.symbols and new.how != PRIVATE]
    for new, known, first in pairs:
        for rule, line in of_symbols(new, known):
            yield rule, new.name, line.format(new.name, made.name, first.name)
    for new, known, _ in pairs:
        if new.kind == known.kind == KERNEL and new.how == known.how == WEAK and new.size != known.size:
            yield WEAK_KERNELS_HAVE_ONE_SIZE, new.name, BANK.format(new.name)
    for name, (types, first) in linker.unlike(made).items():
        yield FUNCTIONS_HAVE_ONE_PROTOTYPE, f"{name} with {types}", PROTOTYPE.format(name, made.name, first.name)
    for new, known, _ in pairs:
        if new.kind == FUNCTION and not known.code:
            yield FUNCTIONS_ARE_NOT_VARIABLES, new.name, ""


@guard
def joined(call: Call, linker: Linker, made: Input) -> None:
    """Check that the names of an input do not clash with earlier inputs."""
    found: dict[Rule, list[str]] = {}
    written = []
    for rule, told, line in lines(linker, made):
        found.setdefault(rule, []).append(told)
        if line:
            written.append(f"error   : {line}")
    if FUNCTIONS_ARE_NOT_VARIABLES in found:
        written.append(FATAL)
    if written:
        linking.log(linker, ERRORS, written)
    if FUNCTIONS_ARE_NOT_VARIABLES in found:
        raise FUNCTIONS_ARE_NOT_VARIABLES.broken(names=found[FUNCTIONS_ARE_NOT_VARIABLES])
    if found:
        clashing(of_names(call), found)


@guard
def clashing(code: int, found: dict[Rule, list[str]]) -> None:
    """Raise the first rule that names break, in the order of the rules above.

    Args:
        code: The code of the call.
        found: The names that break a rule, by rule; some do.
    """
    if NAMES_ARE_ONE_INPUT_S in found:
        raise Broken(NAMES_ARE_ONE_INPUT_S, {"names": found[NAMES_ARE_ONE_INPUT_S]}, code)
    if FUNCTIONS_HAVE_ONE_PROTOTYPE in found:
        raise Broken(FUNCTIONS_HAVE_ONE_PROTOTYPE, {"names": found[FUNCTIONS_HAVE_ONE_PROTOTYPE]}, code)
    if KERNELS_ARE_KERNELS in found:
        raise Broken(KERNELS_ARE_KERNELS, {"names": found[KERNELS_ARE_KERNELS]}, code)
    if VARIABLES_ARE_WHERE_THEY_WERE in found:
        raise Broken(VARIABLES_ARE_WHERE_THEY_WERE, {"names": found[VARIABLES_ARE_WHERE_THEY_WERE]}, code)
    if VARIABLES_ARE_MANAGED_EVERYWHERE in found:
        raise Broken(VARIABLES_ARE_MANAGED_EVERYWHERE, {"names": found[VARIABLES_ARE_MANAGED_EVERYWHERE]}, code)
    if VARIABLES_HAVE_ONE_SIZE in found:
        raise Broken(VARIABLES_HAVE_ONE_SIZE, {"names": found[VARIABLES_HAVE_ONE_SIZE]}, code)
    raise Broken(WEAK_KERNELS_HAVE_ONE_SIZE, {"names": found[WEAK_KERNELS_HAVE_ONE_SIZE]}, code)
