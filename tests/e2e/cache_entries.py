"""Entries of a cache, taken apart and sealed again, for tests of what a run makes of those of somebody else."""
import hashlib
import hmac
import os
import struct
import zlib

HEADER = 128
MAGIC = b"BWCACHE\0"
PLAIN, DEFLATED = 0, 1


def seal(path, value, version, size=None, form=PLAIN, stored=None, key=None):
    """The entry of KIND/H/HASH with this value; `size` is what its header says of it, `stored` what is there of it."""
    kind, _, name = path.split("/")[-3:]
    stored = value if stored is None else stored
    said = (len(value), len(stored)) if size is None else (size, size if form == PLAIN else len(stored))
    header = MAGIC + struct.pack("<II", version, form) + bytes.fromhex(name) + struct.pack("<QQ", *said)
    digest = hashlib.sha256(kind.encode() + b"\0" + header + stored).digest()
    signature = hmac.new(key, digest, "sha256").digest() if key else bytes(32)
    return header + signature + hashlib.sha256(digest + signature).digest() + stored


def value_of(entry):
    form = struct.unpack_from("<I", entry, 12)[0]
    return zlib.decompress(entry[HEADER:]) if form == DEFLATED else entry[HEADER:]


def version_of(entry):
    return struct.unpack_from("<I", entry, 8)[0]


def load(folder):
    """All entries of a folder by KIND/H/HASH."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if len(name) == 64:
                path = os.path.join(at, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u32(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def sized(self):
        return self.take(self.u32())


def sized(data):
    return struct.pack("<I", len(data)) + data


def read_questions(cursor):
    """(question, answer) of a trace."""
    found = []
    for _ in range(cursor.u32()):
        answer = cursor.take(32)
        found.append((cursor.sized(), answer))
    return found


def write_questions(questions):
    return struct.pack("<I", len(questions)) + b"".join(answer + sized(text) for text, answer in questions)


def sets_of(entry):
    cursor = Cursor(value_of(entry))
    return [cursor.sized() for _ in range(cursor.u32())]


def join_sets(sets):
    return struct.pack("<I", len(sets)) + b"".join(map(sized, sets))


class CompileSet:
    """A set of vbsp: the tie to the place of the source, what the compile itself read, and the game's content."""

    def __init__(self, data):
        cursor = Cursor(data)
        self.pointfile, self.tie, self.place = cursor.sized(), cursor.take(1), cursor.sized()
        self.own, self.content = read_questions(cursor), read_questions(cursor)
        assert cursor.at == len(data), "not a set of vbsp"

    def bytes(self):
        return sized(self.pointfile) + self.tie + sized(self.place) + write_questions(self.own) + write_questions(self.content)


def result_path(inputs, kept_set):
    """KIND/H/HASH of the result that a set of the entry names."""
    kind, _, name = inputs.split("/")[-3:]
    digest = hashlib.sha256(bytes.fromhex(name) + kept_set).hexdigest()
    return f"{kind[:-len('-inputs')]}/{digest[0]}/{digest}"


def answer(data):
    """To a question about what a file has."""
    return hashlib.sha256(data).digest()


def number(value):
    """To a question for a kind or an error."""
    return struct.pack("<Q", value) + bytes(24)
