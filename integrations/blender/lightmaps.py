"""Shows the lightmaps of a map in Blender (3.4 or later).

    brushwork export my_map.bsp -o my_map.glb
    blender --python lightmaps.py -- my_map.glb [scene.blend]

Imports the model and gives each material the light that the extension MOZ_lightmap names: its colour times the lightmap,
as it glows. With the name of a .blend the scene is saved there, for use with --background.
"""
import json
import math
import os
import struct
import sys
import tempfile
import urllib.parse

import bpy


def read_model(path):
    """The JSON of a .glb or .gltf, and a function that returns the bytes of an image by its number."""
    with open(path, "rb") as file:
        data = file.read()
    body = b""
    if data[:4] == b"glTF":
        length = struct.unpack_from("<I", data, 12)[0]
        head, body = json.loads(data[20:20 + length].decode()), data[28 + length:]
    else:
        head = json.loads(data.decode())

    def image(number):
        row = head["images"][number]
        if "uri" in row:
            with open(os.path.join(os.path.dirname(path), urllib.parse.unquote(row["uri"])), "rb") as file:
                return file.read()
        view = head["bufferViews"][row["bufferView"]]
        at = view.get("byteOffset", 0)
        return body[at:at + view["byteLength"]]
    return head, image


def load_image(name, data):
    """An image that is packed into the scene."""
    with tempfile.NamedTemporaryFile(suffix=".png", delete=False) as file:
        file.write(data)
    try:
        image = bpy.data.images.load(file.name)
        image.name = name
        image.colorspace_settings.name = "sRGB"
        image.pack()
    finally:
        os.remove(file.name)
    return image


def base_colour(tree):
    """What the colour of the imported material comes from: a socket, or a constant."""
    for node in tree.nodes:
        for name in ("Base Color", "Color"):
            if node.type in ("BSDF_PRINCIPLED", "EMISSION", "BACKGROUND") and name in node.inputs:
                links = node.inputs[name].links
                return links[0].from_socket if links else tuple(node.inputs[name].default_value)
    return (1, 1, 1, 1)


def multiply(tree, first, second):
    """The product of two colours, each a socket or a constant."""
    node = tree.nodes.new("ShaderNodeMixRGB")
    node.blend_type = "MULTIPLY"
    node.inputs["Fac"].default_value = 1
    for name, value in (("Color1", first), ("Color2", second)):
        if isinstance(value, tuple):
            node.inputs[name].default_value = value
        else:
            tree.links.new(value, node.inputs[name])
    return node.outputs["Color"]


def show_light(material, image, coordinates, intensity):
    """Lets the material glow as it is lit. Intensity makes irradiance of the image; of that a white surface sends out a part
    in pi to each side."""
    tree = material.node_tree
    colour = base_colour(tree)
    place = tree.nodes.new("ShaderNodeUVMap")
    place.uv_map = "UVMap" if coordinates == 0 else f"UVMap.{coordinates:03}"
    light = tree.nodes.new("ShaderNodeTexImage")
    light.image, light.extension = image, "EXTEND"
    tree.links.new(place.outputs["UV"], light.inputs["Vector"])
    glow = tree.nodes.new("ShaderNodeEmission")
    tree.links.new(multiply(tree, colour, light.outputs["Color"]), glow.inputs["Color"])
    glow.inputs["Strength"].default_value = intensity / math.pi
    output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    tree.links.new(glow.outputs["Emission"], output.inputs["Surface"])


def show_lightmaps(path):
    """Imports the model. Returns how many of its materials have light."""
    head, image_data = read_model(path)
    known = set(bpy.data.materials)
    bpy.ops.import_scene.gltf(filepath=path)
    images, lit = {}, 0
    imported = {material.name: material for material in bpy.data.materials if material not in known}
    for row in head.get("materials", []):
        light = row.get("extensions", {}).get("MOZ_lightmap")
        material = imported.get(row["name"]) or next((m for n, m in imported.items() if n.rsplit(".", 1)[0] == row["name"]), None)
        if not light or not material or not material.node_tree:
            continue
        number = head["textures"][light["index"]]["source"]
        if number not in images:
            images[number] = load_image(f"lightmap {len(images)}", image_data(number))
        show_light(material, images[number], light.get("texCoord", 0), light.get("intensity", 1))
        lit += 1
    return lit


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    if not arguments:
        print(__doc__)
        return
    print(f"{show_lightmaps(os.path.abspath(arguments[0]))} materials with light")
    if len(arguments) > 1:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(arguments[1]))


if __name__ == "__main__":
    main()
