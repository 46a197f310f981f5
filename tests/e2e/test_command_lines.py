#!/usr/bin/env python3
"""Command lines as people type them, from Hammer's run dialog, front ends, batch files and Makefiles, with
the mistakes that they make: the exit status, and what is said."""
import os
import shutil

from e2e import Suite, check, read, write

suite = Suite()
os.environ["HOME"] = "/nonexistent"  # games of Steam are looked for there

# Arguments are separated by " | ". GAME is the folder of a game. In brackets: a file that must be new afterwards.
LINES = """
hammer            vbsp -game | GAME | ./box                                        0 wrote [box.bsp]
hammer            vvis -game | GAME | ./box                                        0 wrote
hammer            vrad -game | GAME | ./box                                        0 wrote
hammer, spaces    vbsp -game | GAME | my maps\\box.vmf                             0 wrote [my maps/box.bsp]
hammer, spaces    vvis -game | GAME | my maps\\box                                 0 wrote
hammer, final     vrad -both | -final | -game | GAME | my maps\\box                0 wrote
hammer, slash     vbsp -game | GAME" | box                                         0 wrote
hammer, drive     vbsp -game | C:\\Steam\\steamapps\\common\\hl2 | box             1 it is a path of Windows; name a file or folder of this system
hammer, drive     vbsp C:\\maps\\box                                               2 'C:\\maps\\box' is a path of Windows; name a file or folder of this system
hammer, drive     vvis C:\\maps\\box                                               2 'C:\\maps\\box' is a path of Windows; name a file or folder of this system
hammer, drive     vrad C:\\maps\\box.bsp                                           2 'C:\\maps\\box.bsp' is a path of Windows; name a file or folder of this system
hammer, drive     q3map2 C:\\maps\\box.map                                         2 'C:\\maps\\box.map' is a path of Windows; name a file or folder of this system
hammer, drive     brushwork build | C:/maps/box.vmf                                2 'C:/maps/box.vmf' is a path of Windows; name a file or folder of this system
hammer, drive     brushwork build | @C:\\maps.txt                                  1 no such file or directory: it is a path of Windows; name a file or folder of this system
hammer, drive     brushwork diff | box.bsp | C:\\box.bsp                           2 'C:\\box.bsp' is a path of Windows; name a file or folder of this system
batch, drive      brushwork convert | box.bsp | C:\\out\\box.bsp                   2 'C:\\out\\box.bsp' is a path of Windows; name a file or folder of this system
batch, drive      brushwork bspzip | -extractfiles | box.bsp | C:\\out             2 'C:\\out' is a path of Windows; name a file or folder of this system
hammer, no file   vbsp -game | GAME                                                2 missing argument: MAP
hammer, order     vvis box | -game                                                 2 -game requires an argument: DIR
hammer, no game   vrad -game | nogame | box                                        1 nogame: error A001: invalid game folder: no such folder
front end         vbsp -keepstalezip | -game | GAME | box.vmf                      0 wrote
front end         vvis -fast | -game | GAME | box.vmf                              0 wrote
front end         vrad -hdr | -StaticPropLighting | -StaticPropPolys | -TextureShadows | -game | GAME | box.vmf   0 wrote
front end, csgo   vrad -StaticPropLightingFinal | -StaticPropBounce | 3 | -game | GAME | box.vmf   0 wrote
front end, csgo   vbsp -staticpropcombine | -staticpropcombine_mininstances | 4 | -keepsources | box.vmf   0 options without effect: -keepsources
front end, both   vrad -ldr | -hdr | box.vmf                                       0 wrote
front end, x360   vbsp -nox360 | box.vmf                                           0 wrote
old front end     vvis -x360 | -mpi | -mpi_pw | abc | box                          0 options without effect: -x360, -mpi, -mpi_pw
batch, quotes     vbsp -game | "GAME" | "box.vmf"                                  0 wrote
batch, quotes     vrad "-final" | "box"                                            0 wrote
batch, capitals   vbsp -NODETAIL | -Verbose | BOX.VMF                              0 nodetail (command line)
batch, folders    vbsp .\\box.vmf | -o | .\\out\\box.bsp                           0 wrote [out/box.bsp]
batch, drive      vbsp box.vmf | -o | C:\\out\\box.bsp                             2 'C:\\out\\box.bsp' is a path of Windows
batch, no value   vbsp ""                                                          2 an argument is empty
batch, low        vvis -low | -threads | 16 | -novconfig | box                     0 wrote
batch, rad        vrad -lights | .\\lights\\my.rad | box                           0 wrote
batch, the bsp    vbsp box.bsp                                                     0 wrote [box.bsp]
batch, the prt    vvis box.prt                                                     0 wrote
batch, capitals   vrad -FAST | BOX.BSP                                             0 wrote
batch, help       vbsp /?                                                          0 Usage: vbsp
batch, spaces     vbsp my | maps\\box.vmf                                          2 unexpected argument 'maps\\box.vmf'
batch, slash      vvis /fast | box                                                 2 unexpected argument 'box'
typing            vrad -fianl | box                                                2 unknown option '-fianl' (did you mean '-final'?)
typing            vrad -bounce | box                                               2 -bounce: 'box' is not an integer
typing            vrad -bounce | 500000 | box                                      2 500000 is out of range (0 to 1000)
typing            vrad -final=1 | box                                              2 -final takes no argument
typing            vvis box | other                                                 2 unexpected argument 'other'
typing            vvis nope                                                        1 nope.bsp: error C001: cannot read file: no such file or directory
typing            vbsp                                                             2 missing argument: MAP
web page          vrad \u2013final | box                                           2 begins with a typographic dash; type '-'
makefile          brushwork build | -q | box.vmf | -o | build/box.bsp              0 [build/box.bsp]
makefile          brushwork build | --preset=fast | -game=GAME | box               0 wrote
makefile          brushwork verify | box.bsp | my maps/box.bsp                     0 no errors
makefile          brushwork checksum | --json | box                                0 "crc32"
shell             brushwork box.vmf                                                2 a verb is missing before 'box.vmf': brushwork build box.vmf
shell             brushwork biuld | box                                            2 unknown verb 'biuld' (did you mean 'build'?)
shell             brushwork help | build                                           0 Usage: brushwork build
shell             brushwork                                                        2 Usage: brushwork VERB
quake 3           vbsp -meta | -v | q3_box.map                                     0 wrote [q3_box.bsp]
quake 3           brushwork build | -meta | -patchmeta | -fast | q3_box            0 wrote
bspzip            brushwork bspzip | -repack | -compress | box                     0
bspzip            brushwork bspzip | -addfile | box.bsp | a/b.txt | box.vmf | new  0 [new.bsp]
leak              vbsp leak                                                        3 map leaks
"""

# What the lines of a drive say on Windows, which has drives, in their order. FOLDER is that of the case.
ON_WINDOWS = """
hammer, drive     vbsp -game | C:\\Steam\\steamapps\\common\\hl2 | box             1 error A001: invalid game folder: no such folder
hammer, drive     vbsp C:\\maps\\box                                               1 C:/maps/box.vmf: error C001: cannot read file: no such file or directory
hammer, drive     vvis C:\\maps\\box                                               1 C:/maps/box.bsp: error C001: cannot read file: no such file or directory
hammer, drive     vrad C:\\maps\\box.bsp                                           1 C:/maps/box.bsp: error C001: cannot read file: no such file or directory
hammer, drive     q3map2 C:\\maps\\box.map                                         1 C:/maps/box.map: error C001: cannot read file: no such file or directory
hammer, drive     brushwork build | C:/maps/box.vmf                                1 C:/maps/box.vmf: error C001: cannot read file: no such file or directory
hammer, drive     brushwork build | @C:\\maps.txt                                  1 C:\\maps.txt: error C001: cannot read file: no such file or directory
hammer, drive     brushwork diff | box.bsp | C:\\box.bsp                           2 C:/box.bsp: error C001: cannot read file: no such file or directory
batch, drive      brushwork convert | box.bsp | FOLDER\\out\\box.bsp               0 [out/box.bsp]
batch, drive      brushwork bspzip | -extractfiles | box.bsp | FOLDER\\out         0 [out]
batch, drive      vbsp box.vmf | -o | FOLDER\\out\\box.bsp                         0 wrote [out/box.bsp]
"""


def prepared(s, folder):
    """A folder with maps, compiled ones and a game."""
    game = os.path.join(folder, "game")
    for name in ("game", "my maps", "lights"):
        os.makedirs(os.path.join(folder, name))
    write(os.path.join(game, "gameinfo.txt"), "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }")
    write(os.path.join(folder, "lights", "my.rad"), "a/b 1 2 3 4\n")
    for name in ("box.vmf", "q3_box.map"):
        shutil.copy(s.map(name), folder)
    shutil.copy(s.map("box.vmf"), os.path.join(folder, "my maps"))
    for name in ("box", "my maps/box"):
        s.run("vbsp", name, cwd=folder).expect(0)
    leaking = read(s.map("box.vmf")).decode().replace('"origin" "64 64 8"', '"origin" "64 64 9000"')
    leaking = leaking.replace('"origin" "128 128 208"', '"origin" "128 128 9000"')
    write(os.path.join(folder, "leak.vmf"), leaking)
    return folder


def parse(line):
    words = line.split("  ")
    origin, rest = words[0], "  ".join(words[1:]).strip()
    command, expected = rest.rsplit("  ", 1)
    status, _, text = expected.strip().partition(" ")
    text, _, made = text.partition("[")
    program, _, arguments = command.strip().partition(" ")
    arguments = [part.strip() for part in arguments.split(" | ")] if arguments else []
    return origin, program, arguments, int(status), text.strip(), made.rstrip("]")


def add(number, line):
    origin, program, arguments, status, text, made = parse(line)

    def case(s, folder):
        prepared(s, folder)
        new = os.path.join(folder, made)
        if made and os.path.exists(new):
            os.remove(new)
        drive = "Z:" + folder.replace("/", "\\")
        words = [word.replace("GAME", os.path.join(folder, "game")).replace("FOLDER", drive) for word in arguments]
        done = s.run(program, *words, cwd=folder).expect(status)
        said = done.out.decode(errors="replace") + " ".join(done.err.split())
        check(" ".join(text.split()) in " ".join(said.split()), f"no {text!r} from {done}\n{said}")
        check(not made or os.path.exists(new), f"no {made} from {done}")
        check(not [name for name in os.listdir(folder) if name.startswith("C:")], "a file or folder C:")

    suite.add(f"{number:02}_{origin.replace(', ', '_').replace(' ', '_')}", case)


def lines():
    """With those of a drive as the system of the programs answers them."""
    on_windows = iter(ON_WINDOWS.strip().splitlines())
    for line in LINES.strip().splitlines():
        yield next(on_windows) if ", drive " in line and suite.options.windows else line


for index, row in enumerate(lines()):
    add(index + 1, row)

@suite.case
def names_after_two_dashes_are_no_options(s, folder):
    """Of all programs, and of the verbs that CI calls."""
    name = "--log=pwn"
    for ending, source in ((".vmf", "box.vmf"), (".map", "q3_box.map")):
        write(os.path.join(folder, name + ending), read(s.map(source)))
    for command in (["vbsp", "--", name + ".vmf"], ["vvis", "--", name + ".bsp"], ["vrad", "-fast", "--", name + ".bsp"],
                    ["brushwork", "build", "--preset", "fast", "--", name + ".vmf"], ["brushwork", "lint", "--", name + ".vmf"],
                    ["brushwork", "verify", "--", name + ".bsp"], ["brushwork", "report", "--", name + ".bsp"],
                    ["q3map2", "-meta", "--", name + ".map"], ["q3map2", "-vis", "--", name + ".map"],
                    ["q3map2", "-light", "-fast", "--", name + ".map"], ["vbsp", "--check", "--", "\u2013x.vmf"]):
        if "\u2013x.vmf" in command:
            write(os.path.join(folder, "\u2013x.vmf"), read(s.map("box.vmf")))
        s.run(*command, cwd=folder).expect(0)
    made = os.listdir(folder)
    check({name + ".bsp", name + "_report.html"} <= set(made) and "pwn.vmf" not in made and "pwn.map" not in made, made)
    write(os.path.join(folder, "other.vmf"), read(s.map("box.vmf")))
    s.run("brushwork", "build", "--preset", "fast", "--", name + ".vmf", "other.vmf", cwd=folder).expect(0)
    check("other.bsp" in os.listdir(folder), "several maps")


suite.main()
