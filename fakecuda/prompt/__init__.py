"""The prompt: a machine with two processes at hand, and words to ask it.

``python -m fakecuda`` opens it. ``rules()`` lists what a call checks, ``why()`` tells why a call failed, ``show()``
prints the state of the machine, ``history()`` the calls that were made, and Tab completes what a call takes.

- :mod:`.console` reads and runs statements; :mod:`.terminal` is its keyboard.
- :mod:`.complete` says what Tab offers, from the description of the calls.
- :mod:`.show` prints tables, :mod:`.tables` holds them; :mod:`.objects` finds what an address or a handle names.
- :mod:`.calls` tells of calls, :mod:`.rules` of their rules, :mod:`.text` lays text out.
"""
