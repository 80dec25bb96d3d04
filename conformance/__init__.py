"""The conformance suite: cases for model and driver, and recorded answers.

Everything here drives a target through the Process contract's C level (``process.c.cuX``) and through nothing else. Cases
stand in ``cases``, laid out as the rules are; ``kit`` is what they are written with, ``targets`` what they run on, ``runner``
how they run. ``fuzz`` draws programs, ``record`` asks real drivers and replays their answers, ``mutate`` breaks rules,
``search`` asks a card and the model the same, ``fleet`` does all of it on many hosts.
"""

from __future__ import annotations

from pathlib import Path

SUITE = Path(__file__).parent
CASES = SUITE / "cases"
DATA = SUITE / "data"
"""Recordings, and data on their answers and on rules."""
