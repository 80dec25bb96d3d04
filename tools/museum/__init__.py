"""Publicly reported bugs, each as a faulty program and a fixed one.

A program stands in ``exhibits``, twice: faulty, and fixed where it says ``fixed``. Both are tests as users write them, with the
fixture ``fakecuda`` and the settings that their exhibit names. ``visit`` runs them; ``docs/museum.md`` is the gallery.
"""
