"""What the suite's wheel says of itself, read where the product's is stated; hatchling runs this."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class CustomMetadataHook(MetadataHookInterface):
    """Gives the suite the product's version, and has it need that version with the extra that the suite needs."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the fields that ``pyproject.toml`` calls dynamic.

        Args:
            metadata: The table ``project`` of the suite's own ``pyproject.toml``.
        """
        product = tomllib.loads((Path(self.root).parent / "pyproject.toml").read_text())["project"]
        version = product["version"]
        metadata["version"] = version
        metadata["requires-python"] = product["requires-python"]
        metadata["classifiers"] = product["classifiers"]
        metadata["dependencies"] = [f"{product['name']}[conformance]=={version}"]
