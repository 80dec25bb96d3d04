"""The generators of files.

``python -m tools.codegen`` writes the files, ``--check`` compares them.
Each generator is a module here. Its ``files()`` returns the files with their contents; :mod:`tools.codegen.steps` lists
the generators. Generated files are committed, in folders named ``generated``. A test compares them.
"""
