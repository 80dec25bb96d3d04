"""Tools of a checkout, which are not in the wheel.

They write generated files and start new calls.
"""
