"""The functions and records of brushwork/brushwork.h, for ctypes."""
import ctypes
import os
from ctypes import (POINTER, CFUNCTYPE, Structure, c_char_p, c_double, c_float, c_int, c_int32,
                    c_int64, c_size_t, c_uint8, c_uint32, c_void_p)

NAME = "libbrushwork.so.0"
EVENTS = ("begin", "step", "end", "counter", "file")


class Message(Structure):
    _fields_ = [("severity", c_int), ("code", c_char_p), ("title", c_char_p), ("text", c_char_p),
                ("fix", c_char_p), ("file", c_char_p), ("line", c_int32), ("entity", c_int32),
                ("solid", c_int32), ("side", c_int32), ("has_point", c_int32),
                ("point", c_double * 3)]


class Progress(Structure):
    _fields_ = [("event", c_int), ("name", c_char_p), ("done", c_size_t), ("total", c_size_t),
                ("seconds", c_double), ("value", c_int64)]


class Vertex(Structure):
    _fields_ = [("position", c_float * 3), ("normal", c_float * 3), ("texture", c_float * 2),
                ("lightmap", c_float * 2), ("colour", c_uint8 * 4)]


class Face(Structure):
    _fields_ = [("first_vertex", c_uint32), ("vertex_count", c_uint32), ("first_index", c_uint32),
                ("index_count", c_uint32), ("model", c_int32), ("material", c_int32),
                ("surface_flags", c_uint32), ("lightmap", c_int32), ("columns", c_int32)]


class Mesh(Structure):
    _fields_ = [("vertices", c_void_p), ("vertex_count", c_size_t), ("indices", c_void_p),
                ("index_count", c_size_t), ("faces", c_void_p), ("face_count", c_size_t)]


class LightmapInfo(Structure):
    _fields_ = [("width", c_int32), ("height", c_int32), ("style_count", c_int32),
                ("styles", c_uint8 * 4), ("is_bumped", c_int32)]


ON_MESSAGE = CFUNCTYPE(None, c_void_p, POINTER(Message))
ON_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))

SESSION = BSP = c_void_p
POINT = POINTER(c_double)

# name: (result, arguments)
FUNCTIONS = {
    "version": (c_char_p, []),
    "free": (None, [c_void_p]),
    "session_new": (SESSION, []),
    "session_free": (c_int, [SESSION]),
    "session_messages": (c_int, [SESSION, ON_MESSAGE, c_void_p]),
    "session_progress": (c_int, [SESSION, ON_PROGRESS, c_void_p]),
    "run": (c_int, [SESSION, c_char_p, POINTER(c_char_p), c_size_t]),
    "cancel": (None, [SESSION]),
    "session_use_memory": (c_int, [SESSION]),
    "file_put": (c_int, [SESSION, c_char_p, c_char_p, c_size_t]),
    "file_get": (c_int, [SESSION, c_char_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "bsp_open": (c_int, [SESSION, c_char_p, POINTER(BSP)]),
    "bsp_read": (c_int, [SESSION, c_char_p, c_size_t, c_char_p, POINTER(BSP)]),
    "bsp_close": (c_int, [BSP]),
    "bsp_write": (c_int, [BSP, c_char_p]),
    "bsp_save": (c_int, [BSP, POINTER(c_void_p), POINTER(c_size_t)]),
    "bsp_verify": (c_int, [BSP]),
    "bsp_family": (c_int, [BSP]),
    "bsp_version": (c_int32, [BSP]),
    "bsp_target": (c_char_p, [BSP]),
    "entity_count": (c_size_t, [BSP]),
    "entity_add": (c_int, [BSP, POINTER(c_size_t)]),
    "entity_remove": (c_int, [BSP, c_size_t]),
    "pair_count": (c_size_t, [BSP, c_size_t]),
    "pair_key": (c_char_p, [BSP, c_size_t, c_size_t]),
    "pair_value": (c_char_p, [BSP, c_size_t, c_size_t]),
    "pair_add": (c_int, [BSP, c_size_t, c_char_p, c_char_p]),
    "entity_get": (c_char_p, [BSP, c_size_t, c_char_p]),
    "entity_set": (c_int, [BSP, c_size_t, c_char_p, c_char_p]),
    "entity_unset": (c_int, [BSP, c_size_t, c_char_p]),
    "bsp_mesh": (POINTER(Mesh), [BSP]),
    "material_count": (c_size_t, [BSP]),
    "material_name": (c_char_p, [BSP, c_size_t]),
    "bsp_use_hdr": (c_int, [BSP, c_int]),
    "lightmap_count": (c_size_t, [BSP]),
    "lightmap_info": (c_int, [BSP, c_size_t, POINTER(LightmapInfo)]),
    "lightmap_pixels": (c_void_p, [BSP, c_size_t, c_int32]),
    "leaf_at": (c_int32, [BSP, POINT]),
    "leaf_cluster": (c_int32, [BSP, c_int32]),
    "contents_at": (c_uint32, [BSP, POINT]),
    "cluster_sees": (c_int, [BSP, c_int32, c_int32]),
    "packed_count": (c_int, [BSP, POINTER(c_size_t)]),
    "packed_name": (c_char_p, [BSP, c_size_t]),
    "packed_get": (c_int, [BSP, c_char_p, POINTER(c_void_p), POINTER(c_size_t)]),
    "packed_put": (c_int, [BSP, c_char_p, c_char_p, c_size_t]),
    "packed_remove": (c_int, [BSP, c_char_p]),
}


def beside():
    """The library in LIB when this is LIB/python3/dist-packages/brushwork, so that the folder of an
    installation can be moved; or None."""
    folder = os.path.dirname(os.path.realpath(__file__))
    for _ in range(3):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, NAME)
        if os.path.exists(path):
            return path
    return None


def load():
    """Loads the library and declares its functions."""
    path = os.environ.get("BRUSHWORK_LIBRARY") or beside() or NAME
    try:
        library = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(library, "brushwork_" + name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ImportError(f"cannot load {path}: {error}. BRUSHWORK_LIBRARY may hold the path of "
                          "another libbrushwork.so.0") from error
    return library
