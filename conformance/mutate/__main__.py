"""``python -m conformance.mutate``: see :mod:`conformance.mutate.mutants`."""

from __future__ import annotations

import sys

from conformance.mutate.mutants import main

if __name__ == "__main__":
    sys.exit(main())
