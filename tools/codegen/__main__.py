"""``python -m tools.codegen``: see :mod:`tools.codegen.command`."""

from __future__ import annotations

import sys

from tools.codegen import reads

if __name__ == "__main__":
    reads.watch()  # before any import that reads a file
    from tools.codegen.command import main

    sys.exit(main())
