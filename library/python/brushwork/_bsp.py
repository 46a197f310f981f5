"""Compiled maps."""
import contextlib
import ctypes
import operator

from . import _values
from ._entities import Entities
from ._library import Face, LightmapInfo, Vertex
from ._session import Session, decoded, library

SOURCE, QUAKE3 = "source", "quake3"
LARGEST_INT = 2**31 - 1


class Lightmap(_values.Unique):
    """A lightmap: width, height, styles (numbers of light styles), is_bumped."""

    def __init__(self, bsp, index):
        """Within _use."""
        info = LightmapInfo()
        bsp._call(library.brushwork_lightmap_info, index, ctypes.byref(info))
        self._bsp, self._index, self._lighting = bsp, index, bsp._lighting
        self.width, self.height = info.width, info.height
        self.styles = tuple(info.styles[:info.style_count])
        self.is_bumped = bool(info.is_bumped)
        self._shape = (info.height, info.width, 3)
        self._count = info.style_count

    def pixels(self, style=0):
        """The image of a style, by its place in `styles`: a memoryview of floats, [y, x, channel].
        Source: linear, 1 is white, brighter light is more; Quake 3: 0 to 1, for a screen. It is a
        copy, which outlives the BSP."""
        place = _values.index(style, self._count, "style")
        with self._bsp._use() as handle:
            if self._lighting != self._bsp._lighting:
                raise ValueError("the BSP shows other lightmaps since use_hdr()")
            data = library.brushwork_lightmap_pixels(handle, self._index, place)
            if not data:
                raise IndexError(f"there is no lightmap {self._index}")
            try:
                copy = ctypes.string_at(data, self._shape[0] * self._shape[1] * 12)
            finally:
                library.brushwork_free(data)
        return memoryview(copy).cast("f", self._shape)


class Geometry:
    """All faces of all models as triangles: ctypes arrays, whose items have the fields of the
    library's header, and which numpy.frombuffer takes. It is a copy, which outlives the BSP."""

    def __init__(self, mesh):
        self.__setstate__([ctypes.string_at(start, count * ctypes.sizeof(kind)) for kind, start, count in (
            (Vertex, mesh.vertices, mesh.vertex_count), (ctypes.c_uint32, mesh.indices, mesh.index_count),
            (Face, mesh.faces, mesh.face_count))])

    def __getstate__(self):
        return [bytes(array) for array in (self.vertices, self.indices, self.faces)]

    def __setstate__(self, state):
        self.vertices, self.indices, self.faces = (
            (kind * (len(data) // ctypes.sizeof(kind))).from_buffer_copy(data)
            for kind, data in zip((Vertex, ctypes.c_uint32, Face), state))


class Bsp(_values.Unique):
    """A compiled map, from a path or from bytes. Changes are in memory until write().

    After close() its use, and that of its entities and lightmaps, raises ValueError.
    """

    _handle = None  # while it is closed
    _session = None

    def __init__(self, source, name="memory", session=None):
        if self._session is not None:
            raise RuntimeError("the Bsp is initialised twice")
        if session is not None and not isinstance(session, Session):
            raise TypeError(f"session must be a Session, not {type(session).__name__}")
        self._removed = []  # indices of entities, in the order that they went
        self._changes = 0   # entities that came or went
        self._lighting = False
        handle = ctypes.c_void_p()
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = _values.data(source)
            call = (library.brushwork_bsp_read, data, len(data), _values.text(name, "the name"))
        else:
            call = library.brushwork_bsp_open, _values.path(source, "the source")
        session = Session() if session is None else session
        with session._use():
            session._call(call[0], session._handle, *call[1:], ctypes.byref(handle))
        self._session, self._handle = session, handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        handle, self._handle = self._handle, None
        if handle:
            self._session._doom(handle)

    @property
    def session(self):
        return self._session

    def close(self):
        """Frees what the BSP holds. Again is fine."""
        if self._handle:
            with self._session._use():
                handle, self._handle = self._handle, None
                if handle:
                    library.brushwork_bsp_close(handle)

    @contextlib.contextmanager
    def _use(self):
        """Holds the session, and gives the handle for calls of the library."""
        if self._session is None:
            raise ValueError(f"the {type(self).__name__} is not initialised: its __init__ did not run")
        with self._session._use():
            if not self._handle:
                raise ValueError("the BSP is closed")
            yield self._handle

    def _call(self, function, *arguments):
        """Calls a function of the library about this BSP, within _use."""
        self._session._call(function, self._handle, *arguments)

    def _bytes_of(self, function, *arguments):
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._use():
            self._call(function, *arguments, ctypes.byref(data), ctypes.byref(size))
            try:
                return ctypes.string_at(data, size.value)
            finally:
                library.brushwork_free(data)

    @property
    def family(self):
        with self._use() as handle:
            return (SOURCE, QUAKE3)[library.brushwork_bsp_family(handle)]

    @property
    def version(self):
        with self._use() as handle:
            return library.brushwork_bsp_version(handle)

    @property
    def target(self):
        """The name of --target: "sdk2013"."""
        with self._use() as handle:
            return decoded(library.brushwork_bsp_target(handle))

    @property
    def entities(self):
        return Entities(self)

    def write(self, path):
        name = _values.path(path)
        with self._use():
            self._call(library.brushwork_bsp_write, name)

    def to_bytes(self):
        """The file."""
        return self._bytes_of(library.brushwork_bsp_save)

    def verify(self):
        """Returns the diagnostics of `brushwork verify`; raises Error when one is an error."""
        with self._use():
            self._call(library.brushwork_bsp_verify)
            return self._session._sink.diagnostics

    @property
    def materials(self):
        with self._use() as handle:
            return [decoded(library.brushwork_material_name(handle, i))
                    for i in range(library.brushwork_material_count(handle))]

    @property
    def mesh(self):
        """A Geometry: a copy."""
        with self._use() as handle:
            return Geometry(library.brushwork_bsp_mesh(handle).contents)

    def use_hdr(self, hdr=True):
        """Chooses the HDR lightmaps where the file has both."""
        with self._use():
            self._call(library.brushwork_bsp_use_hdr, bool(hdr))
            self._lighting = bool(hdr)

    @property
    def lightmaps(self):
        with self._use() as handle:
            return [Lightmap(self, i) for i in range(library.brushwork_lightmap_count(handle))]

    def contents_at(self, point):
        at = _values.point(point)
        with self._use() as handle:
            return library.brushwork_contents_at(handle, at)

    def leaf_at(self, point):
        at = _values.point(point)
        with self._use() as handle:
            return library.brushwork_leaf_at(handle, at)

    def cluster_of(self, leaf):
        """The cluster of a leaf; -1: none."""
        number = operator.index(leaf)
        with self._use() as handle:
            return library.brushwork_leaf_cluster(handle, number) if 0 <= number <= LARGEST_INT else -1

    def sees(self, a, b):
        """True if a point sees another, as far as the clusters say; False from or to solid."""
        clusters = [self.cluster_of(self.leaf_at(point)) for point in (a, b)]
        with self._use() as handle:
            return min(clusters) >= 0 and bool(library.brushwork_cluster_sees(handle, *clusters))

    @property
    def packed(self):
        """The names of the files inside a BSP of Source."""
        count = ctypes.c_size_t()
        with self._use() as handle:
            self._call(library.brushwork_packed_count, ctypes.byref(count))
            return [decoded(library.brushwork_packed_name(handle, i)) for i in range(count.value)]

    def unpack(self, name):
        """The bytes of a packed file."""
        return self._bytes_of(library.brushwork_packed_get, _values.text(name, "a name"))

    def pack(self, name, data):
        """Adds or replaces a packed file."""
        given, content = _values.text(name, "a name"), _values.data(data)
        with self._use():
            self._call(library.brushwork_packed_put, given, content, len(content))

    def remove_packed(self, name):
        given = _values.text(name, "a name")
        with self._use():
            self._call(library.brushwork_packed_remove, given)
