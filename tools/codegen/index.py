"""Writes ``index.json``: the modules of rules, with the calls that each declares."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import TYPE_CHECKING

from fakecuda import rules
from fakecuda.rules.core import RULES
from fakecuda.rules.dispatch import INDEX
from fakecuda.rules.registry import DRIVER, FORMS, HIP, NVML, RUNTIME

if TYPE_CHECKING:
    from pathlib import Path


def files() -> dict[Path, str]:
    """Return the text of the index, by its path."""
    for module in pkgutil.walk_packages(rules.__path__, RULES):
        importlib.import_module(module.name)
    homes = {
        api: {
            name: op.module.removeprefix(RULES)
            for name, op in sorted(ops.declared().items())
            if op.module.startswith(RULES)
        }
        for api, ops in ((api.name, api.ops) for api in (DRIVER, RUNTIME, HIP, NVML, FORMS))
    }
    return {INDEX: json.dumps(homes, indent=1) + "\n"}
