"""Cases of initialisation, version and error names."""
