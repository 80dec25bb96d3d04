"""The command ``python -m fakecuda.explain.ledger``."""

from __future__ import annotations

import argparse
import sys

from fakecuda.explain.ledger import beyond, modelled, pairs, sentences, summary
from fakecuda.rules.registry import EVERY_API


def main(arguments: list[str] | None = None) -> int:
    """Print the ledger; return 1 if a pair or a sentence is unaccounted for."""
    parser = argparse.ArgumentParser(
        prog="python -m fakecuda.explain.ledger", description="What the manual promises, counted."
    )
    parser.add_argument("--sentences", action="store_true", help="count the manual's sentences and list what is left")
    options = parser.parse_args(arguments)
    if options.sentences:
        try:
            title = sentences.summary()
            left = [f"{call}: {one}" for call in modelled() for one in sentences.unaccounted(call)]
        except LookupError as error:
            parser.error(str(error))
    else:
        titles, left = [], []
        for api in EVERY_API.values():
            rows = pairs(*modelled(api))
            calls, others = beyond(api)
            titles.append(f"{api.title}: {summary(rows)}; not modelled: {others} pairs of {calls} calls")
            left += [f"{row.function} {row.code.name}" for row in rows if row.status == "undecided"]
        title = "\n".join(titles)
    sys.stdout.write("\n".join([title, *left]) + "\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
