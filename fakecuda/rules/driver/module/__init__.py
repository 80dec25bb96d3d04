"""Modules of contexts: images of code, their functions and variables."""
