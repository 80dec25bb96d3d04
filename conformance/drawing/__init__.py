"""The generator of random programs: what fits each parameter, which calls there are, and which belong together.

The state machine of :mod:`conformance.fuzz.machine` and the search of :mod:`conformance.search` draw from it. A ``Random`` is
the source of choices: a seeded one, or one of Hypothesis, whose choices it can make smaller.
"""
