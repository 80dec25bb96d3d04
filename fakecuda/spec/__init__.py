"""The rules: a package per chapter of the driver API, a module per entry point.

Importing this package declares every operation in :data:`fakecuda.rule.OPS`.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, __name__ + "."):
    importlib.import_module(_module.name)
