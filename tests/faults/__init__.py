"""Injected faults, and the sweep that injects each possible fault of a program."""
