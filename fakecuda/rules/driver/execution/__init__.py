"""Functions, and their launches."""
