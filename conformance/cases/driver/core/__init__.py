"""Initialisation, version and error names."""
