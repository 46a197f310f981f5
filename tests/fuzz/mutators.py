"""Mutations of a file's bytes. Which ones depends on the kind of the file, so that most results pass the
first parser. All randomness comes from the generator that is passed."""
import io
import re
import struct
import warnings
import zipfile

TOKEN = re.compile(r'"[^"\n]*"|[{}()\[\]]|[^\s{}()\[\]"]+')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
BRACKETS = '{}()[]"'
NUMBERS = ("0", "-0", "1", "-1", "2", "0.5", "1e-9", "-1e-30", "1e30", "-1e308", "1e999", "nan", "inf", "255",
           "256", "4096", "16384", "-16384", "16385", "65535", "65536", "2147483647", "-2147483648",
           "4294967295", "4294967296", "99999999999999999999", "0x10", "", "x", "1,5", "1 2")
WORDS = (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFF,
         0x10000000, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE,
         0xFFFFFFFF)
FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, -3e38, 65536.0, 1e9, float("inf"), float("-inf"), float("nan"))


# --- text ---
def change_number(rng, text, _):
    found = list(NUMBER.finditer(text))
    if not found:
        return insert_byte(rng, text, _)
    match = rng.choice(found)
    old = match.group()
    style = rng.random()
    if style < 0.5:
        new = rng.choice(NUMBERS)
    elif style < 0.8:
        new = "%.9g" % (float(old) + rng.choice((-1, 1)) * 10 ** rng.uniform(-5, 4))
    else:
        new = "%.9g" % (float(old) * rng.choice((-1, 0.001, 0.5, 2, 10, 1000, 1e6)))
    return text[:match.start()] + new + text[match.end():]


def tokens(rng, text):
    """Two tokens, the earlier one first."""
    found = list(TOKEN.finditer(text))
    if rng.random() < 0.9:
        found = [match for match in found if match.group() not in BRACKETS]
    if len(found) < 2:
        return None
    first = rng.randrange(len(found))
    second = rng.randrange(len(found)) if rng.random() < 0.5 else min(first + 1, len(found) - 1)
    return sorted((found[first], found[second]), key=lambda match: match.start())


def swap_tokens(rng, text, _):
    pair = tokens(rng, text)
    if not pair or pair[0].start() == pair[1].start():
        return text
    a, b = pair
    return text[:a.start()] + b.group() + text[a.end():b.start()] + a.group() + text[b.end():]


def replace_token(rng, text, other):
    a, b = tokens(rng, text), tokens(rng, other)
    if not a or not b:
        return text
    return text[:a[0].start()] + b[1].group() + text[a[0].end():]


def drop_token(rng, text, _):
    pair = tokens(rng, text)
    return text[:pair[0].start()] + text[pair[0].end():] if pair else text


def double_token(rng, text, _):
    pair = tokens(rng, text)
    if not pair:
        return text
    times = rng.choice((1, 1, 1, 2, 40, 3000))
    return text[:pair[0].end()] + (" " + pair[0].group()) * times + text[pair[0].end():]


def change_bracket(rng, text, _):
    at = [i for i, c in enumerate(text) if c in BRACKETS]
    if at and rng.random() < 0.6:
        i = rng.choice(at)
        return text[:i] + rng.choice(("", rng.choice(BRACKETS), text[i] * 2)) + text[i + 1:]
    i = rng.randrange(len(text) + 1)
    return text[:i] + rng.choice(BRACKETS) * rng.choice((1, 1, 2, 500)) + text[i:]


def lines_of(rng, lines):
    first = rng.randrange(len(lines))
    return first, min(len(lines), first + rng.choice((1, 1, 1, 2, 5, 20, 60)))


def change_lines(rng, text, other):
    lines, others = text.splitlines(True) or [""], other.splitlines(True) or [""]
    first, end = lines_of(rng, lines)
    style = rng.randrange(4)
    if style == 0:
        del lines[first:end]
    elif style == 1:
        lines[end:end] = lines[first:end] * rng.choice((1, 1, 3, 30))
    elif style == 2:
        at = rng.randrange(len(lines))
        lines[at:at] = lines[first:end]
    else:
        a, b = lines_of(rng, others)
        lines[first:end] = others[a:b]
    return "".join(lines)


def change_byte(rng, text, _):
    if not text:
        return text
    i = rng.randrange(len(text))
    return text[:i] + chr(rng.choice((0, 9, 10, 34, 92, 127, 128, 255, rng.randrange(256)))) + text[i + 1:]


def insert_byte(rng, text, _):
    i = rng.randrange(len(text) + 1)
    new = chr(rng.choice((0, 10, 34, 47, 92, rng.randrange(256))))
    return text[:i] + new * rng.choice((1, 1, 2, 300, 5000)) + text[i:]


def cut(rng, text, _):
    return text[:rng.randrange(len(text) + 1)]


def splice(rng, text, other):
    a, b = rng.randrange(len(text) + 1), rng.randrange(len(other) + 1)
    return text[:a] + other[b:]


TEXT = ([change_number] * 8 + [swap_tokens] * 3 + [replace_token] * 4 + [drop_token, double_token] +
        [change_lines] * 4 + [change_bracket, change_byte, insert_byte, cut, splice])


def balance(text):
    return [text.count(c) for c in "{}()[]"], text.count('"') % 2


def text_mutation(rng, data, other):
    """Seldom unbalances brackets and quotes, which a parser refuses before it reads on."""
    text, others = data.decode("latin-1"), other.decode("latin-1")
    (a, b, c, d, e, f), quotes = balance(text)
    for _ in range(rng.choice((1, 6, 6, 6, 6, 6))):
        new = rng.choice(TEXT)(rng, text, others)
        (g, h, i, j, k, m), odd = balance(new)
        if (g - h, i - j, k - m, odd) == (a - b, c - d, e - f, quotes):
            break
    return new.encode("latin-1")


# --- binary ---
def parts_of(data):
    """Ranges of the file that are equally worth a change: headers, directories and sections."""
    size = len(data)
    if data[:4] in (b"VBSP", b"IBSP") and size >= 1036:
        step, count = (16, 64) if data[:4] == b"VBSP" else (8, 17)
        parts = [(0, 8 + step * count)]
        for i in range(count):
            at, length = struct.unpack_from("<2I", data, 8 + step * i)
            if 0 < length <= size and at <= size - length:
                parts.append((at, at + length))
        return parts
    if data[:2] == b"PK" or b"PK\x01\x02" in data:
        heads = [m.start() for m in re.finditer(rb"PK(\x01\x02|\x03\x04|\x05\x06|\x06\x06|\x06\x07)", data)]
        return [(at, min(at + 64, size)) for at in heads] + [(0, size)]
    return [(0, min(96, size)), (0, min(512, size)), (0, size)]


def place(rng, data, width):
    first, end = rng.choice(parts_of(data))
    at = rng.randrange(first, max(first + 1, end))
    if width > 1 and rng.random() < 0.8:
        at -= (at - first) % width
    return max(0, min(at, len(data) - width))


def change_field(rng, data, _):
    width = rng.choice((1, 2, 2, 4, 4, 4, 4))
    if len(data) < width:
        return data
    at = place(rng, data, width)
    form = {1: "<B", 2: "<H", 4: "<I"}[width]
    old, = struct.unpack_from(form, data, at)
    new = rng.choice((rng.choice(WORDS), old + rng.choice((-4, -1, 1, 4)), old * 2, old // 2, len(data),
                      len(data) - at, ~old, rng.getrandbits(32), old ^ 1 << rng.randrange(8 * width)))
    return data[:at] + struct.pack(form, new & (1 << 8 * width) - 1) + data[at + width:]


def change_float(rng, data, _):
    if len(data) < 4:
        return data
    at = place(rng, data, 4)
    return data[:at] + struct.pack("<f", rng.choice(FLOATS)) + data[at + 4:]


def move_chunk(rng, data, other):
    """Drops, doubles or takes over some bytes, of the sizes that records have."""
    size = rng.choice((1, 2, 4, 8, 12, 16, 20, 28, 32, 48, 56, 64, 200))
    at = place(rng, data, 4)
    source = rng.randrange(len(other) + 1)
    style = rng.randrange(4)
    if style == 0:
        return data[:at] + data[at + size:]
    if style == 1:
        return data[:at] + data[at:at + size] * rng.choice((2, 2, 9)) + data[at + size:]
    if style == 2:
        return data[:at] + other[source:source + size] + data[at + size:]
    target = place(rng, data, 4)
    return data[:target] + data[at:at + size] + data[target + size:]


def longer(rng, data, _):
    return data + bytes(rng.getrandbits(8) for _ in range(rng.choice((1, 4, 100))))


BINARY = [change_field] * 10 + [change_float] * 3 + [move_chunk] * 3 + [cut, splice, longer]


def binary_mutation(rng, data, other):
    if not data:
        return other
    return rng.choice(BINARY)(rng, data, other)


def is_text(data):
    return b"\0" not in data[:512] and not any(c > 126 for c in data[:512])


def mutate_any(rng, data, other):
    return (text_mutation if is_text(data) else binary_mutation)(rng, data, other)


# --- containers ---
def zip_mutation(rng, data, other):
    """Changes a member and packs the archive again, so that checksums are right, or the archive itself."""
    if rng.random() < 0.4:
        return binary_mutation(rng, data, other)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(info, archive.read(info)) for info in archive.infolist()]
            comment = archive.comment
    except Exception:  # an archive that was changed before: the module has no end of what it raises
        members = []
    if not members:
        return binary_mutation(rng, data, other)
    chosen = rng.randrange(len(members))
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # names may be doubled
        for i, (info, content) in enumerate(members):
            if i == chosen:
                content = mutate_any(rng, content, rng.choice(members)[1])
            new = zipfile.ZipInfo(info.filename, (1980, 1, 1, 0, 0, 0))
            archive.writestr(new, content, rng.choice((zipfile.ZIP_STORED,) + (zipfile.ZIP_DEFLATED,) * 7), 9)
        archive.comment = comment
    return with_utf8_names(out.getvalue())


def with_utf8_names(data):
    """Sets the flag, which the module leaves out where names are of ASCII."""
    out = bytearray(data)
    for match in re.finditer(rb"PK(\x01\x02|\x03\x04)", data):
        out[match.start() + (9 if data[match.start() + 2] == 1 else 7)] |= 8
    return bytes(out)


MUTATIONS = {"text": text_mutation, "binary": binary_mutation, "zip": zip_mutation}


def mutate(rng, form, data, other):
    """A changed copy of the bytes; `other` is a file of the same kind to take parts from."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4, 9))):
        data = MUTATIONS[form](rng, data, other)
    return data
