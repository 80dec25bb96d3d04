"""The parts of the pytest plugin, except its hooks.

They are imported when a test needs them.
"""
