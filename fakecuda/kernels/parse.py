"""Reading of PTX into instructions.

The text was checked when its image was loaded (:mod:`fakecuda.model.code.ptx`), so that this reader trusts its grammar. A name
is looked up where it stands: in the blocks around it, and then in the text. Whatever fakecuda does not run becomes an
``Unknown`` operand, which refuses only kernels that reach it.
"""

from __future__ import annotations

from bisect import bisect_right
from math import prod
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from fakecuda.kernels.operands import WHOLE, Scope, operands, predicate
from fakecuda.kernels.program import Constant, Function, Instruction, Label, Program, Register, Unknown, Variable
from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.ptx_declarations import LANES
from fakecuda.model.code.ptx_tokens import DOTTED, END, INTEGER, PREPROCESSOR
from fakecuda.spec.ptx.types import TYPES

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from fakecuda.kernels.program import Not, Operand

SPACES = frozenset({".global", ".const", ".shared", ".local", ".param"})
LISTS = frozenset({".branchtargets", ".calltargets", ".callprototype"})
ENDS = SPACES | {";", "{", ".entry", ".func", ".visible", ".weak", ".extern", ".common", ".file", ".section", ""}
"""Tokens that may follow a function's directives: a body, or anything else."""
BYTE = 8
FILES = 1 << 32
HINT, NO_POLICY = ".L2::cache_hint", Constant(0, WHOLE)
"""The modifier whose last operand is a cache policy, and the value of each policy: caches have no effect."""
"""A number above all file numbers of a text."""
NOTHING: Mapping[str, str] = {}


def parsed(text: str, renamed: Mapping[str, str] = NOTHING, number: int = 0) -> Program:
    """Return the contents of a text that was checked.

    Args:
        text: The text.
        renamed: New names of what it defines for itself.
        number: Its number among the inputs of a linker.
    """
    matches = [one for one in ptx_tokens.matches(text) if one.lastgroup != PREPROCESSOR]
    reader = Reader(text, matches, renamed, number * FILES)
    while reader.kind != END:
        reader.statement()
    return reader.program


@define(eq=False)
class Reader:
    """A reader of a text, token by token.

    Attributes:
        text: The text.
        matches: Its tokens.
        renamed: New names of functions and variables.
        files: What is added to the numbers of its files.
        at: The number of the current token.
        program: What was read.
        names: The variables of the text by name.
        kernels: The names of kernels.
        function: The function whose body is read.
        scopes: The names of the blocks that are open.
        source: The current line of the source.
    """

    text: str
    matches: list[re.Match[str]]
    renamed: Mapping[str, str] = NOTHING
    files: int = 0
    at: int = 0
    program: Program = field(factory=Program)
    names: dict[str, Variable] = field(factory=dict)
    kernels: set[str] = field(factory=set)
    function: Function = field(factory=lambda: Function(""))
    scopes: list[Scope] = field(factory=list)
    source: tuple[int, int] | None = None
    _lines: list[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Find the beginnings of lines."""
        self._lines = [0, *(place + 1 for place, one in enumerate(self.text) if one == "\n")]

    @property
    def kind(self) -> str:
        """The kind of the current token."""
        return self.matches[self.at].lastgroup or END

    @property
    def said(self) -> str:
        """The text of the current token."""
        match = self.matches[self.at]
        return match[match.lastgroup or END]

    def next(self) -> str:
        """Return the text of the current token, and advance."""
        said = self.said
        self.at += 1
        return said

    def line(self, at: int) -> int:
        """Return the line number of a token, from 1."""
        match = self.matches[at]
        return bisect_right(self._lines, match.start(match.lastgroup or END))

    def statement(self) -> None:
        """Read a directive outside of functions."""
        said = self.next()
        if said == ".entry":
            self.kernels.add(self.said)
        if said in {".entry", ".func"}:
            self.read_function()
        elif said in SPACES:
            for one in self.variables(said[1:]):
                self.names[one.name] = evolve(one, name=self.named(one.name))
        elif said == ".file":
            number = self.files + int(self.next())
            self.program.files[number] = self.next().strip('"')
        elif said == ".section":
            while self.next() != "}":
                pass
        elif said == ".alias":
            name = self.named(self.next())
            self.at += 1
            self.program.aliases[name] = self.named(self.next())

    def named(self, name: str) -> str:
        """Return a function's or variable's name, unique among several texts."""
        return self.renamed.get(name, name)

    def read_function(self) -> None:
        """Read a kernel or a function, with or without a body."""
        returns = self.parameters() if self.said == "(" else []
        name = self.named(self.next())
        params = self.parameters() if self.said == "(" else []
        while self.said not in ENDS:
            if self.next() == ".blocksareclusters":
                self.program.mapped.add(name)
        known = self.program.functions.get(name)
        if self.said != "{":
            self.at += self.said == ";"
            self.program.functions.setdefault(name, Function(name, returns, params))
            return
        self.function = known if known is not None else Function(name)
        self.function.returns, self.function.params, self.function.body = returns, params, []
        self.program.functions[name] = self.function
        self.source = None
        self.at += 1
        self.begin()
        for one in returns + params:
            self.scopes[-1].variables[one.name] = one
        while self.scopes:
            self.in_body()

    def begin(self) -> None:
        """Open a block."""
        self.function.outer.append(self.scopes[-1].number if self.scopes else 0)
        self.scopes.append(Scope(len(self.function.outer) - 1))

    def parameters(self) -> list[Variable]:
        """Read declarations in parentheses; registers become ``reg`` variables."""
        found: list[Variable] = []
        self.at += 1
        while self.said != ")":
            space = self.next()[1:]
            found += self.variables(space, until=")")
        self.at += 1
        return found

    def variables(self, space: str, until: str = ";") -> list[Variable]:
        """Read declarations up to a semicolon, or one declaration."""
        found = []
        self.skip_bank()
        size = align = 1
        while self.kind == DOTTED or self.said == "(":
            said = self.next()
            if said == ".align":
                align = max(align, int(self.next())) if size else align
            elif said == ".ptr":
                while self.kind in {DOTTED, INTEGER}:
                    self.at += 1
            elif said == "(":
                self.at += 2
            elif said in TYPES:
                size *= max(TYPES[said][1] // BYTE, 1)
            elif said in LANES:
                size *= LANES[said]
        align = max(align, size)
        while True:
            name = self.next()
            count, omitted = self.dimensions()
            if self.said == "=":
                elements = self.initial()
                count = elements if omitted else count
            elif omitted:
                count = 0
            found.append(Variable(name, space, size * count, align))
            if ")" in {until, self.said} or self.said == ";":
                self.at += self.said in {",", ";"}
                return found
            self.at += 1

    def skip_bank(self) -> None:
        """Skip the bank of constants: ``.const[2]``."""
        if self.said == "[":
            self.at += 3

    def dimensions(self) -> tuple[int, bool]:
        """Read dimensions; return the element count, and whether the first is omitted."""
        counts, omitted = [], False
        while self.said == "[":
            self.at += 1
            if self.said == "]":
                omitted = True
            else:
                counts.append(ptx_tokens.integer(self.next()) or 0)
            self.at += 1
        return prod(counts), omitted

    def initial(self) -> int:
        """Read initial values, and return the number of outer ones."""
        depth, outer = 0, 1
        self.at += 1
        while depth or self.said not in {",", ";"}:
            said = self.said
            depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(said, 0)
            outer += said == "," and depth == 1
            if self.named(said) in self.program.functions and said not in self.kernels:
                self.program.pointed.add(self.named(said))
            self.at += 1
        return outer

    def in_body(self) -> None:
        """Read a statement of a body."""
        said = self.said
        if said == "{":
            self.at += 1
            self.begin()
        elif said == "}":
            self.at += 1
            self.scopes.pop()
        elif self.kind == DOTTED:
            self.directive()
        elif self.matches[self.at + 1][0].strip() == ":":
            self.label()
        else:
            self.instruction()

    def directive(self) -> None:
        """Read a directive of a body."""
        said = self.next()
        if said == ".reg":
            self.registers()
        elif said in SPACES:
            for one in self.variables(said[1:]):
                self.scopes[-1].variables[one.name] = one
                if said in {".local", ".param"}:
                    self.function.locals.append(one)
        elif said == ".loc":
            file, line = self.files + int(self.next()), int(self.next())
            self.at += 1
            self.source = (file, line) if line else None
            while self.said == ",":
                self.inlined()
        else:  # .pragma
            while self.next() != ";":
                pass

    def inlined(self) -> None:
        """Skip the inlining information of a line."""
        self.at += 1
        if self.next() == "inlined_at":
            self.at += 3
            return
        self.at += 1
        if self.said == "+":
            self.at += 2

    def registers(self) -> None:
        """Read declarations of registers."""
        type_, vector = "", False
        while self.kind == DOTTED:
            said = self.next()
            if said == ".align":
                self.at += 1
            elif said in LANES:
                vector = True
            else:
                type_ = said[1:]
        scope = self.scopes[-1]
        while True:
            name = self.next()
            if self.said == "<":
                scope.numbered[name] = "" if vector else type_
                self.at += 3
            else:
                scope.registers[name] = Unknown(name) if vector else self.register(type_)
            if self.next() == ";":
                return

    def register(self, type_: str) -> Register:
        """Return a new register."""
        self.function.registers += 1
        return Register(self.function.registers - 1, type_)

    def label(self) -> None:
        """Read a label, or a list of targets."""
        name, scope = self.next(), self.scopes[-1].number
        self.at += 1
        body = self.function.body
        assert body is not None
        if self.said not in LISTS:
            self.function.labels[name, scope] = len(body)
            return
        if self.next() == ".branchtargets":
            found = [Label(self.next(), scope)]
            while self.next() == ",":
                found.append(Label(self.next(), scope))
            self.function.targets[name, scope] = found
            return
        while self.next() != ";":
            pass

    def instruction(self) -> None:
        """Read an instruction."""
        first = self.at
        guard: Register | Not | None = None
        if self.said == "@":
            self.at += 1
            guard = predicate(self)
        name, modifiers = self.next(), []
        while self.kind == DOTTED:
            modifiers.append(self.next())
        found: tuple[Operand, ...] = operands(self, name) if self.said != ";" else ()
        if HINT in modifiers and ".bulk" not in modifiers:
            modifiers.remove(HINT)
            found = found[:-1]
        elif name == "createpolicy":
            name, modifiers, found = "mov", [".b64"], (found[0], NO_POLICY)
        match, end = self.matches[first], self.matches[self.at]
        text = " ".join(self.text[match.start(match.lastgroup or END) : end.end()].split())
        self.at += 1
        body = self.function.body
        assert body is not None
        body.append(Instruction(name, tuple(modifiers), found, guard, self.line(first), self.source, text))
