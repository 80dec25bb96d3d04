"""The ledger: what the manual promises, set beside what the rules give.

It keeps two accounts: of the codes that the manuals of the three APIs name for each call (:mod:`fakecuda.ledger.codes`), and
of the sentences of the driver's that demand or promise something (:mod:`fakecuda.ledger.sentences`).

``python -m fakecuda.ledger`` prints for each API the count of each kind of code and the undecided ones; ``--sentences`` counts
the sentences, and prints those that nothing accounts for; ``--regenerate`` writes ``rules/documented.json`` and
``rules/documented.runtime.json`` from the docstrings of the installed cuda.bindings; ``--pages`` writes the pages of ``docs/rules``
from the rules and the evidence.
"""

from fakecuda.ledger.codes import (
    DOCUMENTED,
    Entry,
    Row,
    beyond,
    cited,
    counts,
    documented,
    entries,
    modelled,
    pairs,
    regenerate,
    render,
    rules,
    summary,
    undocumented,
)

__all__ = [
    "DOCUMENTED",
    "Entry",
    "Row",
    "beyond",
    "cited",
    "counts",
    "documented",
    "entries",
    "modelled",
    "pairs",
    "regenerate",
    "render",
    "rules",
    "summary",
    "undocumented",
]
