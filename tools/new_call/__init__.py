"""``python -m tools.new_call CALL`` begins a call that the description knows and no operation models.

It writes the skeletons of the operation and of its cases, runs the generators and the skeleton's cases, and prints what remains
to be written by hand, file by file, with the commands that show it done. If a step fails, the tree is left as it was.

:mod:`tools.new_call.plan` finds out what is known of the call, :mod:`tools.new_call.skeletons` and
:mod:`tools.new_call.nvml` have the texts, :mod:`tools.new_call.steps` writes and runs them, :mod:`tools.new_call.undo` takes
them back, :mod:`tools.new_call.remaining` has the list.
"""
