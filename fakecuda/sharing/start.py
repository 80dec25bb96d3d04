"""The old module of the start-up hook, kept for one release."""

from __future__ import annotations

from fakecuda.reach.remote.client.start import watch

__all__ = ["watch"]
