#!/usr/bin/env python3
"""Options of vrad under Valve's names, and its own: what is taken, and what each changes."""
import os
import shutil
import struct

from e2e import Suite, check, read, write

suite = Suite()

FACES, LIGHTING, TEXINFO, WORLDLIGHTS, AMBIENT = 7, 8, 6, 15, 56

ACCEPTED = """-v -ldr -hdr -both -bounce=4 -fast -final -extrasky=1 -fastambient -noextra -debugextra
-smooth=45 -dlightmap -chop=4 -maxchop=4 -dispchop=8 -disppatchradius=1500 -maxdispsamplesize=512
-LargeDispSampleRadius -luxeldensity=1 -softsun=1 -centersamples -textureshadows -noskyboxrecurse
-rederrors -dump -dumpnormals -dumptrace -loghash -stoponexit -threads=1 -low -novconfig
-FullMinidumps -mpi -mpi_pw=x -scale=1 -dlight=0.1 -sky=1 -notexscale -coring=0 -allowdebug
-steam""".split()


def lump(path, number):
    data = read(path)
    offset, length = struct.unpack_from("<ii", data, 8 + 16 * number)
    return data[offset:offset + length]


def compiled(s, folder, name, *options):
    """A map of the project, ready for its light."""
    path = os.path.join(folder, name + ".bsp")
    source = shutil.copy(s.map(name + ".vmf"), os.path.join(folder, name + ".vmf"))
    s.run("vbsp", source, *options).expect(0)
    s.run("vvis", path, *options).expect(0)
    return path


def lit(s, path, to, *options, status=0):
    out = os.path.join(os.path.dirname(path), to + ".bsp")
    s.run("vrad", path, "-o", out, *options).expect(status)
    return out


def texture(alphas):
    """A VTF of one row of BGRA texels with these alphas."""
    header = struct.pack("<4sIIIHHIHH4x3f4xfIBiBBH15x", b"VTF\0", 7, 2, 80, len(alphas), 1, 0x2300,
                         1, 0, .5, .5, .5, 1, 12, 1, -1, 0, 0, 1)
    check(len(header) == 80, len(header))
    return header + b"".join(bytes([9, 9, 9, alpha]) for alpha in alphas)


def game(folder):
    root = os.path.join(folder, "game")
    materials = os.path.join(root, "materials", "test")
    os.makedirs(materials)
    write(os.path.join(root, "gameinfo.txt"),
          "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
    for name, key, alphas in (("fence", "$alphatest", [255, 0]), ("pane", "$translucent", [128])):
        write(os.path.join(materials, name + ".vmt"),
              'LightmappedGeneric { $basetexture test/%s %s 1 }' % (name, key))
        with open(os.path.join(materials, name + ".vtf"), "wb") as file:
            file.write(texture(alphas))
    return root


@suite.case
def every_option_of_valves_is_taken(s, folder):
    path = compiled(s, folder, "box")
    arguments = ["-ambient", "0", "0", "0"]
    for option in ACCEPTED:
        arguments += option.split("=")
    s.run("vrad", *arguments, path).expect(0)
    s.run("brushwork", "verify", path).expect(0)


@suite.case
def unknown_ones_are_refused_with_the_nearest_name(s, folder):
    done = s.run("vrad", "-textureshadow", "x", "--json").expect(2)
    check("-textureshadows" in done.find("T001")["message"], str(done))
    for option in (["-chop", "0"], ["-ambient", "1", "2"], ["-luxeldensity", "-1"]):
        s.run("vrad", *option, "x").expect(2)


@suite.case
def the_light_is_the_same_without_them(s, folder):
    """Ignored options have no effect, and defaults are those of the help."""
    path = compiled(s, folder, "two_rooms")
    plain = read(lit(s, path, "plain"))
    for options in (["-maxchop", "9", "-centersamples", "-dump", "-loghash", "-notexscale",
                     "-LargeDispSampleRadius", "-disppatchradius", "9", "-stoponexit"],
                    ["-chop", "4", "-dispchop", "8", "-scale", "1", "-coring", "0", "-sky", "1",
                     "-ao", "0", "-dlight", "0.1", "-ambient", "0", "0", "0", "--reference", "0"],
                    ["-textureshadows"], ["-luxeldensity", "1"]):
        check(read(lit(s, path, "with", *options)) == plain, options)


@suite.case
def textures_cast_shadows(s, folder):
    content = game(folder)
    path = compiled(s, folder, "texture_shadows", "-game", content)
    plain = lit(s, path, "plain", "-game", content, "-bounce", "0")
    shady = lit(s, path, "shady", "-game", content, "-bounce", "0", "-textureshadows")
    check(len(lump(plain, LIGHTING)) == len(lump(shady, LIGHTING)), "another layout")

    def total(which):
        data = lump(which, LIGHTING)
        return sum(data[i + 1] * 2.0 ** (data[i + 3] if data[i + 3] < 128 else data[i + 3] - 256)
                   for i in range(0, len(data), 4))

    check(0.7 < total(shady) / total(plain) < 0.95, total(shady) / total(plain))
    done = s.run("vrad", path, "-o", os.path.join(folder, "x.bsp"), "-textureshadows", "--json",
                 "-game", content)
    done.expect(0)
    os.remove(os.path.join(content, "materials", "test", "pane.vtf"))
    done = s.run("vrad", path, "-o", os.path.join(folder, "x.bsp"), "-textureshadows", "--json",
                 "-game", content).expect(0)
    check("test/pane" in done.find("R040")["message"], str(done))


@suite.case
def the_maps_keep_sound(s, folder):
    path = compiled(s, folder, "displacements")
    for number, options in enumerate((["-dlightmap"], ["-luxeldensity", "64"], ["-ao", "1"],
                                      ["-fast", "--reference", "16"], ["-rederrors"])):
        out = lit(s, path, f"{number}", *options, "-fast")
        s.run("brushwork", "verify", out).expect(0)
        check(read(out) != read(lit(s, path, "plain", "-fast")) or options == ["-rederrors"], options)


suite.main()
