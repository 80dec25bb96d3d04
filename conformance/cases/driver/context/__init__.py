"""Contexts and the stacks that make them current."""
