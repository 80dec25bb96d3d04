"""The clients' own test suites on simulated machines.

Results, and reasons for the failures.
``python -m tools.clients`` runs them, each in its own environment, and writes ``docs/clients.md``. ``suites.toml``
lists the suites, ``reasons.toml`` the reasons for failures, and ``results.json`` the results of the last runs.
"""
