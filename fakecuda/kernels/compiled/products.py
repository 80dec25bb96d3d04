"""Products of matrices as functions of LLVM IR, with the sums of :mod:`fakecuda.kernels.products`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, evolve, field, frozen

from fakecuda.kernels.compiled import floats, formats, rounding
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.floats import F32, F64, NEAREST, ZERO
from fakecuda.kernels.products import CUT, FORMATS, LEAST, MOST, NOWHERE, WORD
from fakecuda.kernels.row import bits_of, is_signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.fragments import Fragment
    from fakecuda.kernels.products import Product

BYTE, SHIFT = 8, 5
"""The bits of a byte, and the shift of a word's offset in tables."""
TOP = 63
"""The highest bit of a word, far above the bits of a sum."""
INFINITE = F32.infinity


@frozen
class Cell:
    """An element of the result: row, column, and the index of its sum."""

    row: str
    column: str
    step: int = 0


@define(eq=False)
class Routine:
    """The function of a matrix product, while it is being written.

    Attributes:
        product: The product.
        tables: The names of the tables of its fragments.
        o: Its lines.
        head: What stands before them.
    """

    product: Product
    tables: dict[str, str]
    o: Lines = field(factory=Lines)
    head: list[str] = field(factory=list)

    def variable(self, type_: str, count: int = 1) -> str:
        """Return a new variable, or an array of several."""
        place = self.o.new("%x")
        self.head.append(f"  {place} = alloca [{count} x {type_}]")
        return place

    def each(self, count: int, act: Callable[[str], None]) -> None:
        """Write a loop that counts from 0."""
        o, place, loop, over = self.o, self.variable("i32"), self.o.new("L"), self.o.new("L")
        o.do(f"store i32 0, ptr {place}")
        o.do(f"br label %{loop}")
        o.label(loop)
        act(o(f"load i32, ptr {place}"))
        more = o(f"add i32 {o(f'load i32, ptr {place}')}, 1")
        o.do(f"store i32 {more}, ptr {place}")
        o.do(f"br i1 {o(f'icmp eq i32 {more}, {count}')}, label %{over}, label %{loop}")
        o.label(over)

    def get(self, array: str, type_: str, number: str) -> str:
        """Return an element of an array."""
        return self.o(f"load {type_}, ptr {self.o(f'getelementptr {type_}, ptr {array}, i32 {number}')}")

    def put(self, array: str, type_: str, number: str, value: str) -> None:
        """Write an element of an array."""
        self.o.do(f"store {type_} {value}, ptr {self.o(f'getelementptr {type_}, ptr {array}, i32 {number}')}")

    def folded(self, type_: str, begin: str, act: Callable[[str, str, str], str], cell: Cell) -> str:
        """Return a fold of a function over the factor pairs of a sum."""
        o, product, total = self.o, self.product, self.variable(type_)
        steps, run = product.way.steps, product.way.run or product.depth
        o.do(f"store {type_} {begin}, ptr {total}")
        first = o(f"mul i32 {cell.row}, {product.depth}")

        def add(number: str) -> None:
            if steps > 1:
                block, rest = (o(f"{how} i32 {number}, {run}") for how in ("udiv", "urem"))
                number = o(f"add i32 {o(f'mul i32 {block}, {run * steps}')}, {o(f'add i32 {rest}, {run * cell.step}')}")
            along, down = o(f"add i32 {first}, {number}"), o(f"mul i32 {number}, {product.columns}")
            value = act(o(f"load {type_}, ptr {total}"), along, o(f"add i32 {down}, {cell.column}"))
            o.do(f"store {type_} {value}, ptr {total}")

        self.each(product.depth // steps, add)
        return o(f"load {type_}, ptr {total}")

    def place(self, use: str, number: str) -> tuple[str, str]:
        """Return the place of a fragment's element, and its lowest bit there."""
        o = self.o
        found = self.get(self.tables[use], "i32", number)
        place = o(f"getelementptr i8, ptr %warp, i32 {o(f'lshr i32 {found}, {SHIFT}')}")
        return place, o(f"and i32 {found}, {WORD - 1}")

    def raw(self, use: str, number: str) -> str:
        """Return the bits of an element."""
        bits = bits_of(getattr(self.product, use).type)
        place, start = self.place(use, number)
        value = self.o(f"load i{max(bits, WORD)}, ptr {place}, align 4")
        return value if bits >= WORD else self.o.resize(self.o(f"lshr i32 {value}, {start}"), WORD, bits)

    def read(self, use: str, types: tuple[str, ...], parts: Callable[[str], tuple[str, ...]]) -> list[str]:
        """Write the reading of a fragment's elements into arrays; return the arrays."""
        count = len(getattr(self.product, use).places)
        arrays = [self.variable(type_, count) for type_ in types]

        def each(number: str) -> None:
            for array, type_, part in zip(arrays, types, parts(self.raw(use, number)), strict=True):
                self.put(array, type_, number, part)

        self.each(count, each)
        return arrays

    def write(self, act: Callable[[str, Cell], str]) -> None:
        """Write the elements of the result."""
        o, bits = self.o, bits_of(self.product.d.type)

        def each(number: str) -> None:
            row, column = (o(f"{how} i32 {number}, {self.product.columns}") for how in ("udiv", "urem"))
            value = act(number, Cell(row, column))
            place, start = self.place("d", number)
            if bits < WORD:
                place = o(f"getelementptr i8, ptr {place}, i32 {o(f'lshr i32 {start}, 3')}")
            o.do(f"store i{bits} {value}, ptr {place}, align {min(bits, WORD) // BYTE}")

        self.each(self.product.rows * self.product.columns, each)

    def finish(self) -> None:
        """Write the end of the product."""
        type_ = self.product.a.type
        write = _integers if type_ not in FORMATS else _doubles if type_ == "f64" else _floats
        write(self)


def table(name: str, fragment: Fragment, start: int, stride: int) -> str:
    """Return the array of element places of a fragment.

    Args:
        name: Its name.
        fragment: The fragment.
        start: The offset of its first register in a thread.
        stride: Bytes of a thread.
    """
    size = fragment.width // BYTE
    places = [
        stride * lane + start + size * register + bit // WORD * (WORD // BYTE) << SHIFT | bit % WORD
        for lane, register, bit in fragment.places
    ]
    return f"{name} = internal constant [{len(places)} x i32] [{', '.join(f'i32 {one}' for one in places)}]"


def _integers(made: Routine) -> None:
    """Write a product of integers, or of single bits."""
    o, product = made.o, made.product

    def wide(use: str) -> str:
        type_ = getattr(product, use).type
        bits, negative = bits_of(type_), is_signed(type_)
        return made.read(use, ("i32",), lambda value: (o.resize(value, bits, WORD, negative=negative),))[0]

    a, b, c = map(wide, "abc")

    def add(before: str, along: str, across: str) -> str:
        one, other = made.get(a, "i32", along), made.get(b, "i32", across)
        if product.logic:
            both = o(f"{product.logic} i32 {one}, {other}")
            found = o.call("i32", "llvm.ctpop.i32", f"i32 {both}")
        else:
            found = o(f"mul i32 {one}, {other}")
        return o(f"add i64 {before}, {o(f'sext i32 {found} to i64')}")

    def total(number: str, cell: Cell) -> str:
        found = made.folded("i64", o(f"sext i32 {made.get(c, 'i32', number)} to i64"), add, cell)
        if product.saturates:
            found = o.call("i64", "llvm.smax.i64", f"i64 {found}", f"i64 {LEAST}")
            found = o.call("i64", "llvm.smin.i64", f"i64 {found}", f"i64 {MOST}")
        return o(f"trunc i64 {found} to i32")

    made.write(total)


def _doubles(made: Routine) -> None:
    """Write a product of doubles."""
    o = made.o
    a, b, c = (made.read(use, ("i64",), lambda value: (value,))[0] for use in "abc")

    def add(before: str, along: str, across: str) -> str:
        given = made.get(a, "i64", along), made.get(b, "i64", across), before
        values = [f"double {formats.value(o, one, F64)}" for one in given]
        return formats.finished(o, o.call("double", "llvm.fma.f64", *values), F64, given[1], given[2], given[0])

    made.write(lambda number, cell: made.folded("i64", made.get(c, "i64", number), add, cell))


def _parts(o: Lines, type_: str, value: str, odd: str, *, widens: bool = False) -> tuple[str, str, str]:
    """Return the parts of a value, as :func:`fakecuda.kernels.products.addend` does.

    Args:
        o: The lines.
        type_: Its type.
        value: Its bits.
        odd: Where a byte says whether a value is infinite or NaN.
        widens: Whether its first bit is that of a longer format, in which it is not subnormal.
    """
    one, bits = FORMATS[type_], bits_of(type_)
    wide = o.resize(value, bits, WORD)
    if type_ == "tf32":
        wide = o(f"lshr i32 {wide}, {CUT}")
    size = o(f"and i32 {wide}, {one.sign - 1}")
    negative = o(f"icmp ne i32 {size}, {wide}")
    rest = o(f"and i32 {wide}, {(1 << one.fraction) - 1}")
    exponent = o(f"lshr i32 {size}, {one.fraction}")
    subnormal = o(f"icmp eq i32 {exponent}, 0")
    first = o.choose(subnormal, "i32", 0, 1 << one.fraction)
    none = o(f"icmp eq i32 {size}, 0")
    strange = o(f"icmp ugt i32 {size}, {one.last - one.infinite}")
    whole = o.choose(strange, "i32", 0, o(f"or i32 {rest}, {first}"))
    place = o(f"add i32 {o.choose(subnormal, 'i32', 1, exponent)}, {one.least + one.fraction - 1}")
    if widens:
        zeros = o.call("i32", "llvm.ctlz.i32", f"i32 {whole}", "i1 false")
        more = o.choose(subnormal, "i32", o(f"sub i32 {zeros}, {WORD - 1 - one.fraction}"), 0)
        whole, place = o(f"shl i32 {whole}, {o(f'and i32 {more}, {WORD - 1}')}"), o(f"sub i32 {place}, {more}")
    place = o.choose(o(f"or i1 {none}, {strange}"), "i32", NOWHERE, place)
    minus = o(f"sub i32 0, {whole}")
    nan = o(f"icmp ugt i32 {size}, {one.last}")
    kind = o.choose(nan, "i32", F32.nan, o.choose(strange, "i32", INFINITE, o.choose(none, "i32", 0, F32.one)))
    kind = o(f"or i32 {kind}, {o.choose(negative, 'i32', F32.sign, 0)}")
    before, more = o(f"load i8, ptr {odd}"), o(f"zext i1 {strange} to i8")
    o.do(f"store i8 {o(f'or i8 {before}, {more}')}, ptr {odd}")
    return o.choose(negative, "i32", minus, whole), place, o(f"bitcast i32 {kind} to float")


def _shifted(o: Lines, whole: str, place: str, most: str, by: int) -> str:
    """Return a shifted 64-bit addend without the dropped bits."""
    negative = o(f"icmp slt i64 {whole}, 0")
    size = o.choose(negative, "i64", o(f"sub i64 0, {whole}"), whole)
    far = o(f"sub i32 {most}, {place}")
    if by >= 0:
        size = o(f"shl i64 {size}, {by}")
    else:
        far = o(f"add i32 {far}, {-by}")
    far = o.call("i32", "llvm.smin.i32", f"i32 {far}", f"i32 {TOP}")
    size = o(f"lshr i64 {size}, {o.resize(far, WORD, 64)}")
    return o.choose(negative, "i64", o(f"sub i64 0, {size}"), size)


@define(eq=False)
class Sum:
    """The sums of floating-point products.

    Attributes:
        made: The function.
        odd: Where a byte says whether a value is infinite or NaN.
        a: The wholes, the places and the kinds of the first factors.
        b: Those of the second ones.
    """

    made: Routine
    odd: str
    a: list[str]
    b: list[str]

    @property
    def one(self) -> Format:
        """The value 1 in the format of sums."""
        return FORMATS[self.made.product.sum]

    def place(self, along: str, across: str) -> str:
        """Return the bit position of the product."""
        a, b = self.made.get(self.a[1], "i32", along), self.made.get(self.b[1], "i32", across)
        return self.made.o(f"add i32 {a}, {b}")

    def most(self, before: str, along: str, across: str) -> str:
        """Return the highest bit position."""
        return self.made.o.call("i32", "llvm.smax.i32", f"i32 {before}", f"i32 {self.place(along, across)}")

    def kind(self, before: str, along: str, across: str) -> str:
        """Return the kind of the sum: finite, infinite or NaN."""
        made, o = self.made, self.made.o
        found = o(f"fmul float {made.get(self.a[2], 'float', along)}, {made.get(self.b[2], 'float', across)}")
        return o(f"fadd float {before}, {found}")

    def fused(self, begin: str, cell: Cell) -> str:
        """Return the bits of the addend plus the products."""
        made, o, product, one = self.made, self.made.o, self.made.product, self.one
        kept = product.way.kept
        whole, place, nature = _parts(o, product.sum, begin, self.odd)
        top = made.folded("i32", place, self.most, cell)
        low = kept - FORMATS[product.a.type].fraction - FORMATS[product.b.type].fraction

        def add(before: str, along: str, across: str) -> str:
            a, b = made.get(self.a[0], "i32", along), made.get(self.b[0], "i32", across)
            found = o(f"mul i64 {o(f'sext i32 {a} to i64')}, {o(f'sext i32 {b} to i64')}")
            return o(f"add i64 {before}, {_shifted(o, found, self.place(along, across), top, low)}")

        first = _shifted(o, o(f"sext i32 {whole} to i64"), place, top, kept - one.fraction)
        total = made.folded("i64", first, add, cell)
        found, of = made.variable(f"i{one.bits}"), f"i{one.bits}"
        o.do(f"store {of} {_rounded(o, total, top, one, kept)}, ptr {found}")
        some, over, strange = o.new("K"), o.new("K"), o(f"load i8, ptr {self.odd}")
        o.do(f"br i1 {o(f'icmp ne i8 {strange}, 0')}, label %{some}, label %{over}")
        o.label(some)
        bits = formats.bits_of(o, made.folded("float", nature, self.kind, cell), F32)
        size = formats.magnitude(o, bits, F32)
        infinite = o.choose(o(f"icmp slt i32 {bits}, 0"), of, one.sign | one.infinity, one.infinity)
        odd = o.choose(o(f"icmp ugt i32 {size}, {INFINITE}"), of, one.nan, infinite)
        before = o(f"load {of}, ptr {found}")
        o.do(f"store {of} {o.choose(o(f'icmp ult i32 {size}, {INFINITE}'), of, before, odd)}, ptr {found}")
        o.do(f"br label %{over}")
        o.label(over)
        return o(f"load {of}, ptr {found}")


def _floats(made: Routine) -> None:
    """Write a product of floating-point values."""
    o, product, odd = made.o, made.product, made.variable("i8")
    o.do(f"store i8 0, ptr {odd}")

    def factor(use: str) -> list[str]:
        type_ = getattr(product, use).type
        widens = product.way.widens and type_ == "e4m3"
        return made.read(use, ("i32", "i32", "float"), lambda value: _parts(o, type_, value, odd, widens=widens))

    sums = Sum(made, odd, factor("a"), factor("b"))
    one, result, more = sums.one, FORMATS[product.d.type], FORMATS[product.c.type]

    def total(number: str, cell: Cell) -> str:
        added = made.raw("c", number)
        if more is not one:
            added = formats.bits_of(o, rounding.single(o, added, more), one)
        found = "0" if product.way.apart else added
        for step in range(product.way.steps):
            found = sums.fused(found, evolve(cell, step=step))
        if product.way.apart:
            found = floats.total(one)(o, found, added)
        if result is not one:
            double = o(f"bitcast double {rounding.widened(o, found, one)} to i64")
            short = rounding.narrowed(o, double, result, NEAREST)
            found = o.choose(formats.is_nan(o, found, one), f"i{result.bits}", result.nan, short)
        return found

    made.write(total)


def _rounded(o: Lines, whole: str, place: str, one: Format, kept: int) -> str:
    """Return the bits of a rounded sum."""
    negative = o(f"icmp slt i64 {whole}, 0")
    size = o.choose(negative, "i64", o(f"sub i64 0, {whole}"), whole)
    none = o(f"icmp eq i64 {size}, 0")
    zeros = o.call("i64", "llvm.ctlz.i64", f"i64 {o.choose(none, 'i64', 1, size)}", "i1 true")
    above = o(f"sub i64 {o.resize(place, WORD, 64, negative=True)}, {zeros}")
    above = o(f"add i64 {above}, {TOP - kept - one.least - one.fraction}")
    mode = ZERO if one is F32 else NEAREST
    whole = o(f"shl i64 {size}, {o(f'sub i64 {zeros}, {TOP - F64.fraction}')}")
    if kept < one.fraction:
        whole = o(f"and i64 {whole}, {-1 << F64.fraction - kept}")
    found = rounding.packed(o, negative, whole, above, one, mode, F64.fraction)
    beyond = o(f"icmp sge i64 {above}, {(one.infinity >> one.fraction) - 1}")
    infinite = o.choose(negative, f"i{one.bits}", one.sign | one.infinity, one.infinity)
    found = o.choose(beyond, f"i{one.bits}", infinite, found)
    zero = o(f"icmp eq i{one.bits} {formats.magnitude(o, found, one)}, 0")
    return o.choose(o(f"or i1 {none}, {zero}"), f"i{one.bits}", 0, found)


def function(product: Product, name: str, start: int, stride: int) -> tuple[str, set[str]]:
    """Return the function of a warp's product, and its declarations.

    Args:
        product: The product.
        name: The function's name.
        start: The offset of the registers that a thread keeps: those of the factors and of what is added, one after another. The
            result goes to the first.
        stride: Bytes of a thread.
    """
    made, text, at = Routine(product, {use: f"@{name}.{use}" for use in "abcd"}), [], start
    for use, named in made.tables.items():
        fragment: Fragment = getattr(product, use)
        text.append(table(named, fragment, start if use == "d" else at, stride))
        at += len(fragment.held) * fragment.width // BYTE
    made.finish()
    lines = "\n".join(made.head + made.o.text)
    text.append(f"define internal void @{name}(ptr %warp) noinline {{\nentry:\n{lines}\n  ret void\n}}")
    return "\n".join(text), made.o.declared
