"""The descriptions of the calls that programs make, of all APIs and older forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from fakecuda.spec.description import Function

CALLS: dict[str, Function] = {name: call for api in EVERY_API.values() for name, call in api.calls.items()}
"""Calls by name."""
