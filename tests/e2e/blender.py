"""Debian's Blender without a window: what it makes of a model."""
import json
import os
import shutil
import subprocess

from e2e import Skip, check, write

READ = """
import bpy, json, sys
bpy.ops.wm.read_factory_settings(use_empty=True)
path = sys.argv[-1]
if path.endswith('.obj'):
    bpy.ops.wm.obj_import(filepath=path)
else:
    try:
        import numpy
    except ImportError:
        print('no numpy')
        sys.exit(0)
    for name, kind in (('bool', bool), ('int', int), ('float', float), ('object', object)):
        if name not in numpy.__dict__: # its importer is older than Debian's numpy
            setattr(numpy, name, kind)
    bpy.ops.import_scene.gltf(filepath=path)
meshes = [o for o in bpy.data.objects if o.type == 'MESH']
"""
MISSING = (b"no numpy", b"import_scene.gltf could not be found", b"wm.obj_import could not be found")


def in_blender(path, expression, folder):
    """The value of an expression after it has read the model; `meshes` are the objects with one."""
    blender = shutil.which("blender")
    if not blender:
        raise Skip("no blender")
    script = write(os.path.join(folder, "read.py"), f"{READ}print('RESULT ' + json.dumps({expression}))\n")
    done = subprocess.run([blender, "--background", "--factory-startup", "--python", script, "--", path],
                          env=dict(os.environ, PATH="/usr/bin:/bin"),  # the Python of the system
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if any(part in done.stdout for part in MISSING):
        raise Skip("blender without the importer, or its numpy")
    text = done.stdout.decode(errors="replace")
    lines = [line for line in text.splitlines() if line.startswith("RESULT ")]
    check(lines, text[-2000:])
    return json.loads(lines[0][7:])
