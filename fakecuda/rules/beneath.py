"""Driver calls of a runtime operation, made in another way than by their functions."""

from __future__ import annotations

from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.dispatch import Op

    Way = Callable[[Call, Op, tuple[Any, ...]], Any]


@cache
def beneath(op: Op) -> dict[str, Op]:
    """Return the driver calls in the source of an operation, by their names there.

    Empty for an operation of an API other than the runtime's.
    """
    if op.api is not RUNTIME:
        return {}
    function = op.function
    named = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    made = {one.function: one for one in DRIVER.ops.declared().values()}
    return {name: made[one] for name, one in named.items() if isinstance(one, FunctionType) and one in made}


def through(op: Op, way: Way) -> Callable[..., Any]:
    """Return an operation that makes each of its driver calls in another way.

    Args:
        op: The operation.
        way: Makes a call. Its arguments are the call, the operation of the driver API, and the arguments of that.
    """
    scope = {name: partial(_made, way, one) for name, one in beneath(op).items()}
    return FunctionType(op.function.__code__, {**op.function.__globals__, **scope})


def _made(way: Way, op: Op, call: Call, *args: Any) -> Any:
    return way(call, op, args)
