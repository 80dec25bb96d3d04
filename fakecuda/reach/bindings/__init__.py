"""Calling conventions of the operations in Python. There are no rules here."""
