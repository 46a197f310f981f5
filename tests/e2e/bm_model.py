"""What a BM file holds, with attributes instead of keys, and its geometry in the axes and units of maps."""
import types

from bmx_files import UNIT, Level


def mesh_of(block):
    faces = [([row[i:i + 3] for i in (0, 3, 6)], row[10] if row[9] else None) for row in block["faces"]]
    return types.SimpleNamespace(name=block["name"], positions=block["v"], uvs=block["vt"], normals=block["vn"],
                                 faces=faces)


def load(path):
    """Returns objects, meshes, materials, textures, each a list in the order of the index, and files by name. The
    material of a face and the texture of a material are None when they are unused."""
    level = Level(path)
    objects, materials, textures = ([types.SimpleNamespace(**block) for block in blocks]
                                    for blocks in (level.objects, level.materials, level.textures))
    for made in objects:
        made.groups = set(made.groups)
    for material in materials:
        material.texture = material.texture if material.use_texture else None
    return types.SimpleNamespace(objects=objects, meshes=[mesh_of(block) for block in level.meshes],
                                 materials=materials, textures=textures, files=level.files)


def to_map(p, scale=UNIT):
    """A point of a BM file in the axes and units of maps."""
    return (p[0] * scale, p[2] * scale, p[1] * scale)
