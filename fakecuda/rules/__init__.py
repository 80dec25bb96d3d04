"""The rules, in a package for each API.

The driver's package has a package for each chapter of the manual, and there a module for each call. Nothing is imported
here. :data:`fakecuda.rules.registry.OPS` imports the module of a call on first use. ``generated/index.json``, written by
``python -m tools.codegen``, has the module of each call.
"""
