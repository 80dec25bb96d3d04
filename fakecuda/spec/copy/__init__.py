"""Copies and memsets."""
