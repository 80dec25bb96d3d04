"""The pages of ``docs/rules``: ``python -m tools.codegen pages`` writes them."""
