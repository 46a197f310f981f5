#!/usr/bin/env python3
"""brushwork export --bake: colours of the model beside what `render` draws, by rays through the triangles of the file.
About twelve seconds of CPU, most of it for these rays."""
import math
import os

from e2e import Suite, check, read, write
from glb import Model, cross, dot, minus
from pictures import pixels

suite = Suite()

INCH = 0.0254
EYE, YAW = (320, 120, 150), 90  # of the atrium
WIDTH, HEIGHT = 48, 30


def compiled(s, folder, name):
    path = os.path.join(folder, name.split(".")[0] + ".bsp")
    s.run("brushwork", "build", s.map(name), "-o", path, "--preset", "fast").expect(0)
    return path


def exported(s, path, name, *options):
    model = os.path.join(os.path.dirname(path), name)
    s.run("brushwork", "export", path, "-o", model, *options).expect(0)
    return model


def triangles(model):
    """Corners in the axes and units of the map, and what each corner has besides."""
    for mesh in model.head["meshes"]:
        for part in mesh["primitives"]:
            columns = {name: model.accessor(number) for name, number in part["attributes"].items()}
            points = [(x / INCH, -z / INCH, y / INCH) for x, y, z in columns["POSITION"]]
            indices = [i for i, in model.accessor(part["indices"])]
            material = model.head["materials"][part["material"]]
            for at in range(0, len(indices), 3):
                three = indices[at:at + 3]
                yield ([points[i] for i in three], [columns["TEXCOORD_0"][i] for i in three],
                       [columns["COLOR_0"][i] for i in three] if "COLOR_0" in columns else None, material)


def hits(found, direction):
    """The nearest triangle that faces the eye, and the weights of its corners."""
    best = (1e9, None, None)
    for triangle in found:
        a, b, c = triangle[0]
        u, v = minus(b, a), minus(c, a)
        p = cross(direction, v)
        scale = dot(u, p)
        if scale < 1e-9:
            continue
        t = minus(EYE, a)
        x = dot(t, p) / scale
        if x < 0 or x > 1:
            continue
        q = cross(t, u)
        y = dot(direction, q) / scale
        if y < 0 or x + y > 1:
            continue
        distance = dot(v, q) / scale
        if 0.1 < distance < best[0]:
            best = (distance, triangle, (1 - x - y, x, y))
    return best[1:]


def direction_of(column, row):
    """Of a pixel of a picture that is 90 degrees wide."""
    right, up = 2 * (column + 0.5) / WIDTH - 1, (HEIGHT - 2 * (row + 0.5)) / WIDTH
    cosine, sine = math.cos(math.radians(YAW)), math.sin(math.radians(YAW))
    return cosine + right * sine, sine - right * cosine, up


def compared(s, path, found, colour):
    """The mean and the share of large differences between what the model has and what is drawn."""
    picture = path + ".png"
    s.run("brushwork", "render", path, "--from", f"{EYE[0]} {EYE[1]} {EYE[2]} 0 {YAW}", "--size", f"{WIDTH}x{HEIGHT}", "-o",
          picture).expect(0)
    rows, differences = pixels(read(picture))[2], []
    for row in range(1, HEIGHT, 3):
        for column in range(1, WIDTH, 3):
            triangle, weights = hits(found, direction_of(column, row))
            if triangle is None:
                continue
            there = rows[row][3 * column:3 * column + 3]
            differences.append(sum(abs(a - b) for a, b in zip(there, colour(triangle, weights))) / 3)
    check(len(differences) > WIDTH * HEIGHT / 12, f"{len(differences)} rays hit something")
    large = sum(d > 24 for d in differences) / len(differences)
    print(f"mean difference {sum(differences) / len(differences):.2f} of 255, {100 * large:.1f} % over 24")
    return sum(differences) / len(differences), large


def shown(light):
    """The byte of linear light in glTF's colours."""
    return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)


@suite.case
def an_atlas_has_the_colours_of_pictures(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    model = Model(exported(s, path, "a.glb", "--bake", "atlas", "--bake-size", 1024)).check()
    check("KHR_lights_punctual" in model.head["extensionsUsed"], "no lights")
    for material in model.head["materials"]:
        check("KHR_materials_unlit" in material["extensions"], f"{material} is lit")
        check(material["pbrMetallicRoughness"]["baseColorTexture"]["index"] == 0, f"{material}: another image")
    width, height, rows = pixels(model.image(0))
    check(len(model.head["images"]) == 1 and width == height == 1024, "not one image")

    def colour(triangle, weights):
        u, v = (sum(w * place[k] for w, place in zip(weights, triangle[1])) for k in range(2))
        check(0 <= u <= 1 and 0 <= v <= 1, f"{u} {v} is outside of the image")
        x = 3 * min(int(u * width), width - 1)
        return rows[min(int(v * height), height - 1)][x:x + 3]
    mean, large = compared(s, path, list(triangles(model)), colour)
    check(mean < 4 and large < 0.04, f"{mean}, {large}")


@suite.case
def vertices_have_the_light_of_pictures(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    model = Model(exported(s, path, "v.glb", "--bake", "vertex", "--bake-step", 96)).check()
    found = list(triangles(model))
    check(all(colours for _, _, colours, _ in found), "a part without colours")
    longest = max(math.dist(p[k], p[k - 1]) for p, _, _, _ in found for k in range(3))
    check(longest <= 96.1, f"an edge of {longest} units")

    def colour(triangle, weights):
        factor = triangle[3]["pbrMetallicRoughness"].get("baseColorFactor", (1, 1, 1, 1))
        return [shown(factor[k] * sum(w * c[k] for w, c in zip(weights, triangle[2]))) for k in range(3)]
    mean, large = compared(s, path, found, colour)
    check(mean < 14 and large < 0.15, f"{mean}, {large}")


@suite.case
def bytes_repeat_with_any_threads(s, folder):
    path = compiled(s, folder, "box.vmf")
    for form in ("atlas", "vertex"):
        files = [read(exported(s, path, f"{form}{n}.glb", "--bake", form, "--bake-size", 128, "-threads", n)) for n in (1, 3)]
        check(files[0] == files[1], f"{form}: bytes differ")


@suite.case
def patches_and_obj_have_an_atlas(s, folder):
    path = compiled(s, folder, "q3_patches.map")
    model = Model(exported(s, path, "q.glb", "--bake", "atlas", "--bake-size", 256)).check()
    check(len(model.head["images"]) == 1, "images")
    exported(s, path, "q.obj", "--bake", "atlas", "--bake-size", 256)
    text = read(os.path.join(folder, "q.mtl")).decode()
    check(text.count("map_Kd") == text.count("newmtl"), text)


@suite.case
def what_cannot_be_is_refused(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    out = os.path.join(folder, "no.glb")
    for options in (("--bake", "atlas", "--bake-size", 16), ("--bake", "vertex", "--bake-step", 0.1)):
        done = s.run("brushwork", "export", path, "-o", out, "--json", *options).expect(1)
        check(done.codes().count("B016") == 1 and not os.path.exists(out), f"{done}")
    s.run("brushwork", "export", path, "-o", out[:-4] + ".obj", "--bake", "vertex").expect(2)
    check(not os.path.exists(out[:-4] + ".obj"), "written all the same")


@suite.case
def lights_have_units(s, folder):
    path = compiled(s, folder, "atrium.vmf")
    found = {}
    for unit in ("unitless", "lumens"):
        head = Model(exported(s, path, unit + ".glb", "--light-units", unit)).head
        found[unit] = [light["intensity"] for light in head["extensions"]["KHR_lights_punctual"]["lights"]]
    check(found["lumens"] and len(found["lumens"]) == len(found["unitless"]), f"{found}")
    for watts, lumens in zip(found["unitless"], found["lumens"]):
        check(abs(lumens / watts - 683) < 0.01, f"{watts}, {lumens}")


@suite.case
def suns_of_skies_are_lights(s, folder):
    """One that lights a quarter of the half of white, which the engine brightens to a half."""
    game = os.path.join(folder, "game", "baseq3")
    os.makedirs(os.path.join(game, "scripts"))
    write(os.path.join(game, "scripts", "sky.shader"),
          "textures/test/sky\n{\nsurfaceparm sky\nsurfaceparm noimpact\nq3map_sun 1 0.5 0.25 31.875 90 45\n}\n")
    text = read(s.map("q3_box.map")).decode()
    source = write(os.path.join(folder, "sky.map"), text.replace("base_wall/basewall01", "test/sky"))
    path = os.path.join(folder, "sky.bsp")
    content = ("-game", os.path.join(folder, "game"))
    s.run("brushwork", "build", source, *content, "-o", path, "--preset", "fast").expect(0)
    model = Model(exported(s, path, "sky.glb", *content))
    lights = model.head["extensions"]["KHR_lights_punctual"]["lights"]
    suns = [light for light in lights if light["type"] == "directional"]
    check(len(suns) == 1 and suns[0]["color"] == [1, 0.5, 0.25], f"{lights}")
    check(abs(suns[0]["intensity"] - math.pi * 0.2176376) < 1e-4, f"{suns}")


if __name__ == "__main__":
    suite.main()
