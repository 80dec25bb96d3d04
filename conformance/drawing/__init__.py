"""The generator of random programs: arguments, calls, and patterns of calls.

The state machine of :mod:`conformance.fuzz.machine` and the search of :mod:`conformance.search` draw from it. A ``Random`` is
the source of choices: a seeded one, or one of Hypothesis, whose choices it makes smaller. A call is drawn while its program
runs, from what the processes hold by then. :mod:`conformance.fuzz.garbage` draws a whole program before it runs, from C types
alone, so that the same program runs at each door. :mod:`conformance.fuzz.threads` draws while other threads change the model.
"""
