"""The rules: a package for each API, in the driver's one for each chapter of the manual, with a module for each call.

Nothing is imported here. :data:`fakecuda.rules.registry.OPS` imports the module of a call when it is asked for the call; which one
that is stands in ``generated/index.json``, which ``python -m tools.codegen`` writes.
"""
