"""``python -m conformance.record.capture -o FILE``: ask the driver, and write what it answers as JSON."""

from __future__ import annotations

import sys

from conformance.record.asking_command import main
from conformance.record.capture import calls, changes, holding, scenes  # noqa: F401 - they enter themselves
from conformance.record.capture.scene import QUESTIONS

if __name__ == "__main__":
    sys.exit(main("conformance.record.capture", QUESTIONS))
