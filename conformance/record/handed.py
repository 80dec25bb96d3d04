"""What a recording does not tell of a call's results, and what a replay takes for it.

Processes hand descriptors of exported memory and pools to each other, and ``record`` does not keep their numbers: each process has
its own. An import that the driver accepted takes the oldest export of another process that the importer does not have yet. Of memory
it has the size that the program maps, if the recording tells the sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field, frozen

from conformance.kit.compare import UNTOLD
from conformance.kit.plan import referred
from conformance.record.adopted import text_of
from fakecuda.rules.driver.va.properties import POSIX

if TYPE_CHECKING:
    from conformance.kit.names import Names
    from conformance.kit.program import Answer, Step

EXPORTS = {"cuMemExportToShareableHandle": "shareableHandle", "cuMemPoolExportToShareableHandle": "handle_out"}
"""The result that is a descriptor, by call."""
IMPORTS = {
    "cuMemImportFromShareableHandle": "cuMemExportToShareableHandle",
    "cuMemPoolImportFromShareableHandle": "cuMemPoolExportToShareableHandle",
}
"""The call whose descriptor a call takes."""
NODES = {"cuGraphAddMemAllocNode", "cuGraphAddNode", "cuGraphAddNode_v1"}
"""Calls whose ``nodeParams`` have what they made for a node."""


@frozen
class _Export:
    process: str
    call: str
    what: str
    text: str


@define
class Handed:
    """The descriptors that processes of a program hand to each other.

    Attributes:
        names: The names of the model's run.
    """

    names: Names
    _exports: list[_Export] = field(factory=list)
    _taken: set[tuple[str, str]] = field(factory=set)
    _sizes: dict[str, int] = field(factory=dict)

    def note(self, step: Step, answer: Answer) -> None:
        """Note what a step tells of the size of memory that is exported or imported."""
        if answer["code"]:
            return
        if step["call"] == "cuMemCreate":
            self._sizes[text_of(answer["outs"]["handle"])] = step["args"][0]
        elif step["call"] == "cuMemMap" and (text := referred(step["args"][3])):
            self._sizes.setdefault(text, step["args"][1])

    def given(self, step: Step, expected: Answer) -> Step:
        """Return an import with a descriptor of the model."""
        call, process = step["call"], step["process"]
        if call not in IMPORTS or expected["code"] or step["args"][1] != POSIX or type(step["args"][0]) is not int:
            return step
        size = self._sizes.get(text_of(next(iter(expected["outs"].values()))))
        found = [
            one
            for one in self._exports
            if one.call == IMPORTS[call] and size in {None, self._sizes.get(one.what, size)}
        ]
        found.sort(key=lambda one: ((process, one.text) in self._taken, one.process == process))
        if not found:
            return step
        self._taken.add((process, found[0].text))
        return {**step, "args": [{"ref": found[0].text}, *step["args"][1:]]}

    def export(self, step: Step) -> str:
        """Note an export; return a name for its descriptor, since the recording has none."""
        text = f"unseen.fd{len(self._exports) + 1}"
        self._exports.append(_Export(step["process"], step["call"], referred(step["args"][0]) or "", text))
        return text

    def keep(self, step: Step, got: Answer) -> None:
        """Keep the descriptor that an export has made on the model."""
        made = text_of(got["outs"].get(EXPORTS.get(step["call"], "")))
        if made in self.names.by_text:
            name = self.names.by_text.pop(made)
            name.text = self.export(step)
            self.names.by_text[name.text] = name


def told(step: Step, answer: Answer) -> Answer:
    """Return a driver's answer in which what was not read equals any answer.

    The descriptor of an export is not read. A driver writes nothing else about a stream that does not capture. How much memory
    graphs use follows from the work that is done.
    """
    call, outs = step["call"], answer["outs"]
    unread: tuple[str, ...] = ()
    if call in EXPORTS and outs.get(EXPORTS[call], 0) is None:
        unread = (EXPORTS[call],)
    elif call in NODES and outs.get("nodeParams", 0) is None:
        unread = ("nodeParams",)
    elif call == "cuDeviceGetGraphMemAttribute":
        unread = tuple(outs)
    elif call.startswith("cuStreamGetCaptureInfo") and outs.get("captureStatus_out") == 0:
        unread = tuple(outs.keys() - {"captureStatus_out"})
    return {**answer, "outs": outs | dict.fromkeys(unread, UNTOLD)} if unread else answer


def name_again(names: Names, step: Step, expected: Answer, got: Answer) -> Answer:
    """Give an address of a node's memory the recording's name; return the model's answer.

    The driver and the model may give out an address again, and each at other times.
    """
    if step["call"] not in NODES or expected["code"] or got["code"]:
        return got
    wanted, made = (one["outs"].get("nodeParams") for one in (expected, got))
    if not (isinstance(wanted, list) and isinstance(made, list) and wanted and made):
        return got
    text, name = text_of(wanted[-1]), names.by_text.get(text_of(made[-1]))
    if not text or name is None or wanted == made:
        return got
    if text != name.text:
        del names.by_text[name.text]
        name.references = 0
        names.again(text, step["process"], name.kind, name.value, name.size)
    return {**got, "outs": got["outs"] | {"nodeParams": [*made[:-1], wanted[-1]]}}
