"""The owner of a shared machine.

It accepts connections, holds the model and answers calls.
"""
