"""Questions about linkers, references of modules, widths of textures, and texture objects of the runtime API.

``python -m conformance.record.linking -o FILE`` asks the driver, each question in a process of its own: some calls crash a
driver, or wait for ever. ``conformance/data/linking`` holds an H100's answers, with which ``tests/conformance/test_linking_questions.py`` compares the
model's: the rules that say ``observed`` of linked cubins, of missing and doubled names, and of logs rest on them.
"""
