"""The prompt: a machine with two processes, and functions to inspect it.

``python -m fakecuda`` opens it. ``rules()`` lists what a call checks. ``why()`` says why a call failed. ``show()``
prints the state of the machine, ``history()`` the recorded calls. Tab completes calls and arguments.

- :mod:`.console` reads and runs statements; :mod:`.terminal` handles its keyboard.
- :mod:`.complete` finds what Tab offers, from the descriptions of the calls.
- :mod:`.show` prints tables, :mod:`.tables` holds them; :mod:`.objects` finds what an address or a handle names.
- :mod:`.calls` describes calls, :mod:`.rules` their rules; :mod:`.text` formats text.
"""
