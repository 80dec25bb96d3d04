"""The old module of ``python -m fakecuda hook``, kept for one release."""

from __future__ import annotations

import sys
import warnings

from fakecuda.__main__ import main

if __name__ == "__main__":
    warnings.warn(
        "python -m fakecuda.sharing.hook has a new name: run python -m fakecuda hook", DeprecationWarning, stacklevel=1
    )
    sys.exit(main(["hook", *sys.argv[1:]]))
