"""The ledger: what the manual promises, set beside what the rules give.

It keeps two accounts: of the codes that the manuals of the three APIs name for each call (:mod:`fakecuda.ledger.codes`), and
of the sentences of the driver's that demand or promise something (:mod:`fakecuda.ledger.sentences`).

``python -m fakecuda.ledger`` prints for each API the count of each kind of code and the undecided ones; ``--sentences`` counts
the sentences, and prints those that nothing accounts for; ``--regenerate`` writes ``rules/documented.json`` and
``rules/documented.runtime.json`` from the docstrings of the installed cuda.bindings; ``--notes`` writes what follows from the rules and the ledger into
``docs/spec_notes.md`` and keeps what was written there by hand.
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
from fakecuda.ledger.page import DEFAULTS, NOTES, UNPLACED, notes

__all__ = [
    "DEFAULTS",
    "DOCUMENTED",
    "NOTES",
    "UNPLACED",
    "Entry",
    "Row",
    "beyond",
    "cited",
    "counts",
    "documented",
    "entries",
    "modelled",
    "notes",
    "pairs",
    "regenerate",
    "render",
    "rules",
    "summary",
    "undocumented",
]
