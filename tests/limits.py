"""How long a test waits for another thread or process: no busy machine takes so long, only what hangs comes to its end.

``faulthandler_timeout`` in ``pyproject.toml`` is shorter: the stacks of what hangs are printed before.
"""

from __future__ import annotations

LONG = 600.0
"""Seconds."""
