"""Tests of the museum: each bug is caught for its reason."""
