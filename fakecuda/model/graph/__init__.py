"""Graphs: nodes, captures, conditions, memory of graphs, and their runs."""
