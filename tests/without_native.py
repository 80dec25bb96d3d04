"""A system that has no native door, such as macOS: ``PYTEST_PLUGINS=tests.without_native python -m pytest tests/plugin``.

Runs of pytest that a test starts inherit it.
"""

from fakecuda.reach.native import stubs

stubs.NATIVE = False
