"""The clients' own suites on simulated machines: what of them passes, and why the rest does not.

``python -m tools.clients`` runs them, each in an environment of its own, and writes ``docs/clients.md``. What is run stands
in ``suites.toml``, the reason of each failure in ``reasons.toml``, and what came of the last runs in ``results.json``.
"""
