"""The site: ``python -m tools.site`` builds it from the README, the pages of ``docs/`` and a page for each modelled call."""
