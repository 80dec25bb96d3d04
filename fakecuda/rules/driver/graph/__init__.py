"""Graphs: work that is described once, and launched as a whole as often as one likes."""
