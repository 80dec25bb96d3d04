"""The documentation site: ``python -m tools.site`` builds it.

It is made from the README, ``docs/`` and a page per modelled call.
"""
