"""Tests of pages, as text and in a browser."""
