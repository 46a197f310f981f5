"""Game folders with one reference of each kind, and the files of a small map in them, written by hand."""
import os
import struct

GAMEINFO = ('GameInfo { FileSystem { SearchPaths { game |gameinfo_path|custom/* game |gameinfo_path|. '
            'game |gameinfo_path|../base } } }')
FGD = """
@BaseClass = Named [ targetname(target_source) : "Name" : : "n" ]
@PointClass base(Named) = thing_shown : "" [ shape(studio) : "Model" glow(sprite) : "Sprite" paint(material) : "Paint"
  tune(sound) : "Sound" play(scene) : "Scene" smoke(particlesystem) : "Smoke" note(string) : "Text" ]
"""


def put(root, names):
    """Writes files by name."""
    for name, data in names.items():
        path = os.path.join(root, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())


def model(textures, skins, included=(), keys="", animations=""):
    """An MDL with a mesh for each column of the skins."""
    columns = len(skins[0]) if skins else 0
    head = 408
    at, parts = head, []

    def add(data):
        nonlocal at
        parts.append(data)
        at += len(data)
        return at - len(data)

    names = [add(t.encode() + b"\0") for t in textures]
    folder = add(b"props\\\0")
    surface = add(b"metal\0")
    text = add(keys.encode() + b"\0")
    animated = add(animations.encode() + b"\0")
    included_at = [add(i.encode() + b"\0") for i in included]
    add(bytes(-at % 4))
    table = add(b"".join(struct.pack("<i", n - (at + 64 * i)) + bytes(60) for i, n in enumerate(names)))
    folders = add(struct.pack("<i", folder))
    skin_table = add(b"".join(struct.pack(f"<{columns}h", *row) for row in skins))
    add(bytes(-at % 4))
    lists = add(b"".join(struct.pack("<2i", 0, n - (at + 8 * i)) for i, n in enumerate(included_at)))
    body = add(struct.pack("<4i", 0, 1, 1, 16))
    record = bytearray(148)
    struct.pack_into("<2i", record, 72, columns, 148)
    add(bytes(record))
    for column in range(columns):
        add(struct.pack("<i", column) + bytes(112))
    data = bytearray(head)
    data[0:4] = b"IDST"
    for where, values in ((4, (48, 0x77)), (76, (at,)), (152, (0x10, 1)),
                          (204, (len(names), table, 1, folders, columns, len(skins), skin_table)),
                          (232, (1, body)), (308, (surface, text, len(keys) + 1)),
                          (336, (len(included), lists)), (348, (animated, 1 if animations else 0))):
        struct.pack_into(f"<{len(values)}i", data, where, *values)
    return bytes(data) + b"".join(parts)


def collision(text):
    """A PHY without solids, of which the text counts."""
    return struct.pack("<4i", 16, 0, 0, 0x77) + text.encode() + b"\0"


def particles(systems):
    """A PCF in binary 2: systems by name, each with a material, and the names of its children."""
    words = ["DmElement", "DmeParticleSystemDefinition", "DmeParticleChild", "particleSystemDefinitions", "material",
             "children", "child"]
    word = lambda text: struct.pack("<H", words.index(text))
    order = list(systems)
    elements = [("DmElement", "", [])]
    for name in order:
        elements.append(("DmeParticleSystemDefinition", name, []))
    elements[0][2].append(word("particleSystemDefinitions") + b"\x0f" +
                          struct.pack(f"<i{len(order)}i", len(order), *range(1, len(order) + 1)))
    for name, (material, children) in systems.items():
        links = []
        for child in children:
            elements.append(("DmeParticleChild", "c", [word("child") + b"\1" + struct.pack("<i", 1 + order.index(child))]))
            links.append(len(elements) - 1)
        own = elements[1 + order.index(name)][2]
        own.append(word("material") + b"\5" + material.encode() + b"\0")
        own.append(word("children") + b"\x0f" + struct.pack(f"<i{len(links)}i", len(links), *links))
    data = b"<!-- dmx encoding binary 2 format pcf 1 -->\n\0" + struct.pack("<H", len(words))
    data += b"".join(w.encode() + b"\0" for w in words) + struct.pack("<i", len(elements))
    data += b"".join(word(kind) + name.encode() + b"\0" + bytes(16) for kind, name, _ in elements)
    return data + b"".join(struct.pack("<i", len(rows)) + b"".join(rows) for _, _, rows in elements)


def drawn(name, *more):
    """The files beside a model."""
    return {name + ending: b"x" for ending in (".vvd", ".dx90.vtx", *more)}


def flat(texture, more=""):
    return f'LightmappedGeneric {{ $basetexture "{texture}" {more} }}'


def entity(classname, **keys):
    return "{\n" + "".join(f'"{k}" "{v}"\n' for k, v in {"classname": classname, **keys}.items()) + "}\n"


WORLD = entity("worldspawn", skyname="")


class Case:
    """A game folder, the entities of the map, and by hand: what has to be added, and what is missing."""

    def __init__(self, entities, files, base, add, missing=()):
        self.entities, self.files, self.base, self.add, self.missing = entities, files, base, set(add), set(missing)


MATERIALS = Case(
    entity("worldspawn", skyname="dusk") +
    entity("infodecal", texture="Decals/Stain") + entity("infodecal", texture="decals/of_game") +
    entity("env_sprite", model="sprites/glow.spr") + entity("env_projectedtexture", texturename="lamps/spot") +
    entity("thing_shown", paint="metal/loop_a", note="metal/never.vmt is text") +
    entity("infodecal", texture="decals/baseless") + entity("team_control_point", team_icon_0="icons/point") +
    entity("point_spotlight", HaloMaterial="sprites/halo.vmt"),
    {"materials/decals/baseless.vmt": 'patch { include "materials/decals/absent.vmt" replace { $basetexture decals/torn } '
                                      'insert { $bumpmap decals/bumps $basetexturetransform2 "center .5 .5 scale 4 4 rotate 0 translate 0 0" } }',
     "materials/decals/torn.vtf": "x",
     **{f"materials/{n}.vmt": f"UnlitGeneric {{ $basetexture {n} }}" for n in ("icons/point", "sprites/halo")},
     **{f"materials/{n}.vtf": "x" for n in ("icons/point", "sprites/halo")},
     **{f"materials/skybox/dusk{s}.vmt": f'sky {{ $basetexture skybox/dusk{s} }}' for s in ("up", "dn", "lf", "rt", "ft", "bk")},
     **{f"materials/skybox/dusk{s}.vtf": "x" for s in ("up", "dn", "lf", "rt", "ft", "bk")},
     "materials/skybox/dusk_hdrup.vmt": "sky { $hdrcompressedtexture skybox/dusk_hdrup }",
     "materials/skybox/dusk_hdrup.vtf": "x",
     "materials/decals/stain.vmt": 'patch { include "materials/decals/plain.vmt" replace { $basetexture decals/stain '
                                   '} insert { $bottommaterial metal/below } } // $detail metal/never',
     "materials/decals/plain.vmt": flat("decals/replaced", '$bumpmap decals/bumps %tooltexture metal/never '
                                        '$surfaceprop metal $envmap env_cubemap $blendmodulatetexture "decals\\\\Blend" '
                                        'srgb?$detail metal/detail LightmappedGeneric_DX8 { $fallbacktexture metal/old } '
                                        'Proxies { TextureScroll { textureScrollVar $basetexturetransform } '
                                        'Own { picture metal/proxy word metal } } $basetexture2 _rt_Camera '
                                        '$own metal/own_parameter $anything metal/below'),
     **{f"materials/{n}.vtf": "x" for n in ("decals/stain", "decals/replaced", "decals/bumps", "metal/never", "decals/blend",
                                            "metal/detail", "metal/old", "metal/proxy", "metal/own_parameter", "metal",
                                            "metal/below", "lamps/spot", "sprites/glow")},
     "materials/metal/below.vmt": flat("metal/below", '$envmap "maps/cube"'), "materials/metal/never.vmt": flat("metal/never"),
     "materials/maps/cube.vtf": "x", "materials/maps/cube.hdr.vtf": "x",
     "materials/sprites/glow.vmt": "Sprite { $basetexture sprites/glow }",
     "materials/metal/loop_a.vmt": flat("metal/lost", "$bottommaterial metal/loop_b"),
     "materials/metal/loop_b.vmt": "Water { $bottommaterial metal/loop_a $bumpmap base/bumps }"},
    {"materials/decals/of_game.vmt": flat("of/game"), "materials/base/bumps.vtf": "x"},
    [*(f"materials/skybox/dusk{s}.{e}" for s in ("up", "dn", "lf", "rt", "ft", "bk") for e in ("vmt", "vtf")),
     "materials/skybox/dusk_hdrup.vmt", "materials/skybox/dusk_hdrup.vtf", "materials/decals/stain.vmt",
     "materials/decals/plain.vmt", "materials/decals/stain.vtf", "materials/decals/bumps.vtf", "materials/decals/blend.vtf",
     "materials/metal/detail.vtf", "materials/metal/old.vtf", "materials/metal/proxy.vtf",
     "materials/metal/own_parameter.vtf", "materials/metal/below.vmt", "materials/metal/below.vtf", "materials/maps/cube.vtf",
     "materials/maps/cube.hdr.vtf", "materials/lamps/spot.vtf", "materials/sprites/glow.vmt", "materials/sprites/glow.vtf",
     "materials/metal/loop_a.vmt", "materials/metal/loop_b.vmt", "materials/decals/baseless.vmt", "materials/decals/torn.vtf",
     *(f"materials/{n}.{e}" for n in ("icons/point", "sprites/halo") for e in ("vmt", "vtf"))],
    ["materials/metal/lost.vtf", "materials/decals/absent.vmt"])

MODELS = Case(
    WORLD + entity("prop_dynamic", model="models/Crate.mdl", skin=1) + entity("prop_physics", model="models/stock.mdl") +
    entity("thing_shown", shape="models/walker.mdl", glow="sprites/dot.vmt") + entity("prop_dynamic", model="models/lost.mdl") +
    entity("prop_dynamic", model="*1") + entity("game_text", message="models/never.mdl"),
    {"models/crate.mdl": model(["red", "blue", "green"], [[0, 2], [1, 2]], ["models/moves.mdl"],
                               "mdlkeyvalue { prop_data { base Wooden.Small } }", "models/crate.ani"),
     **drawn("models/crate", ".sw.vtx", ".dx80.vtx"), "models/crate.ani": "x",
     "models/crate.phy": collision('solid { index 0 } break { "model" "gibs/board" }'),
     "models/moves.mdl": model([], [], ["models/crate.mdl"]),
     "models/gibs/board.mdl": model(["wood"], [[0]]), **drawn("models/gibs/board"),
     "models/gibs/chip.mdl": model(["wood"], [[0]]), **drawn("models/gibs/chip"),
     "models/never.mdl": model(["red"], [[0]]), **drawn("models/never"),
     "models/walker.mdl": model(["skin_a", "skin_b", "unused"], [[0], [1]]), "models/walker.vvd": "x",
     "scripts/propdata.txt": 'PropData.txt { Wooden.Small { base Wooden } Wooden { breakable_model Chips } '
                             'BreakableModels { Chips { models/gibs/chip.mdl 1 } Others { models/never.mdl 1 } } }',
     **{f"materials/props/{n}.vmt": f"VertexLitGeneric {{ $basetexture props/{n} }}" for n in
        ("red", "blue", "green", "wood", "skin_a", "skin_b", "unused")},
     **{f"materials/props/{n}.vtf": "x" for n in ("red", "blue", "green", "wood", "skin_a", "skin_b", "unused")},
     "materials/sprites/dot.vmt": "Sprite { $basetexture sprites/dot }", "materials/sprites/dot.vtf": "x"},
    {"models/stock.mdl": model(["red"], [[0]])},
    ["models/crate.mdl", "models/crate.vvd", "models/crate.dx90.vtx", "models/crate.sw.vtx", "models/crate.dx80.vtx",
     "models/crate.ani", "models/crate.phy", "models/moves.mdl", "models/gibs/board.mdl", "models/gibs/board.vvd",
     "models/gibs/board.dx90.vtx", "models/gibs/chip.mdl", "models/gibs/chip.vvd", "models/gibs/chip.dx90.vtx",
     "models/walker.mdl", "models/walker.vvd", "materials/sprites/dot.vmt", "materials/sprites/dot.vtf",
     *(f"materials/props/{n}.{e}" for n in ("blue", "green", "red", "wood", "skin_a", "skin_b") for e in ("vmt", "vtf"))],
    ["models/lost.mdl", "models/walker.dx90.vtx"])

SOUNDS = Case(
    WORLD + entity("ambient_generic", message="*)Wind/Howl.wav") + entity("ambient_generic", message="Own.Rattle") +
    entity("ambient_generic", message="Game.Sound") + entity("ambient_generic", message="Lost.Sound") +
    entity("ambient_generic", message="!SENTENCE") + entity("func_door", noise1="doors/open.wav", startclosesound="3") +
    entity("env_soundscape", soundscape="own.cave") + entity("logic_choreographed_scene", SceneFile="scenes/talk.vcd") +
    entity("env_speaker", rulescript="scripts/talker/rules.txt"),
    {"scripts/game_sounds_own.txt": 'Own.Rattle { channel CHAN_AUTO rndwave { wave "^rattle/$gender1.wav" wave rattle/b.wav } } '
                                    'Own.Unused { wave rattle/never.wav } Own.Speech { wave rattle/speech.wav } // wave rattle/never.wav',
     "scripts/soundscapes_own.txt": 'own.cave { playlooping { wave cave/loop.wav } playsoundscape { name own.drips } } '
                                    'own.drips { playrandom { rndwave { wave cave/drip.wav } } playsoundscape { name own.cave } } '
                                    'own.unused { playlooping { wave cave/never.wav } }',
     "scripts/soundscapes_map.txt": 'map.a { playlooping { wave cave/map.wav } }',
     "maps/map_level_sounds.txt": 'Level.A { wave level/a.wav }',
     "scenes/talk.vcd": 'event speak "a" { time 0 1 param "Own.Speech" } event subscene "b" { param "scenes/more.vcd" } '
                        'event gesture "c" { param "scenes/never.vcd" } // event speak "d" { param "rattle/never.wav" }',
     "scenes/more.vcd": 'event subscene "b" { param "scenes/talk.vcd" } event speak "x" { param "scene/wave.wav" }',
     "scripts/talker/rules.txt": '#include "talker/more.txt" response a { scene "scenes/said.vcd" } // scene "scenes/never.vcd"',
     "scripts/talker/more.txt": 'response b { speak rules/said.wav }',
     "scenes/said.vcd": "", "scenes/never.vcd": "",
     **{f"sound/{n}.wav": "x" for n in ("wind/howl", "rattle/male1", "rattle/female1", "rattle/b", "rattle/never", "rattle/speech",
                                        "doors/open", "cave/loop", "cave/drip", "cave/never", "cave/map", "level/a", "scene/wave",
                                        "rules/said")}},
    {"scripts/game_sounds_manifest.txt": "m { precache_file scripts/game_sounds_own.txt precache_file scripts/game_sounds_base.txt }",
     "scripts/soundscapes_manifest.txt": "m { file scripts/soundscapes_own.txt }",
     "scripts/game_sounds_base.txt": "Game.Sound { wave base/sound.wav }", "sound/base/sound.wav": "x"},
    ["scripts/game_sounds_own.txt", "scripts/soundscapes_own.txt", "scripts/soundscapes_map.txt", "maps/map_level_sounds.txt",
     "scenes/talk.vcd", "scenes/more.vcd", "scenes/said.vcd", "scripts/talker/rules.txt", "scripts/talker/more.txt",
     *(f"sound/{n}.wav" for n in ("wind/howl", "rattle/male1", "rattle/female1", "rattle/b", "rattle/speech", "doors/open",
                                  "cave/loop", "cave/drip", "cave/map", "level/a", "scene/wave", "rules/said"))],
    ['game sound "Lost.Sound"'])

PARTICLES = Case(
    WORLD + entity("info_particle_system", effect_name="Own_Fire") + entity("info_particle_system", effect_name="game_fire") +
    entity("info_particle_system", effect_name="lost_fire"),
    {"maps/map_particles.txt": 'particles_manifest { file "!particles/own.pcf" file particles/gone.pcf }',
     "particles/own.pcf": particles({"own_fire": ("particle/fire.vmt", ["own_smoke"]), "own_smoke": ("particle\\smoke", ["own_fire"])}),
     "particles/other.pcf": particles({"other": ("particle/never.vmt", [])}),
     **{f"materials/particle/{n}.vmt": f"SpriteCard {{ $basetexture particle/{n} }}" for n in ("fire", "smoke", "never")},
     **{f"materials/particle/{n}.vtf": "x" for n in ("fire", "smoke", "never")}},
    {"particles/particles_manifest.txt": "m { file particles/base.pcf }",
     "particles/base.pcf": particles({"game_fire": ("base/fire.vmt", [])})},
    ["maps/map_particles.txt", "particles/own.pcf",
     *(f"materials/particle/{n}.{e}" for n in ("fire", "smoke") for e in ("vmt", "vtf"))],
    ["particles/gone.pcf", 'particle system "lost_fire"'])

SCRIPTS = Case(
    WORLD + entity("logic_script", vscripts="main  sub/other.nut") +
    entity("logic_auto", OnMapSpawn="a,RunScriptFile,late,0,-1") + entity("logic_auto", OnNewGame="b,Command,exec own.cfg,0,-1") +
    entity("logic_auto", OnMapSpawn="c,SetModel,models/set.mdl,0,-1") +
    entity("logic_auto", OnMapSpawn="c,AddOutput,model models/added.mdl,0,-1"),
    {"scripts/vscripts/main.nut": 'IncludeScript("shared"); # IncludeScript("never")\n/* PrecacheModel("models/never.mdl") */\n'
                                  'PrecacheModel("models/made.mdl"); local t = "models/never_there.mdl"; // "never.nut"\n'
                                  'EmitSoundOn("script/ding.wav", self); IncludeScript("ab" + "sent_" + name);\n',
     "scripts/vscripts/shared.nut": 'IncludeScript("main")', "scripts/vscripts/sub/other.nut": "",
     "scripts/vscripts/late.nut": 'DoIncludeScript("gone", null)', "scripts/vscripts/never.nut": "",
     "cfg/own.cfg": 'echo "exec never" // exec never\nexec second; play cfg/bell.wav\n', "cfg/second.cfg": "exec own", "cfg/never.cfg": "",
     "sound/script/ding.wav": "x", "sound/cfg/bell.wav": "x",
     **{f"models/{n}.mdl": model([], []) for n in ("made", "set", "added", "never")}},
    {},
    ["scripts/vscripts/main.nut", "scripts/vscripts/shared.nut", "scripts/vscripts/sub/other.nut", "scripts/vscripts/late.nut",
     "cfg/own.cfg", "cfg/second.cfg", "sound/script/ding.wav", "sound/cfg/bell.wav", "models/made.mdl", "models/set.mdl",
     "models/added.mdl"],
    ["scripts/vscripts/gone.nut", "scripts/vscripts/ab.nut"])

NAMED = Case(
    WORLD + entity("color_correction", filename="materials/correction/warm.raw") +
    entity("vgui_slideshow_display", directory="talk"),
    {"maps/map.nav": "x", "maps/graphs/map.ain": "x", "maps/MAP.txt": "x", "maps/map_french.txt": "x", "maps/map2.txt": "x",
     "maps/map_old.bsp": "x", "maps/map_old.txt": "x", "maps/map_old_french.txt": "x", "cfg/map.cfg": "x", "cfg/map2.cfg": "x",
     "resource/overviews/map.txt": 'map { material overviews/map_seen pos_x 0 }',
     "materials/overviews/map_seen.vmt": "UnlitGeneric { $basetexture overviews/map_seen }", "materials/overviews/map_seen.vtf": "x",
     "materials/correction/warm.raw": "x", "materials/correction/never.raw": "x",
     "materials/vgui/slideshow/talk/a.vmt": "UnlitGeneric { $basetexture vgui/a }", "materials/vgui/a.vtf": "x",
     "custom/own/materials/never.vmt": "x"},
    {}, ["maps/map.nav", "maps/graphs/map.ain", "maps/map.txt", "maps/map_french.txt", "cfg/map.cfg", "resource/overviews/map.txt",
         "materials/overviews/map_seen.vmt", "materials/overviews/map_seen.vtf", "materials/correction/warm.raw",
         "materials/vgui/slideshow/talk/a.vmt", "materials/vgui/a.vtf"])

CASES = {"materials": MATERIALS, "models": MODELS, "sounds": SOUNDS, "particles": PARTICLES, "scripts": SCRIPTS, "named": NAMED}


def make(folder, case):
    """Writes the folder of a game beside that of another, which is stock. Returns the path of the first."""
    game = os.path.join(folder, "game")
    put(game, {"gameinfo.txt": GAMEINFO, "bin/own.fgd": FGD, **case.files})
    put(os.path.join(folder, "base"), {"readme.txt": "", **case.base})
    return game
