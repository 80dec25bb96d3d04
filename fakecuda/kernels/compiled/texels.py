"""What textures return, as a function of LLVM IR with the order of :mod:`fakecuda.kernels.sampling`, for the most common objects.

A launch lists the objects that it has used. The function returns 0 for other objects and places, and Python reads those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.addressing import CLAMP, FRACTION, MIRROR, WRAP
from fakecuda.kernels.compiled.layout import PART, Launch
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.compiled.listed import GEOMETRIES, TYPES, WORDS, Texture
from fakecuda.kernels.filtering import BIAS, EXPONENT, GUARD, HIDDEN, MANTISSA, ONE, POINT, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable


FAR = float(1 << 31)
"""The coordinate from which Python reads the texel."""


def _call(o: Lines, name: str, of: str, *values: str) -> str:
    """Call an intrinsic function of doubles."""
    return o.call("double", f"llvm.{name}.f64", *[f"{of} {one}" for one in values])


def _double(value: float) -> str:
    return f"{value:.17e}"


def _reached() -> str:
    """Return the function that finds a texel index; -1 beyond a border."""
    o = Lines()
    o.do(f"br i1 {o('icmp ult i64 %at, %side')}, label %inside, label %beyond")
    o.label("inside")
    o.do("ret i64 %at")
    o.label("beyond")
    last = o("sub i64 %side, 1")
    nearest = o.choose(o("icmp slt i64 %at, 0"), "i64", 0, last)
    twice = o("shl i64 %side, 1")

    def rest(side: str) -> str:
        found = o(f"srem i64 %at, {side}")
        return o.choose(o(f"icmp slt i64 {found}, 0"), "i64", o(f"add i64 {found}, {side}"), found)

    around = rest("%side")
    back = rest(twice)
    mirrored = o(f"sub i64 {o(f'sub i64 {twice}, 1')}, {back}")
    mirrored = o.choose(o(f"icmp ult i64 {back}, {mirrored}"), "i64", back, mirrored)
    found = o.choose(o(f"icmp eq i64 %mode, {MIRROR}"), "i64", mirrored, -1)
    for mode, value in ((WRAP, around), (CLAMP, nearest)):
        found = o.choose(o(f"icmp eq i64 %mode, {mode}"), "i64", value, found)
    o.do(f"ret i64 {found}")
    return "\n".join(
        ["define internal i64 @texel.reached(i64 %at, i64 %side, i64 %mode) {", "entry:", *o.text, "}", ""]
    )


def _axis() -> tuple[str, set[str]]:
    """Return the function that writes two texels and a weight; False if they are far."""
    o = Lines()
    value = o(f"fpext float {o('bitcast i32 %bits to float')} to double")
    fixed = _call(o, "floor", "double", o(f"fmul double {value}, {_double(1 << FRACTION)}"))
    scaled = o(f"fmul double {fixed}, {o('sitofp i64 %side to double')}")
    scaled = o(f"fmul double {scaled}, {_double(1 / (1 << FRACTION))}")
    place = o.choose(o("icmp ne i64 %scaled, 0"), "double", scaled, value)
    near = o(f"fcmp olt double {_call(o, 'fabs', 'double', place)}, {_double(FAR)}")
    o.do(f"br i1 {near}, label %known, label %far")
    o.label("far")
    o.do("ret i1 false")
    o.label("known")
    fixed = o(f"fsub double {o(f'fmul double {place}, {_double(1 << WEIGHT)}')}, {_double((1 << WEIGHT) / 2 - 0.5)}")
    linear = o("icmp ne i64 %linear, 0")
    floored = _call(o, "floor", "double", o.choose(linear, "double", fixed, place))
    number = o(f"fptosi double {floored} to i64")
    first = o.choose(linear, "i64", o(f"ashr i64 {number}, {WEIGHT}"), number)
    rest = o.choose(linear, "i64", o(f"and i64 {number}, {(1 << WEIGHT) - 1}"), 0)
    ends = [o(f"call i64 @texel.reached(i64 {at}, i64 %side, i64 %mode)") for at in (first, o(f"add i64 {first}, 1"))]
    for at, name in zip(ends, _PARTS, strict=False):
        o.do(f"store i64 {at}, ptr %{name}, align 8")
    share = o.choose(o(f"icmp eq i64 {ends[0]}, {ends[1]}"), "i64", 0, rest)
    o.do(f"store i64 {share}, ptr %share, align 8")
    o.do("ret i1 true")
    head = "i32 %bits, i64 %side, i64 %mode, i64 %linear, i64 %scaled, ptr %first, ptr %second, ptr %share"
    return "\n".join([f"define internal i1 @texel.axis({head}) {{", "entry:", *o.text, "}", ""]), o.declared


def _word() -> str:
    """Return the function that reads a component of a texel and marks the texel."""
    o = Lines()
    size, data, marks, dirty, skip, component, largest = (
        _field(o, one)
        for one in (
            Texture.SIZE,
            Texture.DATA,
            Texture.MARKS,
            Texture.DIRTY,
            Texture.SKIP,
            Texture.COMPONENT,
            Texture.LARGEST,
        )
    )
    begin = o(f"add i64 {data}, %offset")
    mark = o(f"inttoptr i64 {o(f'add i64 {begin}, {marks}')} to ptr")
    o.do(f"br i1 {o(f'icmp eq i64 {size}, 4')}, label %most, label %rest")  # a call of memset takes longer
    o.label("most")
    o.do(f"store i32 {0x01010101}, ptr {mark}, align 4")
    o.do("br label %marked")
    o.label("rest")
    o.do(f"call void @llvm.memset.p0.i64(ptr {mark}, i8 1, i64 {size}, i1 false)")
    o.do("br label %marked")
    o.label("marked")
    part = o(f"lshr i64 {o(f'add i64 {skip}, %offset')}, {PART}")
    flag = o(f"add i64 {dirty}, {part}")
    o.do(f"store i8 1, ptr {o(f'inttoptr i64 {flag} to ptr')}, align 1")
    at = o(f"add i64 {begin}, {o(f'mul i64 %channel, {component}')}")
    place = o(f"inttoptr i64 {at} to ptr")
    o.do(f"switch i64 {component}, label %four [ i64 1, label %one i64 2, label %two ]")
    o.label("four")
    o.do(f"ret i32 {o(f'load i32, ptr {place}, align 4')}")
    values = []
    for name, bits in (("one", 8), ("two", 16)):
        o.label(name)
        values.append(o(f"zext i{bits} {o(f'load i{bits}, ptr {place}, align 1')} to i32"))
        o.do("br label %small")
    o.label("small")
    value = o(f"phi i32 [ {values[0]}, %one ], [ {values[1]}, %two ]")
    o.do(f"br i1 {o(f'icmp eq i64 {largest}, 0')}, label %whole, label %part")
    o.label("whole")
    o.do(f"ret i32 {value}")
    o.label("part")
    share = o(f"fdiv double {o(f'uitofp i32 {value} to double')}, {o(f'uitofp i64 {largest} to double')}")
    rounded = o(f"fptrunc double {share} to float")
    o.do(f"ret i32 {o(f'bitcast float {rounded} to i32')}")
    head = "define internal i32 @texel.word(ptr %entry, i64 %offset, i64 %channel) {"
    return "\n".join([head, "begin:", *o.text, "}", ""])


def _field(o: Lines, number: Texture) -> str:
    """Return a word of the object at %entry."""
    return o(f"load i64, ptr {o(f'getelementptr i64, ptr %entry, i64 {int(number)}')}, align 8")


AXES = ("x", "y", "z")
_SIDES = (Texture.WIDTH, Texture.ROWS, Texture.SLICES)
_MODES = (Texture.MODE_X, Texture.MODE_Y, Texture.MODE_Z)
_PARTS = ("first", "second", "share")
_LAYERED = GEOMETRIES.index("a1d")


def _search(o: Lines) -> None:
    """Write the search for an object, which continues at ``found`` with %entry."""
    table, count = (
        o(f"load i64, ptr {o(f'getelementptr i64, ptr %launch, i64 {int(one)}')}, align 8")
        for one in (Launch.TEXTURES, Launch.LISTED)
    )
    base = o(f"inttoptr i64 {table} to ptr")
    handle = o(f"load i64, ptr {o('getelementptr i64, ptr %values, i64 1')}, align 8")
    o.do("br label %each")
    o.label("each")
    o.text.append("  %n = phi i64 [ 0, %begin ], [ %n.next, %other ]")
    o.do(f"br i1 {o(f'icmp eq i64 %n, {count}')}, label %no, label %look")
    o.label("look")
    o.text.append(f"  %entry = getelementptr i64, ptr {base}, i64 {o(f'mul i64 %n, {WORDS}')}")
    same = o(f"icmp eq i64 {o('load i64, ptr %entry, align 8')}, {handle}")
    o.do(f"br i1 {same}, label %found, label %other")
    o.label("other")
    o.text.append("  %n.next = add i64 %n, 1")
    o.do("br label %each")
    o.label("no")
    o.do("ret i1 false")
    o.label("found")


def _axes(o: Lines) -> None:
    """Write the texels of each dimension; missing dimensions have one texel."""
    linear, scaled = _field(o, Texture.LINEAR), _field(o, Texture.SCALED)
    layered = o(f"icmp uge i64 %geometry, {_LAYERED}")
    dimensions = o.choose(layered, "i64", o(f"sub i64 %geometry, {_LAYERED - 1}"), o("add i64 %geometry, 1"))
    start = o.choose(layered, "i64", 3, 2)
    for number, axis in enumerate(AXES):
        has, after = o.new("axis"), o.new("axis")
        o.do(f"store i64 0, ptr %{axis}.first, align 8")
        o.do(f"store i64 0, ptr %{axis}.share, align 8")
        o.do(f"br i1 {o(f'icmp ugt i64 {dimensions}, {number}')}, label %{has}, label %{after}")
        o.label(has)
        at = o(f"getelementptr i64, ptr %values, i64 {o(f'add i64 {start}, {number}')}")
        bits = o(f"trunc i64 {o(f'load i64, ptr {at}, align 8')} to i32")
        side, mode = _field(o, _SIDES[number]), _field(o, _MODES[number])
        places = ", ".join(f"ptr %{axis}.{one}" for one in _PARTS)
        given = f"i32 {bits}, i64 {side}, i64 {mode}, i64 {linear}, i64 {scaled}, {places}"
        o.do(f"br i1 {o(f'call i1 @texel.axis({given})')}, label %{after}, label %no")
        o.label(after)
    only, fine = o.new("layer"), o.new("layer")
    o.do(f"br i1 {layered}, label %{only}, label %{fine}")
    o.label(only)
    layer = o(f"load i64, ptr {o('getelementptr i64, ptr %values, i64 2')}, align 8")
    o.do(f"store i64 {layer}, ptr %z.first, align 8")
    o.do(f"br i1 {o(f'icmp ult i64 {layer}, {_field(o, Texture.SLICES)}')}, label %{fine}, label %no")
    o.label(fine)


def _component(o: Lines, places: tuple[str, ...], channel: int) -> str:
    """Return a component of a texel or of the border."""
    x, y, z = (o(f"load i64, ptr %{axis}.{place}, align 8") for axis, place in zip(AXES, places, strict=True))
    inside, border, after = o.new("in"), o.new("out"), o.new("after")
    beyond = o(f"or i64 {x}, {o(f'or i64 {y}, {z}')}")
    o.do(f"br i1 {o(f'icmp slt i64 {beyond}, 0')}, label %{border}, label %{inside}")
    o.label(inside)
    offset = o(f"mul i64 {x}, {_field(o, Texture.SIZE)}")
    for at, bytes_ in ((y, Texture.ROW), (z, Texture.SLICE)):
        offset = o(f"add i64 {offset}, {o(f'mul i64 {at}, {_field(o, bytes_)}')}")
    word = o(f"call i32 @texel.word(ptr %entry, i64 {offset}, i64 {channel})")
    o.do(f"br label %{after}")
    o.label(border)
    at = o(f"getelementptr i64, ptr %entry, i64 {Texture.EDGE + channel}")
    edge = o(f"trunc i64 {o(f'load i64, ptr {at}, align 8')} to i32")
    o.do(f"br label %{after}")
    o.label(after)
    return o(f"phi i32 [ {word}, %{inside} ], [ {edge}, %{border} ]")


def _put(o: Lines, channel: int, word: str) -> None:
    """Write a result without overwriting words that are still to be read."""
    o.do(f"store i32 {word}, ptr {o(f'getelementptr i32, ptr %results, i64 {channel}')}, align 4")


def _weights(o: Lines) -> None:
    """Write the weights of 8 texels."""
    x, y, z = (o(f"load i64, ptr %{axis}.share, align 8") for axis in AXES)

    def part(weight: str, share: str, half: int) -> str:
        product = o(f"mul i64 {weight}, {share}")
        return o(f"lshr i64 {o(f'add i64 {product}, {half}')}, {WEIGHT}")

    for number, whole in enumerate((o(f"sub i64 {ONE}, {z}"), z)):
        after = part(whole, x, ONE // 2)
        before = o(f"sub i64 {whole}, {after}")
        low, high = part(before, y, ONE // 2 - 1), part(after, y, ONE // 2)
        given = o(f"sub i64 {before}, {low}"), o(f"sub i64 {after}, {high}"), low, high
        for at, weight in enumerate(given):
            o.do(f"store i64 {weight}, ptr {_tap(o, 'weights', 4 * number + at)}, align 8")


def _tap(o: Lines, name: str, at: int) -> str:
    """Return the place of a texel's number."""
    return o(f"getelementptr i64, ptr %{name}, i64 {at}")


def _exponent(o: Lines, word: str) -> str:
    """Return the exponent of an ``f32``; subnormals use the smallest normal one."""
    found = o(f"and i64 {o(f'lshr i64 {word}, {POINT}')}, {EXPONENT}")
    return o.choose(o(f"icmp eq i64 {found}, 0"), "i64", 1, found)


def _slice(o: Lines, channel: int, z: int) -> tuple[str, str]:
    """Return the largest exponent of a slice's texels, and their weighted sum."""
    o.do("store i64 1, ptr %largest, align 8")
    taps = [(4 * z + 2 * y + x, (_PARTS[x], _PARTS[y], _PARTS[z])) for y in (0, 1) for x in (0, 1)]
    for at, places in taps:
        act, fine, after = o.new("tap"), o.new("tap"), o.new("tap")
        place = _tap(o, "words", at)
        o.do(f"store i64 0, ptr {place}, align 8")
        weight = o(f"load i64, ptr {_tap(o, 'weights', at)}, align 8")
        o.do(f"br i1 {o(f'icmp ne i64 {weight}, 0')}, label %{act}, label %{after}")
        o.label(act)
        word = o(f"zext i32 {_component(o, places, channel)} to i64")
        o.do(f"store i64 {word}, ptr {place}, align 8")
        exponent, most = _exponent(o, word), o("load i64, ptr %largest, align 8")
        o.do(
            f"store i64 {o.choose(o(f'icmp ugt i64 {exponent}, {most}'), 'i64', exponent, most)}, ptr %largest, align 8"
        )
        o.do(f"br i1 {o(f'icmp ne i64 {exponent}, {EXPONENT}')}, label %{fine}, label %no")
        o.label(fine)
        o.do(f"br label %{after}")
        o.label(after)
    largest, total = o("load i64, ptr %largest, align 8"), "0"
    for at, _ in taps:
        word = o(f"load i64, ptr {_tap(o, 'words', at)}, align 8")
        weight = o(f"load i64, ptr {_tap(o, 'weights', at)}, align 8")
        normal = o(f"icmp ne i64 {o(f'and i64 {word}, {EXPONENT << POINT}')}, 0")
        mantissa = o(f"or i64 {o(f'and i64 {word}, {MANTISSA}')}, {o.choose(normal, 'i64', HIDDEN, 0)}")
        cut = _cut(o, o(f"shl i64 {mantissa}, {GUARD}"), o(f"sub i64 {largest}, {_exponent(o, word)}"))
        minus = o(f"icmp uge i64 {word}, {1 << 31}")
        signed = o.choose(minus, "i64", o(f"sub i64 0, {cut}"), cut)
        total = o(f"add i64 {total}, {o(f'mul i64 {weight}, {signed}')}")
    return largest, total


def _cut(o: Lines, value: str, count: str) -> str:
    """Return a number without its lower bits."""
    return o(f"lshr i64 {value}, {o.choose(o(f'icmp ult i64 {count}, 63'), 'i64', count, 63)}")


def _size(o: Lines, value: str) -> tuple[str, str]:
    """Return the sign and the magnitude of a number."""
    minus = o(f"icmp slt i64 {value}, 0")
    return minus, o.choose(minus, "i64", o(f"sub i64 0, {value}"), value)


def _sum(o: Lines, channel: int) -> None:
    """Write the weighted sum of a component."""
    (one, first), (other, second) = (_slice(o, channel, z) for z in (0, 1))
    largest = o.choose(o(f"icmp ugt i64 {one}, {other}"), "i64", one, other)
    total = "0"
    for exponent, value in ((one, first), (other, second)):
        minus, size = _size(o, value)
        cut = _cut(o, size, o(f"sub i64 {largest}, {exponent}"))
        total = o(f"add i64 {total}, {o.choose(minus, 'i64', o(f'sub i64 0, {cut}'), cut)}")
    minus, size = _size(o, total)
    over = o(f"sub i64 {64 - POINT - 1}, {o.call('i64', 'llvm.ctlz.i64', f'i64 {size}', 'i1 false')}")
    over = o.choose(o(f"icmp sgt i64 {over}, 0"), "i64", over, 0)
    half = o(f"lshr i64 {o(f'shl i64 1, {over}')}, 1")
    size = o(f"lshr i64 {o(f'add i64 {size}, {half}')}, {over}")
    size = o(f"shl i64 {size}, {over}")
    scale = o(f"shl i64 {o(f'add i64 {largest}, {1023 - BIAS - POINT - GUARD - WEIGHT}')}, 52")
    value = o(f"fmul double {o(f'uitofp i64 {size} to double')}, {o(f'bitcast i64 {scale} to double')}")
    value = o.choose(minus, "double", o(f"fneg double {value}"), value)
    _put(o, channel, o(f"bitcast float {o(f'fptrunc double {value} to float')} to i32"))


def functions() -> tuple[str, set[str]]:
    """Return the functions and their declarations."""
    o = Lines()
    for axis in AXES:
        o.text += [f"  %{axis}.{part} = alloca i64, align 8" for part in _PARTS]
    o.text += [f"  %{name} = alloca [8 x i64], align 16" for name in ("weights", "words")]
    o.text += ["  %largest = alloca i64, align 8", "  %results = alloca [4 x i32], align 16"]
    o.do("call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 16, i1 false)")
    _search(o)
    type_, channels = _field(o, Texture.TYPE), _field(o, Texture.CHANNELS)
    fits = o(f"icmp eq i64 {type_}, %type")
    for more in (f"icmp eq i64 {_field(o, Texture.GEOMETRY)}, %geometry", f"icmp ule i64 %wanted, {channels}"):
        fits = o(f"and i1 {fits}, {o(more)}")
    o.do(f"br i1 {fits}, label %suits, label %no")
    o.label("suits")
    _axes(o)
    shares = [o(f"load i64, ptr %{axis}.share, align 8") for axis in AXES]
    several = o(f"or i64 {o(f'or i64 {shares[0]}, {shares[1]}')}, {shares[2]}")
    o.do(f"br i1 {o(f'icmp ne i64 {several}, 0')}, label %filter, label %single")
    for kind in ("single", "filter"):
        o.label(kind)
        if kind == "filter":
            _weights(o)
            words = o(f"icmp eq i64 {_field(o, Texture.LARGEST)}, 0")  # Python filters bytes
            floats = o(f"icmp eq i64 {type_}, 0")
            o.do(f"br i1 {o(f'and i1 {words}, {floats}')}, label %filter.0, label %no")
        else:
            o.do("br label %single.0")
        for channel in range(4):
            o.label(f"{kind}.{channel}")
            if kind == "filter":
                _sum(o, channel)
            else:
                _put(o, channel, _component(o, ("first",) * 3, channel))
            following = f"{kind}.{channel + 1}" if channel < 3 else "give"  # noqa: PLR2004 - the last of four
            o.do(f"br i1 {o(f'icmp ugt i64 %wanted, {channel + 1}')}, label %{following}, label %give")
    o.label("give")
    for channel in range(4):
        word = o(f"load i32, ptr {o(f'getelementptr i32, ptr %results, i64 {channel}')}, align 4")
        o.do(
            f"store i64 {o(f'zext i32 {word} to i64')}, ptr {o(f'getelementptr i64, ptr %values, i64 {channel}')}, align 8"
        )
    o.do("ret i1 true")
    head = "define internal i1 @texel(ptr %launch, ptr %values, i64 %geometry, i64 %type, i64 %wanted) noinline {"
    axis, declared = _axis()
    return "\n".join([_reached(), axis, _word(), head, "begin:", *o.text, "}"]), o.declared | declared


def call(geometry: str, type_: str, wanted: int) -> Callable[[str], str]:
    """Return code that calls the texel function with its argument words."""
    given = f"i64 {GEOMETRIES.index(geometry)}, i64 {TYPES.index(type_)}, i64 {max(wanted, 1)}"
    return lambda values: f"call i1 @texel(ptr %launch, ptr {values}, {given})"
