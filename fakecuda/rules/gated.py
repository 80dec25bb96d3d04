"""Rules that gates check instead of operations."""

from __future__ import annotations

from fakecuda.rules.capturing import WHILE_CAPTURING
from fakecuda.rules.halting import WHILE_HALTED
from fakecuda.rules.narrowing import WHILE_NARROW

GATED = (*WHILE_CAPTURING, *WHILE_HALTED, *WHILE_NARROW)
