"""Checks of a machine's options."""

from __future__ import annotations

from typing import Any

from fakecuda.errors import FakeCudaError
from fakecuda.modes import wrong, wrong_races


def switch(name: str, value: Any, *, may_be_left_out: bool = False) -> None:
    """Check that a value is True or False.

    Args:
        name: The option's name.
        value: The value that was passed.
        may_be_left_out: Whether None is allowed.

    Raises:
        FakeCudaError: It is not.
    """
    if not (isinstance(value, bool) or (may_be_left_out and value is None)):
        msg = f"{name}={value!r}: use True or False{', or leave it out' if may_be_left_out else ''}"
        raise FakeCudaError(msg)


def races(value: Any) -> None:
    """Check the option ``races``, the reading of the manual for race detection.

    Args:
        value: The value that was passed.

    Raises:
        FakeCudaError: It is not one.
    """
    if problem := wrong_races(value):
        raise FakeCudaError(problem)


def mode(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Check that a value is one of some words.

    Args:
        name: The option's name.
        value: The value that was passed.
        allowed: The words.

    Raises:
        FakeCudaError: It is not one.
    """
    if problem := wrong(name, value, allowed):
        raise FakeCudaError(problem)


def number(name: str, value: Any, least: int | None, fix: str) -> None:
    """Check that a value is an integer.

    Args:
        name: The option's name.
        value: The value that was passed.
        least: The least allowed value. None for any.
        fix: What to write, for the error.

    Raises:
        FakeCudaError: It is not, or it is too small.
    """
    if isinstance(value, bool) or not isinstance(value, int) or (least is not None and value < least):
        msg = f"{name}={value!r}: use {fix}"
        raise FakeCudaError(msg)


def seconds(name: str, value: Any) -> None:
    """Check that a value is a number of seconds, or None.

    Args:
        name: The option's name.
        value: The value that was passed.

    Raises:
        FakeCudaError: It is not.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0):
        msg = f"{name}={value!r}: use a number of seconds, 0 or more, or leave it out"
        raise FakeCudaError(msg)
