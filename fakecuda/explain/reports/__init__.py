"""Reports on findings, refused calls and leaks, in one form for every place that prints them.

- :mod:`.report` composes the text. :mod:`.rule` collects the source, evidence and fix of a rule. :mod:`.call` prints a call
  with the names of its arguments, and finds the objects that these name.
- :mod:`.text` lays text out: tables, sizes, values.
"""
