"""Older forms of functions of the driver API: what libcuda still exports for programs that were built for older releases.

A form has the name of its symbol: ``cuCtxCreate_v2``. Where the symbol has no number, though a newer one has the function's name
in the manual, it is called ``_v1``: ``cuMemAdvise_v1`` for the symbol ``cuMemAdvise``. ``spec/forms.toml`` has their arguments.
"""
