"""``python -m conformance.record``: see :mod:`conformance.record.recorder`."""

from __future__ import annotations

import sys

from conformance.record.recorder import main

if __name__ == "__main__":
    sys.exit(main())
