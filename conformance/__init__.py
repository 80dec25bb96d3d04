"""The conformance suite: one set of cases for the model and for the real driver, and what real drivers answered.

Everything here drives a target through the Process contract's C level (``process.c.cuX``) and through nothing else.
"""
