"""``python -m tools.new_call CALL`` begins a call that the description knows and no operation models.

It writes the skeletons of the operation and of its cases, runs the generators, and prints what remains to be written by
hand, file by file, with the commands that show it done. :mod:`tools.new_call.plan` finds out what is known of the call,
:mod:`tools.new_call.skeletons` has the texts, :mod:`tools.new_call.remaining` the list.
"""
