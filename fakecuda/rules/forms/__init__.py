"""Older forms of driver functions, which libcuda exports for older programs.

A form has the name of its symbol: ``cuCtxCreate_v2``. Where the symbol has no number, though a newer one has the function's name
in the manual, it is called ``_v1``: ``cuMemAdvise_v1`` for the symbol ``cuMemAdvise``. ``spec/forms.toml`` has their arguments.
"""
