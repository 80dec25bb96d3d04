"""The metadata of the suite's wheel, from the product's; hatchling runs it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class CustomMetadataHook(MetadataHookInterface):
    """Sets the product's version, and requires the product with the suite's extra."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the dynamic fields of ``pyproject.toml``.

        Args:
            metadata: The table ``project`` of the suite's own ``pyproject.toml``.
        """
        product = tomllib.loads((Path(self.root).parent / "pyproject.toml").read_text())["project"]
        version = product["version"]
        metadata["version"] = version
        metadata["requires-python"] = product["requires-python"]
        metadata["classifiers"] = product["classifiers"]
        metadata["dependencies"] = [f"{product['name']}[conformance]=={version}"]
