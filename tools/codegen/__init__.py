"""The generators: ``python -m tools.codegen`` writes every generated file, ``--check`` says which differ.

Each generator is a module here, whose ``files()`` returns what the files should be; :mod:`tools.codegen.steps` lists them.
Generated files are committed, in folders named ``generated``; a test compares them.
"""
