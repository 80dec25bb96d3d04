"""The pictures of ``docs/pictures``, drawn from the code: ``python -m tools.codegen pictures`` writes them.

:mod:`~tools.pictures.layers` reads what packages import, :mod:`~tools.pictures.way` makes a call by each way in and watches it.
"""
