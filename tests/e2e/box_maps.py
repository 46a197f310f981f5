"""Small Source maps of boxes, and what their BSPs hold of brushes and faces."""
import struct

from e2e import read
from six_walls import side

SHELL = {"px": ((256, -256, 0), (272, 256, 256)), "nx": ((-272, -256, 0), (-256, 256, 256)),
         "py": ((-272, 256, 0), (272, 272, 256)), "ny": ((-272, -272, 0), (272, -256, 256)),
         "pz": ((-272, -272, 256), (272, 272, 272)), "nz": ((-272, -272, -16), (272, 272, 0))}


def solid(number, low, high, material):
    """A box; `material` may be a list of six: x down, x up, y down ..."""
    names = [material] * 6 if isinstance(material, str) else material
    return f'solid\n{{\n"id" "{number}"\n' + "".join(
        side(number * 10 + 2 * k + up, low, high, k, bool(up), names[2 * k + up]) for k in range(3) for up in (0, 1)) + "}\n"


def entity(number, classname, solids="", **keys):
    pairs = "".join(f'"{key}" "{value}"\n' for key, value in keys.items())
    return f'entity\n{{\n"id" "{number}"\n"classname" "{classname}"\n{pairs}{solids}}}\n'


def closed(material, more=(), entities="", **walls):
    """A room whose walls have the material, or that of `walls` (px, nz ...; None: no wall), with more
    boxes (low, high, material) in the world and a start in it. Solids are numbered from 1."""
    boxes = [(*place, walls.get(name, material)) for name, place in SHELL.items()]
    boxes = [box for box in boxes if box[2]] + list(more)
    return ('world\n{\n"id" "1"\n"classname" "worldspawn"\n"skyname" "sky"\n' +
            "".join(solid(i + 1, *box) for i, box in enumerate(boxes)) + "}\n" +
            entity(9001, "info_player_start", origin="0 0 32") + entities)


class Compiled:
    """A VBSP of version 20 with lumps that are not compressed."""

    def __init__(self, path):
        self.data = read(path)

    def lump(self, number):
        at, size = struct.unpack_from("<2i", self.data, 8 + 16 * number)
        return self.data[at:at + size]

    def records(self, number, form):
        blob = self.lump(number)
        return list(struct.iter_unpack("<" + form, blob[:len(blob) // struct.calcsize("<" + form) * struct.calcsize("<" + form)]))

    def texinfos(self):
        """Name of the material in lower case, and flags, one a texinfo."""
        text = self.lump(43)
        names = [text[at:text.index(b"\0", at)].decode("latin-1").lower() for at, in self.records(44, "i")]
        texdata = [names[row[3]] for row in self.records(2, "3f5i")]
        return [(texdata[row[17]], row[16]) for row in self.records(6, "16f2i")]

    def brushes(self):
        """(materials of the sides that are no bevels, contents), one a brush."""
        texinfos, sides = self.texinfos(), self.records(19, "H3h")
        return [({texinfos[s[1]][0] for s in sides[first:first + count] if not s[3] & 1 and s[1] >= 0}, contents)
                for first, count, contents in self.records(18, "3i")]

    def contents(self, material):
        """The contents of the brushes that have the material."""
        return {contents for names, contents in self.brushes() if material in names}

    def drawn(self):
        """The materials of faces."""
        texinfos = self.texinfos()
        return {texinfos[face[5]][0] for face in self.records(7, "HBBi4h4Bif5iHHI") if face[5] >= 0}
