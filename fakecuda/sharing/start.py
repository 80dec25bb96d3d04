"""The old name of the start-up hook's module, which hooks of earlier versions import; it stays for one release."""

from __future__ import annotations

from fakecuda.reach.remote.client.start import watch

__all__ = ["watch"]
