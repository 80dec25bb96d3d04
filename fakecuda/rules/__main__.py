"""Write ``index.json``: ``python -m fakecuda.rules`` imports every module of rules and notes which calls it declares.

The file is committed; a test writes it again and compares.
"""

from __future__ import annotations

import importlib
import json
import pkgutil

from fakecuda import rules
from fakecuda.api import DRIVER, HIP, RUNTIME
from fakecuda.rules.core import RULES
from fakecuda.rules.dispatch import INDEX


def render() -> str:
    """Return the text of ``index.json``."""
    for module in pkgutil.walk_packages(rules.__path__, RULES):
        if module.name != f"{RULES}__main__":
            importlib.import_module(module.name)
    homes = {
        api: {
            name: op.module.removeprefix(RULES)
            for name, op in sorted(ops.declared().items())
            if op.module.startswith(RULES)
        }
        for api, ops in (("driver", DRIVER.ops), ("runtime", RUNTIME.ops), ("hip", HIP.ops))
    }
    return json.dumps(homes, indent=1) + "\n"


if __name__ == "__main__":
    INDEX.write_text(render())
