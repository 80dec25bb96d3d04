"""A random search on a card: ``python -m conformance.search --minutes 60 --seed N``.

A program is drawn step by step from what the model says is possible, and sometimes from what it says is not. The model makes
each step first and the card makes it next. What differs is made smaller by asking the card again, told once for each call,
codes and state, and kept as a recording.
"""
