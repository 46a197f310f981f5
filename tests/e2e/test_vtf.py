#!/usr/bin/env python3
"""brushwork vtf: images to textures and back."""
import os
import struct

from e2e import Suite, check, read, write
from pictures import pixels

suite = Suite()


def tga(folder, name, side, colour, alpha=255):
    """A ramp from black to the colour, or of that alpha."""
    head = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]) + struct.pack("<2H", side, side) + bytes([32, 0x28])
    body = b"".join(bytes([c * x // (side - 1) for c in colour[::-1]] + [alpha]) for _ in range(side) for x in range(side))
    return write(os.path.join(folder, name), head + body)


def header(path):
    data = read(path)
    major, minor, size = struct.unpack_from("<3I", data, 4)
    width, height, flags, frames = struct.unpack_from("<2HIH", data, 16)
    return {"version": (major, minor), "size": (width, height), "flags": flags, "frames": frames,
            "format": struct.unpack_from("<i", data, 52)[0], "mips": data[56], "header": size}


@suite.case
def there_and_back(s, folder):
    source = tga(folder, "a.tga", 32, (250, 100, 50), alpha=200)
    plain = s.run("brushwork", "vtf", source).expect(0)
    vtf = os.path.join(folder, "a.vtf")
    check(os.path.exists(vtf) and header(vtf) == {"version": (7, 4), "size": (32, 32), "flags": 0x2000, "frames": 1,
                                                 "format": 15, "mips": 6, "header": 96}, f"{header(vtf)} {plain}")
    for number, name, channels in ((12, "bgra8888", 4), (0, "rgba8888", 4), (3, "bgr888", 3), (2, "rgb888", 3), (24, "rgba16f", 4)):
        s.run("brushwork", "vtf", source, "--format", name, "--vtf-version", "7.2", "-o", vtf).expect(0)
        check(header(vtf)["format"] == number and header(vtf)["version"] == (7, 2), name)
        image = os.path.join(folder, "back.png")
        s.run("brushwork", "vtf", vtf, "-o", image).expect(0)
        width, height, rows = pixels(read(image), alpha=True)[:3]
        check((width, height) == (32, 32), name)
        wanted = bytes(b for x in range(32) for b in [*(c * x // 31 for c in (250, 100, 50)), 200][:channels])
        check(all(bytes(row) == wanted for row in rows), f"{name}: {bytes(rows[0])[:16]} {wanted[:16]}")
    s.run("brushwork", "vtf", source, "--format", "bgra8888", "-o", vtf).expect(0)
    s.run("brushwork", "vtf", vtf, "-o", os.path.join(folder, "back.tga")).expect(0)
    s.run("brushwork", "vtf", os.path.join(folder, "back.tga"), "--format", "bgra8888", "-o", os.path.join(folder, "b.vtf")).expect(0)
    check(read(vtf) == read(os.path.join(folder, "b.vtf")), "a TGA of it gives the same texture")


@suite.case
def options_do_what_they_say(s, folder):
    source, vtf = tga(folder, "a.tga", 64, (255, 255, 255)), os.path.join(folder, "a.vtf")
    s.run("brushwork", "vtf", source, "--no-mips", "--no-thumbnail", "--flag", "clamps", "--flag", "clampt", "--flag", "nolod",
          "--bump-scale", "2").expect(0)
    check(header(vtf) == {"version": (7, 4), "size": (64, 64), "flags": 0x30C, "frames": 1, "format": 13, "mips": 1,
                          "header": 88}, header(vtf))
    check(struct.unpack_from("<f", read(vtf), 48)[0] == 2, "bump scale")
    small = os.path.join(folder, "small.png")
    s.run("brushwork", "vtf", source, "--format", "bgra8888").expect(0)
    for mip, side in ((0, 64), (3, 8), (6, 1)):
        s.run("brushwork", "vtf", vtf, "--mip", str(mip), "-o", small).expect(0)
        check(pixels(read(small))[0] == side, mip)
    results = set()
    for threads in ("1", "2", "7"):
        s.run("brushwork", "vtf", source, "-threads", threads).expect(0)
        results.add(read(vtf))
    check(len(results) == 1, "threads")


@suite.case
def several_images(s, folder):
    names = [tga(folder, f"{i}.tga", 16, (40 * i + 40, 0, 0)) for i in range(6)]
    out = os.path.join(folder, "out.vtf")
    s.run("brushwork", "vtf", *names, "-o", out, "--format", "bgra8888").expect(0)
    check(header(out)["frames"] == 6 and header(out)["flags"] == 0x2000, header(out))
    image = os.path.join(folder, "out.png")
    s.run("brushwork", "vtf", out, "--frame", "4", "-o", image).expect(0)
    check(pixels(read(image))[2][0][-3] == 200, "the fifth frame")
    for version, faces in (("7.2", 7), ("7.5", 6)):
        s.run("brushwork", "vtf", *names, "--cubemap", "--vtf-version", version, "-o", out, "--format", "bgra8888").expect(0)
        check(header(out)["flags"] & 0x4000 and header(out)["frames"] == 1, header(out))
        s.run("brushwork", "vtf", out, "-o", image).expect(0)
        width, height, rows = pixels(read(image))[:3]
        check((width, height) == (16 * faces, 16), (width, height))
        check([rows[0][3 * (16 * f + 15)] for f in range(6)] == [40 * f + 40 for f in range(6)], "the order of faces")


@suite.case
def faults_are_told(s, folder):
    good = tga(folder, "good.tga", 16, (1, 2, 3))
    odd = tga(folder, "odd.tga", 24, (1, 2, 3))
    bad = write(os.path.join(folder, "bad.png"), b"no image")
    out = os.path.join(folder, "out.vtf")
    for names, code in (([odd], "A066"), ([good, odd], "A066"), ([good] * 5 + ["--cubemap"], "A066"), ([bad], "A067"),
                        ([write(os.path.join(folder, "bad.vtf"), b"no texture")], "A067")):
        target = os.path.join(folder, "out.png") if names[0].endswith(".vtf") else out
        done = s.run("brushwork", "vtf", *names, "-o", target, "--json").expect(1)
        check(done.codes() == [code] and not os.path.exists(target), f"{names}: {done}")
    for line in ([good, "--flag", "shiny", "-o", out], [good, "-o", os.path.join(folder, "x.png")],
                 [out, out], [good, "--format", "dxt9"]):
        s.run("brushwork", "vtf", *line).expect(2)
    s.run("brushwork", "vtf", good, "-o", out).expect(0)
    for line in (["--mip", "9"], ["--frame", "1"]):
        check("A067" in s.run("brushwork", "vtf", out, *line, "--json").expect(1).codes(), line)
    whole = read(out)
    write(out, whole[:-1])
    check("A067" in s.run("brushwork", "vtf", out, "--json").expect(1).codes(), "truncated")


suite.main()
