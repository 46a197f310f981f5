#!/usr/bin/env python3
"""Light of Quake 3 maps that lies beside them, from the command line."""
import os
import re
import shutil
import struct

from e2e import Suite, check, read, write

suite = Suite()


def side_files(folder, name):
    images = sorted(os.listdir(os.path.join(folder, "maps", name)))
    return images, read(os.path.join(folder, "scripts", f"q3map2_{name}.shader")).decode()


@suite.case
def styles_lie_beside_the_map(s, folder):
    os.mkdir(os.path.join(folder, "maps"))
    bsp = os.path.join(folder, "maps", "one.bsp")
    s.run("brushwork", "build", "-o", bsp, s.map("q3_styles.map")).expect(0)
    images, script = side_files(folder, "one")
    check(images == ["lm_0000.tga", "lm_0001.tga"], images)
    check("rgbGen wave sin 0.5 0.5 0 0.5" in script and "rgbGen wave noise" in script, script)
    s.run("brushwork", "verify", bsp).expect(0)
    again = s.run("vrad", "--json", bsp)
    check(again.status != 0 and "R202" in again.codes(), again)


@suite.case
def a_lit_map_is_lit_again(s, folder):
    """From the lights beside it, which an update of the entities replaces."""
    source = os.path.join(folder, "room.map")
    bsp = source[:-4] + ".bsp"
    text = read(s.map("q3_lights.map"))
    write(source, text)
    s.run("brushwork", "build", source).expect(0)
    first = read(bsp)
    check(b'"light"' not in first, "lights are left")
    s.run("vrad", bsp).expect(0)
    check(read(bsp) == first, "lit again, it differs")
    write(source, text.replace(b'"classname" "light"\n', b'"classname" "light"\n"scale" "2"\n'))
    s.run("vbsp", "-onlyents", source).expect(0)
    for _ in range(2):
        s.run("vrad", bsp).expect(0)
        updated = read(bsp)
    s.run("brushwork", "build", source).expect(0)
    check(updated == read(bsp) != first, "not the lights of the update")
    os.remove(bsp[:-4] + ".srf")
    os.remove(source)
    check("R068" in s.run("vrad", "--json", bsp).codes(), "lost lights are not reported")


STAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stages")


def brightness(path):
    """The mean of the lightmaps' bytes."""
    data = read(path)
    at, size = struct.unpack_from("<ii", data, 8 + 8 * 14)
    return sum(data[at:at + size]) / size


@suite.case
def stages_of_q3map2_are_swapped(s, folder):
    """A map of its -vis, without lamps, is lit with its notes, from the source, as our own is."""
    for ending in (".map", ".bsp", ".srf"):
        shutil.copy(os.path.join(STAGES, "light_spot" + ending), os.path.join(folder, "theirs" + ending))
    ours, theirs = (os.path.join(folder, name) for name in ("ours.bsp", "theirs.bsp"))
    unlit = read(theirs)
    shutil.copy(theirs[:-4] + ".map", ours[:-4] + ".map")
    s.run("vbsp", ours[:-4] + ".map").expect(0)
    s.run("vvis", ours).expect(0)
    s.run("vrad", ours).expect(0)
    level = brightness(ours)
    done = s.run("vrad", "--json", theirs).expect(0)
    check("2 lights" in done.find("R070")["message"], done)
    check(not {"B170", "B171", "R068"} & set(done.codes()), done.codes())
    check(abs(brightness(theirs) - level) < 0.02 * level, (brightness(theirs), level))
    write(theirs, unlit)
    os.remove(theirs[:-4] + ".srf")
    s.run("q3map2", "-light", theirs[:-4] + ".map").expect(0)
    check(brightness(theirs) > level / 2, "dark without notes")
    write(theirs, unlit)
    os.remove(theirs[:-4] + ".map")
    check("R068" in s.run("vrad", "--json", theirs).codes(), "a dark map is not reported")


@suite.case
def q3map2_can_light_our_maps(s, folder):
    """Its light stage reads the lamps of the source, so those must not be in the BSP too, unless the world keeps them; and a
    block of the notes for each surface."""
    source = os.path.join(folder, "room.map")
    text = read(os.path.join(STAGES, "light_spot.map"))
    for kept in (False, True):
        write(source, text)
        s.run("vbsp", *(["-keeplights"] if kept else []), source).expect(0)
        bsp, srf = read(source[:-4] + ".bsp"), read(source[:-4] + ".srf").decode()
        check((b'"classname" "light"' in bsp) == kept, kept)
        check((b'"_keepLights" "1"' in bsp) == kept, kept)
        check(b"info_null" in bsp, "targets of lamps are gone")
        plain = "".join(line for line in srf.splitlines(True) if not line.lstrip().startswith("//"))
        check(plain.startswith("default\n{\n\tcastShadows 1\n"), plain[:80])
        count = struct.unpack_from("<ii", bsp, 8 + 8 * 13)[1] // 104
        check(re.findall(r"^(\d+)\n\{\n\tshader textures/\S+\n", plain, re.M) == [str(i) for i in range(count)], plain)
        for _ in range(2):
            s.run("vbsp", "-onlyents", *(["-keeplights"] if kept else []), source).expect(0)
        check((b'"classname" "light"' in read(source[:-4] + ".bsp")) == kept, "after an update")


@suite.case
def an_update_keeps_how_the_light_is_stored(s, folder):
    """Deluxemaps, and the spacing of a grid that was too fine."""
    source = os.path.join(folder, "room.map")
    bsp = source[:-4] + ".bsp"
    text = read(s.map("q3_lights.map"))
    fine = text.replace(b'"comment"', b'"gridsize" "8 8 8"\n"comment"')
    write(source, text)
    s.run("brushwork", "build", source, "-deluxe").expect(0)
    check(b'"deluxeMaps" "1"' in read(bsp) and b"gridsize" not in read(bsp), "before")
    write(source, fine.replace(b'"comment"', b'"message" "new"\n"comment"'))
    note = s.run("vbsp", "-onlyents", "--json", source).expect(0).find("V343")
    check("gridsize" in note["message"] and "8 8 8" in note["message"], note)
    check(b'"message" "new"' in read(bsp), "not updated")
    check(b'"deluxeMaps" "1"' in read(bsp) and b"gridsize" not in read(bsp), "after")
    s.run("brushwork", "verify", bsp).expect(0)


@suite.case
def stages_write_what_one_program_writes(s, folder):
    """With other threads, too."""
    os.mkdir(os.path.join(folder, "maps"))
    found = []
    for threads in (1, 7):
        bsp = os.path.join(folder, "maps", "two.bsp")
        s.run("vbsp", "-o", bsp, s.map("q3_styles.map")).expect(0)
        s.run("vvis", bsp).expect(0)
        s.run("vrad", "-external", "-threads", threads, bsp).expect(0)
        images, script = side_files(folder, "two")
        found.append([read(bsp), script] +
                     [read(os.path.join(folder, "maps", "two", image)) for image in images])
        s.run("brushwork", "verify", bsp).expect(0)
    check(found[0] == found[1], "other bytes")
    check(len(found[0]) == 2 + 3, len(found[0]))


@suite.case
def deluxemaps_take_turns_with_light(s, folder):
    """Outside of the file: an image of directions behind each of light, also of large pages."""
    for number, options in enumerate((["-external"], ["-lightmapsize", 512])):
        bsp = os.path.join(folder, f"x{number}.bsp")
        s.run("vbsp", "-o", bsp, s.map("q3_patches.map")).expect(0)
        s.run("vvis", bsp).expect(0)
        s.run("vrad", "-fast", "-deluxe", *options, bsp).expect(0)
        s.run("brushwork", "verify", bsp).expect(0)
        images = [read(os.path.join(bsp[:-4], name)) for name in sorted(os.listdir(bsp[:-4]))]
        check(len(images) % 2 == 0 and len({len(image) for image in images}) == 1, len(images))
        # Directions are unit vectors around 127.5, and 0 where nothing is; light is mostly neither.
        for light, towards in zip(images[::2], images[1::2]):
            lengths = [sum((v - 127.5) ** 2 for v in towards[i:i + 3]) ** 0.5 / 127.5
                       for i in range(18, len(towards), 3) if any(towards[i:i + 3])]
            check(lengths and all(0.97 < length < 1.03 for length in lengths), "directions")
            check(light[18:] != towards[18:], "light")


@suite.case
def what_cannot_be_is_refused(s, folder):
    bsp = os.path.join(folder, "x.bsp")
    s.run("vbsp", "-o", bsp, s.map("q3_styles.map")).expect(0)
    s.run("vvis", bsp).expect(0)
    for options, code in ((["-lightmapsize", 300], "R200"), (["-external", "-o", "-"], "R201")):
        done = s.run("vrad", "--json", *options, bsp)
        check(done.status != 0 and code in done.codes(), done)


suite.main()
