#!/usr/bin/env python3
"""-game by the name of a game that Steam has, in a made-up home of Steam."""
import os

from e2e import Suite, check, write

suite = Suite()


class Steam:
    """A home with Steam while a block runs. `games` are of Steam's own folder, `others` of a second one; a game is named
    as in messages, "Team Fortress 2/tf"."""

    def __init__(self, folder, games=(), others=(), root=".local/share/Steam", listed=None):
        self.home, self.saved = os.path.join(folder, "home"), None
        self.own, self.second = os.path.join(self.home, root), os.path.join(folder, "second library")
        for library, names in ((self.own, games), (self.second, others)):
            for name in names:
                self.add(library, name)
        if listed is None:
            listed = '"libraryfolders"\n{\n"0" { "path" "%s" }\n"1" { "path" "%s" "label" "" }\n}\n' % (self.own, self.second)
        os.makedirs(os.path.join(self.own, "steamapps"), exist_ok=True)
        write(os.path.join(self.own, "steamapps", "libraryfolders.vdf"), listed)

    @staticmethod
    def add(library, name):
        place = "steamapps" if name.startswith("sourcemods/") else "steamapps/common"
        os.makedirs(os.path.join(library, place, name))
        write(os.path.join(library, place, name, "gameinfo.txt"), '"GameInfo" { "game" "x" }\n')

    def __enter__(self):
        self.saved = os.environ.get("HOME")
        os.environ["HOME"] = self.home
        return self

    def __exit__(self, *_):
        os.environ.update({"HOME": self.saved} if self.saved else {})


def game_of(s, folder, name, program=("vbsp",), **more):
    """The gameinfo.txt that a run has read, which has no search paths."""
    done = s.run(*program, s.map("box.vmf"), "-o", os.path.join(folder, "box.bsp"), "-game", name, "--diagnostics", "json", **more)
    return done.expect(0).find("A002")["file"]


def refused(s, folder, name):
    done = s.run("vbsp", s.map("box.vmf"), "-o", os.path.join(folder, "box.bsp"), "-game", name, "--diagnostics", "json")
    return done.expect(1).find("A008")["message"]


@suite.case
def a_game_is_found_in_all_libraries(s, folder):
    roots = (".steam/steam", ".local/share/Steam", ".var/app/com.valvesoftware.Steam/.local/share/Steam",
             "snap/steam/common/.local/share/Steam")
    for number, root in enumerate(roots):
        place = os.path.join(folder, str(number))
        with Steam(place, ["Half-Life 2/hl2", "sourcemods/mymod"], ["Team Fortress 2/tf"], root) as steam:
            for name, library, path in (("hl2", steam.own, "common/Half-Life 2/hl2"), ("tf", steam.second, "common/Team Fortress 2/tf"),
                                        ("TF", steam.second, "common/Team Fortress 2/tf"), ("mymod", steam.own, "sourcemods/mymod"),
                                        ("Team Fortress 2/tf", steam.second, "common/Team Fortress 2/tf"),
                                        ("team fortress 2\\tf", steam.second, "common/Team Fortress 2/tf")):
                found = game_of(s, folder, name)
                check(found == f"{library}/steamapps/{path}/gameinfo.txt", f"{root}, {name}: {found}")


@suite.case
def all_programs_find_it(s, folder):
    with Steam(folder, ["Team Fortress 2/tf"]) as steam:
        expected = f"{steam.own}/steamapps/common/Team Fortress 2/tf/gameinfo.txt"
        check(game_of(s, folder, "tf", ("brushwork", "build")) == expected, "build")
        s.run("brushwork", "build", s.map("box.vmf"), s.map("two_rooms.vmf"), "-o", folder + "/", "-game", "tf", "--check").expect(0)
        bsp = os.path.join(folder, "box.bsp")
        for program in (("vrad", bsp), ("brushwork", "view", bsp), ("brushwork", "lint", s.map("box.vmf")), ("vbsp", s.map("box.vmf"), "--sandbox", "-o", bsp)):
            done = s.run(*program, "-game", "tf", "--diagnostics", "json")
            check(done.status == 0 and done.find("A002")["file"] == expected, f"{program}: {done}")


@suite.case
def a_folder_of_that_name_comes_first(s, folder):
    with Steam(folder, ["Team Fortress 2/tf"]) as steam:
        steam.add(folder, "here/tf")
        where = os.path.join(folder, "steamapps/common/here")
        check(game_of(s, folder, "tf", cwd=where) == "tf/gameinfo.txt", "the folder")


@suite.case
def a_name_of_several_games_is_refused_with_their_names(s, folder):
    with Steam(folder, ["Half-Life 2/hl2", "Portal 2/portal2"], ["SDK/hl2", "Half-Life 2/hl2"]) as steam:
        check(refused(s, folder, "hl2") == "several games of Steam: Half-Life 2/hl2, SDK/hl2", refused(s, folder, "hl2"))
        check(game_of(s, folder, "sdk/hl2") == f"{steam.second}/steamapps/common/SDK/hl2/gameinfo.txt", "the other one")
        check(game_of(s, folder, "half-life 2/HL2") == f"{steam.own}/steamapps/common/Half-Life 2/hl2/gameinfo.txt", "that of the first library")


@suite.case
def a_name_of_no_game_is_refused_with_the_names_of_all(s, folder):
    with Steam(folder, ["Half-Life 2/hl2", "Half-Life 2/bin", "Portal 2/portal2"]) as steam:
        os.remove(f"{steam.own}/steamapps/common/Half-Life 2/bin/gameinfo.txt")
        text = "no such folder, and none of the games of Steam: Half-Life 2/hl2, Portal 2/portal2"
        for name in ("tf", "bin", "Portal 2", "hl2/hl2"):
            check(refused(s, folder, name) == text, refused(s, folder, name))
        for name in ("/tf", "./tf", "a/b/tf", "..", "C:\\tf"):
            done = s.run("vbsp", s.map("box.vmf"), "-o", os.path.join(folder, "box.bsp"), "-game", name, "--diagnostics", "json")
            done.expect(1).find("A001")


@suite.case
def without_games_of_steam_a_name_is_that_of_a_folder(s, folder):
    for listed in ("", "}{", '"libraryfolders" { "1" "/none" "2" { "path" { } } }', "\0" * 100):
        with Steam(os.path.join(folder, str(len(listed))), listed=listed):
            done = s.run("vbsp", s.map("box.vmf"), "-o", os.path.join(folder, "box.bsp"), "-game", "tf", "--diagnostics", "json")
            check("no such folder" in done.expect(1).find("A001")["message"], str(done))


suite.main()
