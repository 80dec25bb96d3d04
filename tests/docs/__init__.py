"""Tests of what people read: the README and the pages of docs/."""
