"""Written by ``python -m tools.codegen``: the functions behind the exported symbols."""
