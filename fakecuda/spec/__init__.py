"""The rules: a package per chapter of the driver API, a module per entry point.

Nothing is imported here. :data:`fakecuda.rule.OPS` imports the module of a call when it is asked for the call; which one
that is stands in ``index.json``, which ``python -m fakecuda.spec`` writes.
"""
