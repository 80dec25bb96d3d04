"""Python functions for the kernels of clients' suites.

They are needed because no device code runs here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda.machine.install import installed

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    Triple = tuple[int, int, int]
    Numbers = MutableSequence[Any]

SCALARS = {
    "b": "bool",
    "a": "i8",
    "h": "u8",
    "s": "i16",
    "t": "u16",
    "i": "i32",
    "j": "u32",
    "x": "i64",
    "y": "u64",
} | {
    "f": "f32",
    "d": "f64",
}
"""Types of parameters, by their letters in mangled C++ names."""


@fakecuda.kernel("_Z12empty_kernelv")
@fakecuda.kernel("my_kernel")
def nothing(grid: Triple, block: Triple) -> None:
    """Do nothing."""


@fakecuda.kernel("nanosleep_kernel")
def sleep(grid: Triple, block: Triple) -> None:
    """Take 20 ms of the machine's time, as the suite's kernel does."""
    machine = installed()
    assert machine is not None
    machine.clock.advance(0.02)


@fakecuda.kernel("_Z7add_onePi", "i32*")
@fakecuda.kernel("increment", "i32*")
def add_one(grid: Triple, block: Triple, value: Numbers) -> None:
    """Add one."""
    value[0] += 1


@fakecuda.kernel("_Z7add_onePcm", "i8*", "u64")
def add_ones(grid: Triple, block: Triple, values: Numbers, size: int) -> None:
    """Add one to each byte, modulo 256."""
    values[0:size] = [(value + 129) % 256 - 128 for value in values[0:size]]


@fakecuda.kernel("_Z8set_zeroPcm", "i8*", "u64")
def set_zero(grid: Triple, block: Triple, values: Numbers, size: int) -> None:
    """Set each byte to zero."""
    values[0:size] = [0] * size


@fakecuda.kernel("_Z6affinePiii", "i32*", "i32", "i32")
def affine(grid: Triple, block: Triple, value: Numbers, factor: int, summand: int) -> None:
    """Multiply and add."""
    value[0] = value[0] * factor + summand


@fakecuda.kernel("_Z7combinePiS_S_", "i32*", "i32*", "i32*")
def combine(grid: Triple, block: Triple, both: Numbers, high: Numbers, low: Numbers) -> None:
    """Combine two 16-bit numbers into one."""
    both[0] = (high[0] << 16) | (low[0] & 0xFFFF)


@fakecuda.kernel("_Z6reducePiS_m", "i32*", "i32*", "u64")
def reduce(grid: Triple, block: Triple, total: Numbers, values: Numbers, count: int) -> None:
    """Add numbers up."""
    total[0] += sum(values[0:count])


@fakecuda.kernel("launch_graph_from_device", "u64")
def launch_graph(grid: Triple, block: Triple, graph: int) -> None:
    """Launch a graph after the current one."""
    fakecuda.launch_graph(graph, fakecuda.GraphLaunch.TAIL)


@fakecuda.kernel("write_value", "i32*")
def write_value(grid: Triple, block: Triple, value: Numbers) -> None:
    """Write the number that the test expects."""
    value[0] = 42


@fakecuda.kernel("linked_kernel", "f32", "f32", "f32", "f32*")
def linked_kernel(grid: Triple, block: Triple, factor: float, x: float, y: float, result: Numbers) -> None:
    """Multiply and add."""
    result[0] = factor * x + y


@fakecuda.kernel("heat_step", "f32*", "f32*", "i32", "f32")
def heat_step(grid: Triple, block: Triple, after: Numbers, before: Numbers, count: int, share: float) -> None:
    """Make a step of heat conduction; the ends keep their temperatures."""
    old = list(before[0:count])
    inner = (old[i] + share * (old[i - 1] - 2 * old[i] + old[i + 1]) for i in range(1, count - 1))
    after[0:count] = [old[0], *inner, old[-1]]


@fakecuda.kernel("update_hi", "f32*", "f32*")
def update_hi(grid: Triple, block: Triple, low: Numbers, high: Numbers) -> None:
    """Halve an interval: move its upper end to the middle."""
    high[0] = (low[0] + high[0]) / 2


@fakecuda.kernel("update_lo", "f32*", "f32*")
def update_lo(grid: Triple, block: Triple, low: Numbers, high: Numbers) -> None:
    """Halve an interval: move its lower end to the middle."""
    low[0] = (low[0] + high[0]) / 2


@fakecuda.kernel("newton_refine", "f32*", "f32*")
def newton_refine(grid: Triple, block: Triple, low: Numbers, high: Numbers) -> None:
    """Take a Newton step towards the square root of two."""
    middle = (low[0] + high[0]) / 2
    low[0] = high[0] = middle - (middle * middle - 2) / (2 * middle)


@fakecuda.kernel("negate_it", "i32*")
def negate(grid: Triple, block: Triple, value: Numbers) -> None:
    """Change the sign."""
    value[0] = -value[0]


@fakecuda.kernel("double_it", "i32*")
def double(grid: Triple, block: Triple, value: Numbers) -> None:
    """Double a number."""
    value[0] = 2 * value[0]


@fakecuda.kernel("square_it", "i32*")
def square(grid: Triple, block: Triple, value: Numbers) -> None:
    """Square a number."""
    value[0] = value[0] ** 2


def write(grid: Triple, block: Triple, values: Numbers, value: float) -> None:
    """Write a number."""
    values[0] = value


for _letter, _kind in SCALARS.items():
    fakecuda.kernel(f"_Z12write_scalarI{_letter}EvPT_S0_", f"{_kind}*", _kind)(write)


@fakecuda.kernel("_Z10set_handleyb", "u64", "bool")
@fakecuda.kernel("_Z10set_handleyj", "u64", "u32")
def set_handle(grid: Triple, block: Triple, condition: int, value: int) -> None:
    """Set a condition."""
    fakecuda.set_condition(condition, int(value))


@fakecuda.kernel("countdown", "u64", "i32*")
def countdown(grid: Triple, block: Triple, condition: int, counter: Numbers) -> None:
    """Continue while a counter is above zero."""
    fakecuda.set_condition(condition, int(counter[0] > 1))
    counter[0] -= 1


@fakecuda.kernel("bisect_eval", "f32*", "f32*", "u64")
def bisect_eval(grid: Triple, block: Triple, low: Numbers, high: Numbers, condition: int) -> None:
    """Set a condition: whether the square root of two is in the lower half."""
    middle = (low[0] + high[0]) / 2
    fakecuda.set_condition(condition, int(middle * middle > 2))


@fakecuda.kernel("check_refine", "f32*", "f32*", "u64")
def check_refine(grid: Triple, block: Triple, low: Numbers, high: Numbers, condition: int) -> None:
    """Set a condition: whether the square root of two is not reached yet."""
    middle = (low[0] + high[0]) / 2
    fakecuda.set_condition(condition, int(abs(middle * middle - 2) > 1e-10))


_left = [10]


@fakecuda.kernel("_Z11loop_kernely", "u64")
def loop(grid: Triple, block: Triple, condition: int) -> None:
    """Continue ten times.

    The kernel's static counter belongs to a module, and each test loads its own module.
    """
    _left[0] -= 1
    fakecuda.set_condition(condition, int(_left[0] > 0))
    _left[0] = _left[0] or 10
