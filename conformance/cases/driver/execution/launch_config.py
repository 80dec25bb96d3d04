"""Plain CUlaunchConfig values for cases, and changes of members."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from fakecuda.spec.driver import ENUMS
from fakecuda.spec.launch_config import LAYOUTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation

MEMBERS = (
    "gridDimX",
    "gridDimY",
    "gridDimZ",
    "blockDimX",
    "blockDimY",
    "blockDimZ",
    "sharedMemBytes",
    "hStream",
    "attrs",
)
PLAIN: tuple[Any, ...] = (1, 1, 1, 1, 1, 1, 0, 0, ())
"""One block of one thread."""
ID = {name.removeprefix("CU_LAUNCH_ATTRIBUTE_"): value for name, value in ENUMS["CUlaunchAttributeID"].items()}


def attribute(name: str, *value: float) -> tuple[Any, ...]:
    """Return a launch attribute as it is in memory, with the given members."""
    number = ID[name]
    made: tuple[Any, ...] = LAYOUTS[number].unpack(LAYOUTS[number].pack(*value))
    return number, *made


def differing(i: Invocation, **members: Any) -> tuple[Any, ...]:
    """Return the configuration of an invocation with other members."""
    plain = list(i.args["config"])
    for name, value in members.items():
        plain[MEMBERS.index(name)] = value(i) if callable(value) else value
    return tuple(plain)


def in_config(**args: Any) -> dict[str, Any]:
    """Return arguments in which members of the configuration are inside it."""
    members = {name: value for name, value in args.items() if name in MEMBERS}
    others = {name: value for name, value in args.items() if name not in MEMBERS}
    config: dict[str, Callable[[Invocation], Any]] = {"config": lambda i: differing(i, **members)} if members else {}
    return {**config, **others}


def clustered(x: int, y: int = 1, z: int = 1) -> tuple[tuple[Any, ...], ...]:
    """Return attributes that request a cluster."""
    return (attribute("CLUSTER_DIMENSION", x, y, z),)


def far_too_large() -> tuple[tuple[Any, ...], ...]:
    """Return attributes that request an access policy window of all memory."""
    return (attribute("ACCESS_POLICY_WINDOW", 0, ctypes.c_size_t(-1).value, 0.5, 0, 0),)
