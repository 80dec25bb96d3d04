"""Replacement of the driver calls inside runtime operations and older forms."""

from __future__ import annotations

from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.dispatch import Op

    Way = Callable[[Call, Op, tuple[Any, ...]], Any]


@cache
def driver_calls_of(op: Op) -> dict[str, Op]:
    """Return the driver calls that a runtime operation or an older form makes.

    The keys are their names in its code. The result is empty for an operation of another API.
    """
    if op.api not in {RUNTIME, FORMS}:
        return {}
    function = op.function
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    made = {one.function: one for api in (FORMS, DRIVER) for one in api.ops.declared().values()}
    return {name: made[one] for name, one in named.items() if isinstance(one, FunctionType) and one in made}


def rerouted(op: Op, way: Way) -> Callable[..., Any]:
    """Return a copy of an operation that makes its driver calls by another function.

    Args:
        op: The operation.
        way: Makes a driver call. It gets the call, the driver operation and its arguments.
    """
    scope = {name: partial(_made, way, one) for name, one in driver_calls_of(op).items()}
    return FunctionType(op.function.__code__, {**op.function.__globals__, **scope})


def _made(way: Way, op: Op, call: Call, *args: Any) -> Any:
    return way(call, op, args)
