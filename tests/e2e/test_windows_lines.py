#!/usr/bin/env python3
"""Command lines of Windows' editors and front ends, as the system gets them: of Hammer, Hammer++, Compile Pal, and the
tools of Portal 2 and CS:GO. They need the programs for Windows, in build/windows/bin, and wine."""
import os
import shutil
import subprocess

from e2e import Done, Skip, Suite, check, write

suite = Suite()

# DRIVE is a folder on a drive with a letter. In brackets: a file that must be new afterwards.
LINES = r"""
hammer, normal    vbsp -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                                    0 wrote [My Maps/box.bsp]
hammer, normal    vvis -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box"                                        0 wrote
hammer, normal    vrad -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box"                                        0 wrote
hammer, expert    vbsp -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box"                                        0 wrote [My Maps/box.bsp]
hammer, expert    vrad -both -final -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box"                           0 wrote
hammer, slash     vbsp -game "DRIVE\Half-Life 2\hl2\\" "DRIVE\My Maps\box"                                      0 wrote [My Maps/box.bsp]
hammer, quote     vbsp -game "DRIVE\Half-Life 2\hl2\" "DRIVE\My Maps\box"                                       0 wrote [My Maps/box.bsp]
hammer, mixed     vbsp -game "DRIVE\Half-Life 2/hl2" "DRIVE/My Maps\box.vmf"                                    0 wrote [My Maps/box.bsp]
hammer, case      vbsp -game "DRIVE\half-life 2\HL2" "DRIVE\my maps\BOX.VMF"                                    0 wrote
hammer, relative  vvis "My Maps\box"                                                                            0 wrote
hammer, dots      vvis -fast ".\My Maps\..\My Maps\box.bsp"                                                     0 wrote
hammer++          vbsp -notjunc -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                           0 wrote [My Maps/box.bsp]
compile pal       vbsp -keepstalezip -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                      0 wrote [My Maps/box.bsp]
compile pal       vvis -fast -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                              0 wrote
compile pal       vrad -ldr -fast -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                         0 wrote
compile pal       vrad -hdr -StaticPropLighting -StaticPropPolys -TextureShadows -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"   0 wrote
compile pal, leak vbsp -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\leak.vmf"                                   3 **** leaked **** [My Maps/leak.lin]
portal 2          vbsp -alldetail -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                         0 wrote [My Maps/box.bsp]
cs:go             vrad -StaticPropLightingFinal -StaticPropBounce 3 -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"   0 wrote
cs:go             vbsp -staticpropcombine -staticpropcombine_mininstances 4 -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"   0 wrote [My Maps/box.bsp]
the bundle        brushwork build --preset fast -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"           0 wrote [My Maps/box.bsp]
the bundle        brushwork lint -game "DRIVE\Half-Life 2\hl2" "DRIVE\My Maps\box.vmf"                          0
two maps          brushwork build -j 2 "DRIVE\My Maps\*x.vmf" "DRIVE\My Maps\two_rooms.vmf" -o "DRIVE\out\\"    0 2: 2 ok [out/box.bsp]
two maps, leak    brushwork build -k "My Maps\leak.vmf" "My Maps\box.vmf"                                       3 map leaks [My Maps/box.bsp]
batch             vbsp "My Maps\box.vmf" -o "DRIVE\out\box.bsp"                                                 0 wrote [out/box.bsp]
batch, absent     vvis "DRIVE\My Maps\none"                                                                     1 error C001
batch, no game    vbsp -game "DRIVE\none" "My Maps\box"                                                         1 error A001: invalid game folder: no such folder
page              brushwork report "My Maps\box.vmf" -o out\page.html                                           0 wrote [out/page.html]
page              brushwork view "My Maps\box" -o "DRIVE\out\view.html"                                         0 wrote [out/view.html]
no server         brushwork view "My Maps\box" --serve                                                          1 error C346
"""


LIGHTING = ("build", "report", "view")  # verbs


def programs(s):
    build = os.path.dirname(s.options.bin) if s.options.windows else os.path.join(s.options.source, "build", "windows")
    place = os.path.join(build, "bin")
    if not shutil.which("wine") or not os.path.exists(os.path.join(place, "brushwork.exe")):
        raise Skip("no wine, or no programs for Windows (scripts/windows)")
    return place


def prepared(s, folder):
    game = os.path.join(folder, "Half-Life 2", "hl2")
    maps = os.path.join(folder, "My Maps")
    for place in (game, maps, os.path.join(folder, "out")):
        os.makedirs(place)
    write(os.path.join(game, "gameinfo.txt"), "GameInfo\r\n{ FileSystem { SearchPaths { game |gameinfo_path|. } } }\r\n")
    for name in ("box.vmf", "two_rooms.vmf", "leak.vmf"):
        shutil.copy(s.map(name), maps)
    s.run("vbsp", os.path.join(maps, "box.vmf")).expect(0)


def started(place, folder, program, line):
    """Wine makes a line of its own of arguments: here the shell of Windows starts the program with this one."""
    script = os.path.join(folder, "line.bat")
    executable = "Z:" + f"{place}/{program}.exe".replace("/", "\\")
    write(script, f'@"{executable}" {line}\r\n')
    env = {**os.environ, "WINEDEBUG": "-all", "WINEPREFIX": os.path.join(os.path.dirname(os.path.dirname(place)), "windows-wine")}
    command = ["wine", "cmd", "/c", "line.bat"]
    return Done(command, subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                                        check=False))


def add(number, row):
    origin, rest = row[:18].strip(), row[18:]
    command, expected = rest.rsplit("   ", 1)
    program, _, line = command.strip().partition(" ")
    status, _, text = expected.strip().partition(" ")
    text, _, made = text.partition("[")

    def case(s, folder):
        if program == "vrad" or line.split()[0] in LIGHTING:
            s.needs_light()
        place = programs(s)
        prepared(s, folder)
        new = os.path.join(folder, made.rstrip("]"))
        if made and os.path.exists(new):
            os.remove(new)
        drive = "Z:" + folder.replace("/", "\\")
        done = started(place, folder, program, line.replace("DRIVE", drive)).expect(int(status))
        said = " ".join((done.out.decode(errors="replace") + done.err).split())
        check(text.strip() in said, f"no {text!r} in {said}")
        check(not made or os.path.exists(new), f"no {made} from {said}")

    suite.add(f"{number:02}_{origin.replace(', ', '_').replace(' ', '_')}", case)


for index, wanted in enumerate(LINES.strip("\n").splitlines()):
    add(index + 1, wanted)

suite.main()
