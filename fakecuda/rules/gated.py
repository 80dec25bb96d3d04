"""Rules that gates check before a call reaches its operation."""

from __future__ import annotations

from fakecuda.rules.capturing import WHILE_CAPTURING
from fakecuda.rules.halting import WHILE_HALTED

GATED = (*WHILE_CAPTURING, *WHILE_HALTED)
