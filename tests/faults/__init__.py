"""Faults that a test injects, and the sweep that injects each that a program can meet."""
