"""Graphs: work that is described once and can be launched many times."""
