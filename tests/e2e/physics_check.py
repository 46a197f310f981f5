"""The independent checker of collision models, for maps whose displacements are flat hulls."""
import re
import struct
import subprocess
import sys

from e2e import check, read

DISPLACEMENTS, MESHES = 26, 28
DISPLACEMENT_SIZE, POWER_AT = 176, 20


def lump(data, number):
    at, size = struct.unpack_from("<2i", data, 8 + 16 * number)
    return data[at:at + size]


def flat_hulls(path):
    """How many there are at most: one for each triangle, where the map has no virtual meshes."""
    data = read(path)
    if data[:4] != b"VBSP" or len(lump(data, MESHES)) > 2:
        return 0
    records = lump(data, DISPLACEMENTS)
    powers = [struct.unpack_from("<i", records, at + POWER_AT)[0]
              for at in range(0, len(records), DISPLACEMENT_SIZE)]
    return sum(2 * 4 ** power for power in powers)


def check_physics(s, path):
    """The checker expects four triangles of each hull, and that it lies in the brush that it names.
    It has these two complaints about a flat one, and must have no others."""
    done = subprocess.run([sys.executable, s.tool("vbsp_phys_check.py"), path],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, timeout=600)
    text = done.stdout.decode(errors="replace")
    if "PHYS_OK" in text:
        return
    count, flat = re.search(r"PHYS_BAD .*\((\d+) problems\)", text), flat_hulls(path)
    faults = [line for line in text.splitlines() if line.startswith("  BAD ")]
    known = re.compile(r"ledge with 2 triangles$|ledge sticks out of brush 0 by ")
    check(flat and count and int(count[1]) <= 2 * flat, text[-3000:])
    check(all(known.search(line) for line in faults), text[-3000:])
