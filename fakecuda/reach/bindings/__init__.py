"""Calling conventions over the operations: no rules here."""
