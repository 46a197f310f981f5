"""DarkPlaces, the engine of Xonotic and Nexuiz, where it is installed: its server loads a map without a game. It asks for
the programs of one (progs.dat): here they have the names that it wants and do nothing.

`./check --engines` installs the package darkplaces-server."""
import os
import re
import struct
import subprocess

from e2e import Skip

SERVER = "/usr/games/darkplaces-server"

STRING, FLOAT, VECTOR, ENTITY, FIELD, FUNCTION = range(1, 7)
RETURN_VALUES = 28  # words of the globals in front of those that have names
CHECKSUM = 5927     # of the list of globals and fields that the engine knows

FUNCTIONS = """main StartFrame PlayerPreThink PlayerPostThink ClientKill ClientConnect PutClientInServer ClientDisconnect
SetNewParms SetChangeParms worldspawn""".split()
GLOBALS = [(ENTITY, "self other world"), (FLOAT, "time frametime force_retouch"), (STRING, "mapname"),
           (FLOAT, "deathmatch coop teamplay serverflags total_secrets total_monsters found_secrets killed_monsters"),
           (FLOAT, " ".join(f"parm{i}" for i in range(1, 17))), (VECTOR, "v_forward v_up v_right"),
           (FLOAT, "trace_allsolid trace_startsolid trace_fraction"), (VECTOR, "trace_endpos trace_plane_normal"),
           (FLOAT, "trace_plane_dist"), (ENTITY, "trace_ent"), (FLOAT, "trace_inopen trace_inwater"), (ENTITY, "msg_entity")]
FIELDS = [(FLOAT, "modelindex"), (VECTOR, "absmin absmax"), (FLOAT, "ltime movetype solid"),
          (VECTOR, "origin oldorigin velocity angles avelocity punchangle"), (STRING, "classname model"),
          (FLOAT, "frame skin effects"), (VECTOR, "mins maxs size"), (FUNCTION, "touch use think blocked"),
          (FLOAT, "nextthink"), (ENTITY, "groundentity"), (FLOAT, "health frags weapon"), (STRING, "weaponmodel"),
          (FLOAT, "weaponframe currentammo ammo_shells ammo_nails ammo_rockets ammo_cells items takedamage"),
          (ENTITY, "chain"), (FLOAT, "deadflag"), (VECTOR, "view_ofs"), (FLOAT, "button0 button1 button2 impulse fixangle"),
          (VECTOR, "v_angle"), (FLOAT, "idealpitch"), (STRING, "netname"), (ENTITY, "enemy"),
          (FLOAT, "flags colormap team max_health teleport_time armortype armorvalue waterlevel watertype"),
          (FLOAT, "ideal_yaw yaw_speed"),
          (ENTITY, "aiment goalentity"), (FLOAT, "spawnflags"), (STRING, "target targetname"), (FLOAT, "dmg_take dmg_save"),
          (ENTITY, "dmg_inflictor owner"), (VECTOR, "movedir"), (STRING, "message"), (FLOAT, "sounds"),
          (STRING, "noise noise1 noise2 noise3")]


class Programs:
    """The file progs.dat: lists of definitions, and functions that return at once."""

    def __init__(self):
        self.strings, self.words = bytearray(b"\0"), [0] * RETURN_VALUES
        self.globals, self.fields, self.field_words = [], [], 1

    def text(self, name):
        self.strings += name.encode() + b"\0"
        return len(self.strings) - len(name) - 1

    def define(self, kind, name, value=0):
        self.globals.append(struct.pack("<2Hi", kind, len(self.words), self.text(name)))
        self.words += [value, 0, 0] if kind == VECTOR else [value]

    def field(self, kind, name):
        self.fields.append(struct.pack("<2Hi", kind, self.field_words, self.text(name)))
        self.define(FIELD, name, self.field_words)
        self.field_words += 3 if kind == VECTOR else 1

    def packed(self):
        functions = [bytes(36)]
        for i, name in enumerate(FUNCTIONS):
            functions.append(struct.pack("<7i8x", 1, RETURN_VALUES, 0, 0, self.text(name), 0, 0))
            self.define(FUNCTION, name, i + 1)
        lists = [[bytes(8)] * 2, self.globals, self.fields, functions, [bytes([b]) for b in self.strings],
                 [struct.pack("<i", word) for word in self.words]]
        header, body = struct.pack("<2i", 6, CHECKSUM), b""
        for records in lists:
            header += struct.pack("<2i", 60 + len(body), len(records))
            body += b"".join(records)
            body += bytes(-len(body) % 4)
        return header + struct.pack("<i", self.field_words) + body


def programs():
    made = Programs()
    for kind, names in GLOBALS:
        for name in names.split():
            made.define(kind, name)
    for kind, names in FIELDS:
        for name in names.split():
            made.field(kind, name)
    return made.packed()


class Loaded:
    """The server's report on a map."""

    def __init__(self, name, log):
        self.log = log
        self.complaints = [line for line in log.splitlines()
                           if re.search(r"Error|[Ii]nvalid|funny|Too many|missing|bad ", line)]
        self.ok = re.search(rf"^map: +{re.escape(name)}\s*$", log, re.MULTILINE) is not None
        stats = re.search(rf'Stats for q3bsp model "maps/{re.escape(name)}.bsp": (.*)', log)
        self.counts = {what: int(count) for count, what in re.findall(r"(\d+) ([a-z]+)", stats.group(1))} if stats else {}


def load_in_server(bsp, folder):
    """Starts the server with the map, on this machine alone, and asks it what it has."""
    if not os.path.exists(SERVER):
        raise Skip("no server (package darkplaces-server)")
    maps = os.path.join(folder, "darkplaces", "id1", "maps")
    os.makedirs(maps, exist_ok=True)
    with open(os.path.join(maps, "..", "progs.dat"), "wb") as file:
        file.write(programs())
    target = os.path.join(maps, "probe.bsp")
    if os.path.lexists(target):
        os.remove(target)
    os.symlink(os.path.abspath(bsp), target)
    base = os.path.join(folder, "darkplaces")
    command = [SERVER, "-basedir", base, "-userdir", os.path.join(base, "user"), "-game", "id1", "-ip", "127.0.0.1"]
    for key, value in {"net_address_ipv6": "[::1]", "sv_public": 0, "developer": 1, "port": 28700}.items():
        command += ["+set", key, str(value)]
    done = subprocess.run(command + ["+map", "probe", "+status", "+quit"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300, check=False, env={**os.environ, "HOME": base})
    return Loaded("probe", done.stdout.decode("utf-8", "replace"))
