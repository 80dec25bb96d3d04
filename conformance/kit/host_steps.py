"""Host steps of programs, which are not calls, and their records."""

from __future__ import annotations

import ctypes
import os
import struct
import tempfile
from typing import TYPE_CHECKING, Any

from conformance.kit import busy_stream
from conformance.kit.references import refer
from conformance.kit.values import encode
from fakecuda.machine.machine import Machine

if TYPE_CHECKING:
    from conformance.kit.names import Name, Names
    from conformance.kit.steps import Answer, Program, Step

POINTED = ("host", "executable")
"""Kinds of names to which numbers in host memory refer."""


class HostSteps:
    """Runs host steps: memory, C functions, files and descriptors.

    Attributes:
        machine: The target.
        program: The steps and answers so far.
        names: The names so far.
        rules: For each step the rule that a model says was broken, else None.
        processes: The live processes by their names.
    """

    machine: Any
    program: Program
    names: Names
    rules: list[Any]
    processes: dict[str, Any]
    _nap: busy_stream.Nap | None
    _calls: Any

    def host_memory(self, process: str, size: int) -> int:
        """Return the address of new host memory in a process, in whole pages."""
        address = int(self.processes[process].host_memory(size))
        name = self.names.new(process, "host", address, size)
        step = {"process": process, "call": "memory", "args": [size]}
        self._log(step, {"code": 0, "outs": {"ptr": {"new": name.text}}})
        return address

    def write_memory(self, process: str, address: int, content: bytes | tuple[int, ...]) -> None:
        """Write bytes or 64-bit numbers into a process's memory, as the host does."""
        written = encode(content) if isinstance(content, bytes) else [self._point(process, one) for one in content]
        step = {"process": process, "call": "write", "args": [refer(self.names, process, "host", address), written]}
        self._write(step, address, content)

    def read_memory(self, process: str, address: int, size: int, items: int = 0) -> bytes:
        """Return bytes of a process's memory, as the host reads them.

        Args:
            process: The process.
            address: Where they begin.
            size: How many.
            items: How many bytes an item has if items come in no order, and are sorted; else 0.
        """
        step = {"process": process, "call": "read", "args": [refer(self.names, process, "host", address), size]}
        return self._read(step | ({"sorted": items} if items else {}), address, size)

    def _point(self, process: str, number: int) -> Any:
        """Return a number in host memory in recorded form, as a reference if possible."""
        referred = (refer(self.names, process, kind, number) for kind in POINTED)
        return next((one for one in referred if isinstance(one, dict)), number)

    def _write(self, step: Step, address: int, content: bytes | tuple[int, ...]) -> None:
        data = content if isinstance(content, bytes) else struct.pack(f"<{len(content)}Q", *content)
        if isinstance(self.machine, Machine):
            ctypes.memmove(address, data, len(data))
        else:
            self.processes[step["process"]].write_memory(address, data)
        self._log(step, {"code": 0, "outs": {}})

    def _read(self, step: Step, address: int, size: int) -> bytes:
        near = isinstance(self.machine, Machine)
        data: bytes = (
            ctypes.string_at(address, size) if near else self.processes[step["process"]].read_memory(address, size)
        )
        if items := step.get("sorted", 0):
            data = b"".join(sorted(data[at : at + items] for at in range(0, size, items)))
        self._log(step, {"code": 0, "outs": {"bytes": encode(data)}})
        return data

    def c_function(self, process: str, name: str) -> int:
        """Return the address of a C library function in a process."""
        if name == busy_stream.NAME and isinstance(self.machine, Machine):
            self._nap = self._nap or busy_stream.Nap(self.machine)
            address = self._nap.address
        else:
            address = int(self.processes[process].c_function(name))
        made = self.names.new(process, "function", address)
        step = {"process": process, "call": "function", "args": [name]}
        self._log(step, {"code": 0, "outs": {"ptr": {"new": made.text}}})
        return address

    def number_of(self, process: str) -> int:
        """Return the system's number of a process."""
        number = int(self.processes[process].pid)
        made = self.names.new(process, "pid", number)
        self._log({"process": process, "call": "pid"}, {"code": 0, "outs": {"pid": {"new": made.text}}})
        return number

    def open_file(self) -> int:
        """Return a descriptor that is not exported memory, closed at the program's end."""
        descriptor = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        name = self.names.new("", "fd", descriptor)
        self._log({"process": "", "call": "open"}, {"code": 0, "outs": {"fd": {"new": name.text}}})
        return descriptor

    def write_file(self, content: bytes) -> bytes:
        """Return the path of a new file with bytes, removed at the program's end."""
        descriptor, path = tempfile.mkstemp(prefix="fakecuda-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        name = self.names.new("", "file", os.fsencode(path))
        step = {"process": "", "call": "file", "args": [encode(content)]}
        self._log(step, {"code": 0, "outs": {"path": {"new": name.text}}})
        return os.fsencode(path)

    def close_descriptor(self, descriptor: int) -> None:
        """Close a descriptor that the program obtained."""
        found = self.names.argument("", "fd", descriptor)
        if found is None or not found[0].live:
            msg = f"{descriptor} is not a descriptor that this program holds"
            raise ValueError(msg)
        self._close(found[0])
        step = {"process": "", "call": "close", "args": [{"ref": found[0].text}]}
        self._log(step, {"code": 0, "outs": {}})

    def _close(self, name: Name) -> None:
        name.references = 0
        assert isinstance(name.value, int)
        os.close(name.value)

    def keep(self, step: Step, answer: Answer, *, made: bool = False) -> None:
        """Record a step.

        Args:
            step: The step.
            answer: What it answered.
            made: Whether it is a call that was made.
        """
        self.program.steps.append(step)
        self.program.answers.append(answer)
        rule = self._calls[-1][5] if answer["code"] and made and self._calls else None
        self.rules.append(rule)

    _log = keep
    """The function that records each step."""
