"""Write ``index.json``: ``python -m fakecuda.spec`` imports every module of rules and notes which calls it declares.

The file is committed; a test writes it again and compares.
"""

from __future__ import annotations

import importlib
import json
import pkgutil

from fakecuda import spec
from fakecuda.rule import HIP, INDEX, OPS, RUNTIME, SPEC


def render() -> str:
    """Return the text of ``index.json``."""
    for module in pkgutil.walk_packages(spec.__path__, SPEC):
        if module.name != f"{SPEC}__main__":
            importlib.import_module(module.name)
    homes = {
        api: {
            name: op.module.removeprefix(SPEC)
            for name, op in sorted(ops.declared().items())
            if op.module.startswith(SPEC)
        }
        for api, ops in (("driver", OPS), ("runtime", RUNTIME), ("hip", HIP))
    }
    return json.dumps(homes, indent=1) + "\n"


if __name__ == "__main__":
    INDEX.write_text(render())
