"""Graphs: nodes, captures, conditions, graph memory and runs."""
