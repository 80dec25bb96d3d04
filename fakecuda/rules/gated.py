"""Rules that gates check in place of operations, which do not name them."""

from __future__ import annotations

from fakecuda.rules.capturing import WHILE_CAPTURING
from fakecuda.rules.halting import WHILE_HALTED

GATED = (*WHILE_CAPTURING, *WHILE_HALTED)
