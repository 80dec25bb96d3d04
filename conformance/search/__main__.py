"""``python -m conformance.search``: see :mod:`conformance.search.command`."""

from __future__ import annotations

import sys

from conformance.search.command import main

if __name__ == "__main__":
    sys.exit(main())
