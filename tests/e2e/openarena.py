"""Debian's OpenArena, where it is installed: its maps with their sources, and its server.

`./check --engines` installs the packages."""
import os
import re
import subprocess
import zipfile

from e2e import Skip

DATA = "/usr/share/games/openarena"
SERVER = "/usr/lib/ioquake3/ioq3ded"
SERVER_DATA = "/usr/lib/openarena-server"
SOURCES = "sources/maps/"

# Server settings for a fast start without a network, with a report of the loaded map.
SETTINGS = {"com_basegame": "baseoa", "fs_basepath": SERVER_DATA, "ttycon": 0, "vm_game": 0,
            "net_enabled": 1, "net_ip": "127.0.0.1", "dedicated": 1, "sv_pure": 0,
            "bot_enable": 0, "sv_master1": "", "com_hunkMegs": 512, "sv_maxclients": 8}

COMPLAINTS = re.compile(r"^(ERROR|Error)|ouldn.t load|funny lump|MAX_|overflow|Received signal|"
                        r"[Ll]ight ?grid|Map has no|No spawn|out of range|bad ", re.MULTILINE)
HARMLESS = re.compile(r"\.cfg|botfiles|aas|AAS|q3key|oakey|gamecontrollerdb")


def packs():
    """The packed files of the base game, in the order of their names."""
    folder = os.path.join(DATA, "baseoa")
    if not os.path.isdir(folder):
        raise Skip("no OpenArena (packages openarena-data and others)")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if
            name.endswith(".pk3")]


def map_sources(folder):
    """Unpacks the .map files that come with the game; their paths by name. They are the work of
    their authors under the GPL, and stay where they are found."""
    found = {}
    for pack in packs():
        with zipfile.ZipFile(pack) as archive:
            for member in archive.namelist():
                if member.startswith(SOURCES) and member.endswith(".map"):
                    name = os.path.basename(member)
                    path = os.path.join(folder, name)
                    with open(path, "wb") as file:
                        file.write(archive.read(member))
                    found[name[:-4]] = path
    if not found:
        raise Skip("no sources of maps (package openarena-oacmp1)")
    return dict(sorted(found.items()))


def shipped(name, folder):
    """The compiled map of that name that the game has; None: it has none."""
    for pack in reversed(packs()):
        with zipfile.ZipFile(pack) as archive:
            if f"maps/{name}.bsp" in archive.namelist():
                return archive.extract(f"maps/{name}.bsp", folder)
    return None


class Loaded:
    """The server's report on a map."""

    def __init__(self, name, log):
        self.log = log
        lines = [line for line in log.splitlines() if not HARMLESS.search(line)]
        self.complaints = [line for line in lines if COMPLAINTS.search(line)]
        self.ok = re.search(rf"^map: *{re.escape(name)}\s*$", log, re.MULTILINE) is not None


def load_in_server(bsp, folder, port=28600, frames=20):
    """Starts the real server with the map, on this machine alone, lets some frames pass, and asks
    it what it has."""
    if not os.path.exists(SERVER) or not os.path.isdir(SERVER_DATA):
        raise Skip("no server (packages ioquake3-server and openarena-server)")
    name = "probe"
    maps = os.path.join(folder, "home", "baseoa", "maps")
    os.makedirs(maps, exist_ok=True)
    target = os.path.join(maps, name + ".bsp")
    if os.path.lexists(target):
        os.remove(target)
    os.symlink(os.path.abspath(bsp), target)
    command = [SERVER]
    for key, value in {**SETTINGS, "fs_homepath": os.path.join(folder, "home"),
                       "net_port": port}.items():
        command += ["+set", key, str(value)]
    command += ["+map", name, "+wait", str(frames), "+status", "+quit"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600, check=False)
    return Loaded(name, done.stdout.decode("utf-8", "replace"))
