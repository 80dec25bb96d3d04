"""Reports: what is told of a finding, a refused call or something that is left, in one form wherever it is told.

- :mod:`.report` composes the text; :mod:`.rule` has what is known of a rule; :mod:`.call` tells a call by the names of its
  arguments, and finds the objects that these name.
- :mod:`.text` lays text out: tables, sizes, values.
"""
