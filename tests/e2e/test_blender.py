#!/usr/bin/env python3
"""Models of maps in Debian's Blender: what it draws of them beside what `render` draws of the map."""
import os
import re
import subprocess

from blender import in_blender
from e2e import Skip, Suite, check, read, write
from pictures import mean_difference, pixels

suite = Suite()

INCH = 0.0254
EYE, YAW = (320, 120, 150), 90  # of the atrium
SIZE = (160, 100)

# Axes of Blender are those of the map; a camera without a rotation looks down.
DRAW = """
import bpy, math, sys
scene = bpy.context.scene
camera = bpy.data.objects.new('eye', bpy.data.cameras.new('eye'))
scene.collection.objects.link(camera)
camera.location = {eye}
camera.rotation_euler = (math.pi / 2, 0, math.radians({yaw} - 90))
camera.data.angle, camera.data.clip_start, camera.data.clip_end = math.pi / 2, 0.01, 10000
scene.camera, scene.world = camera, None
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = 'CYCLES', 16, False
scene.cycles.max_bounces = 0
scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = {width}, {height}, 100
scene.view_settings.view_transform, scene.render.image_settings.file_format = 'Standard', 'PNG'
scene.render.image_settings.color_mode, scene.render.filepath = 'RGB', {out!r}
for light in [o for o in bpy.data.objects if o.type == 'LIGHT']:
    bpy.data.objects.remove(light)
bpy.ops.render.render(write_still=True)
"""


def blender(*arguments):
    done = subprocess.run(["blender", "--background", "--factory-startup", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(os.environ, PATH="/usr/bin:/bin"), check=False)
    return done.stdout.decode(errors="replace")


def compiled(s, folder):
    path = os.path.join(folder, "atrium.bsp")
    s.run("brushwork", "build", s.map("atrium.vmf"), "-o", path, "--preset", "fast").expect(0)
    return path


def drawn(folder, scene):
    """A picture of what is in a .blend."""
    out = os.path.join(folder, "blender.png")
    text = DRAW.format(eye=tuple(x * INCH for x in EYE), yaw=YAW, width=SIZE[0], height=SIZE[1], out=out)
    said = blender(scene, "--python", write(os.path.join(folder, "draw.py"), text))
    if not os.path.exists(out) and "CYCLES" in said:
        raise Skip("blender without Cycles")
    check(os.path.exists(out), said[-2000:])
    return pixels(read(out))


def rendered(s, path):
    out = path + ".png"
    s.run("brushwork", "render", path, "--from", f"{EYE[0]} {EYE[1]} {EYE[2]} 0 {YAW}", "--size", f"{SIZE[0]}x{SIZE[1]}", "-o",
          out).expect(0)
    return pixels(read(out))


def saved(s, folder, model):
    """The model in a .blend, with its light, by the script for users; that of old importers needs names of old numpy."""
    in_blender(model, "1", folder)  # skips without Blender, or its importer
    script = os.path.join(s.options.source, "integrations", "blender", "lightmaps.py")
    names = ("import numpy\nfor n, k in (('bool', bool), ('int', int), ('float', float), ('object', object)):\n"
             "    vars(numpy).setdefault(n, k)\n")
    empty = "import bpy\nbpy.ops.wm.read_factory_settings(use_empty=True)\n"
    scene = os.path.join(folder, "scene.blend")
    said = blender("--python", write(os.path.join(folder, "before.py"), names + empty), "--python", script, "--", model, scene)
    check(os.path.exists(scene), said[-2000:])
    return scene, said


@suite.case
def lightmaps_are_shown_by_the_script(s, folder):
    path = compiled(s, folder)
    model = path[:-4] + ".glb"
    s.run("brushwork", "export", path, "-o", model).expect(0)
    scene, said = saved(s, folder, model)
    check(re.search(r"^[1-9][0-9]* materials with light", said, re.MULTILINE), said[-500:])
    difference = mean_difference(drawn(folder, scene), rendered(s, path))
    print(f"mean difference {difference:.2f} of 255")
    check(difference < 6, difference)


@suite.case
def baked_light_needs_no_script(s, folder):
    path = compiled(s, folder)
    model = path[:-4] + ".glb"
    s.run("brushwork", "export", path, "--bake", "atlas", "-o", model).expect(0)
    scene, _ = saved(s, folder, model)
    difference = mean_difference(drawn(folder, scene), rendered(s, path))
    print(f"mean difference {difference:.2f} of 255")
    check(difference < 4, difference)


@suite.case
def lights_have_the_units_of_the_importer(s, folder):
    """A sun of irradiance pi is one of strength pi there, as without units."""
    path = compiled(s, folder)
    found = {}
    for unit in ("lumens", "unitless"):
        model = path[:-4] + f"_{unit}.glb"
        s.run("brushwork", "export", path, "--light-units", unit, "-o", model).expect(0)
        found[unit] = in_blender(model, "sorted((o.name, o.data.type, o.data.energy) for o in bpy.data.objects if o.type == 'LIGHT')",
                                 folder)
    suns = [[row for row in rows if row[1] == "SUN"] for rows in found.values()]
    check(len(suns[0]) == 1 and suns[0][0][2] > 0.01, f"{suns}")
    for (name, _, here), (_, _, there) in zip(found["lumens"], found["unitless"]):
        check(abs(here / there - 683) < 0.5, f"{name}: {here}, {there}")


if __name__ == "__main__":
    suite.main()
