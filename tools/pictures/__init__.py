"""Draws the pictures of ``docs/pictures`` from the code.

``python -m tools.codegen pictures`` writes them.
:mod:`~tools.pictures.layers` reads the imports of packages. :mod:`~tools.pictures.way` makes a call through each door
and watches it.
"""
