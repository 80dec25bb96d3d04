"""Rules that gates check, which make calls otherwise than by their operations: no operation names them."""

from __future__ import annotations

from fakecuda.rules.capturing import WHILE_CAPTURING
from fakecuda.rules.halting import WHILE_HALTED

GATED = (*WHILE_CAPTURING, *WHILE_HALTED)
