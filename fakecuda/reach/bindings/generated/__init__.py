"""Written by ``python -m tools.codegen``: the modelled calls of the look-alikes."""
