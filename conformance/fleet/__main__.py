"""``python -m conformance.fleet``: see :mod:`conformance.fleet.command`."""

from __future__ import annotations

import sys

from conformance.fleet.command import main

if __name__ == "__main__":
    sys.exit(main())
