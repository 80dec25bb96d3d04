"""``python -m conformance.record.linking -o FILE``: ask the driver, and write what it answers as JSON."""

from __future__ import annotations

import sys

from conformance.record.asking_command import main
from conformance.record.linking import linkers, seen  # noqa: F401 - they enter themselves
from conformance.record.linking.entered import QUESTIONS

if __name__ == "__main__":
    sys.exit(main("conformance.record.linking", QUESTIONS))
