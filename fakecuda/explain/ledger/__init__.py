"""The ledger: the promises of the manual, compared with the rules.

It keeps two accounts: of the codes that the manuals of the APIs name for each call (:mod:`fakecuda.explain.ledger.codes`), and
of the sentences of the driver's that demand or promise something (:mod:`fakecuda.explain.ledger.sentences`).

``python -m fakecuda.explain.ledger`` prints for each API the count of each kind of code and the undecided ones; ``--sentences`` counts
the sentences, and prints those that nothing accounts for. ``python -m tools.codegen`` writes what is committed of this: the codes
that docstrings name, and the pages of ``docs/rules``.
"""

from fakecuda.explain.ledger.codes import (
    Entry,
    Row,
    beyond,
    cited,
    counts,
    documented,
    entries,
    modelled,
    pairs,
    rules,
    summary,
    undocumented,
)

__all__ = [
    "Entry",
    "Row",
    "beyond",
    "cited",
    "counts",
    "documented",
    "entries",
    "modelled",
    "pairs",
    "rules",
    "summary",
    "undocumented",
]
