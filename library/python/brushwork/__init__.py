"""Compiles maps, and reads, queries and changes compiled ones, by libbrushwork.

    import brushwork
    result = brushwork.compile("room.vmf", game="hl2mp")
    with brushwork.Bsp("room.bsp") as bsp:
        lights = [e for e in bsp.entities if e["classname"] == "light"]

A call that fails raises brushwork.Error with the messages of the library. The library is that of
the path in BRUSHWORK_LIBRARY, that of the installation with this module, or found by its name.
"""
import collections.abc
import ctypes
import os

from ._library import (Face, LightmapInfo, Vertex, EVENTS, ON_MESSAGE,
                       ON_PROGRESS, load)

__all__ = ["Bsp", "Diagnostic", "Entity", "Error", "Lightmap", "Result", "Session", "compile",
           "run", "version"]

OK, FAILED, USAGE, LEAK, INTERNAL = range(5)
SEVERITIES = ("note", "warning", "error")
SOURCE, QUAKE3 = "source", "quake3"

_library = load()


def version():
    """The version of the library: "0.1.0"."""
    return _library.brushwork_version().decode()


def _text(value):
    return None if value is None else value.decode("utf-8", "surrogateescape")


def _bytes(value):
    if isinstance(value, (str, os.PathLike)):
        value = os.fspath(value)
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


class Diagnostic:
    """A message: severity, code, title, text, fix, file, line, entity, solid, side, point.

    What does not apply is None.
    """

    def __init__(self, message):
        self.severity = SEVERITIES[message.severity]
        self.code, self.title = _text(message.code), _text(message.title)
        self.text, self.fix = _text(message.text), _text(message.fix)
        self.file, self.line = _text(message.file), message.line or None
        self.entity, self.solid, self.side = message.entity, message.solid, message.side
        self.point = tuple(message.point) if message.has_point else None

    def __str__(self):
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        text = f": {self.text}" if self.text else ""
        return f"{place}{self.severity} {self.code}: {self.title}{text}"

    def __repr__(self):
        return f"<Diagnostic {self}>"


class Error(Exception):
    """A call that failed: status (an exit status of the programs) and diagnostics."""

    def __init__(self, status, diagnostics):
        self.status, self.diagnostics = status, diagnostics
        errors = [d for d in diagnostics if d.severity == "error"] or diagnostics
        super().__init__("\n".join(str(d) for d in errors) or f"status {status}")


class Result:
    """A finished run: status, diagnostics, and the paths of the files that it wrote."""

    def __init__(self, status, diagnostics, files):
        self.status, self.diagnostics, self.files = status, diagnostics, files

    @property
    def leaks(self):
        return self.status == LEAK


class Session:
    """What runs and open BSPs share: callbacks and, with memory=True, files that stay in memory.

    on_message(Diagnostic) and on_progress(event, name, done, total) are called during runs. An
    exception in them ends the run, and is raised by it.
    """

    def __init__(self, memory=False, on_message=None, on_progress=None):
        self._handle = _library.brushwork_session_new()
        self._on_message, self._on_progress = on_message, on_progress
        self._diagnostics, self._files, self._raised = [], [], None
        self._callbacks = ON_MESSAGE(self._message), ON_PROGRESS(self._progress)
        _library.brushwork_session_messages(self._handle, self._callbacks[0], None)
        _library.brushwork_session_progress(self._handle, self._callbacks[1], None)
        if memory:
            _library.brushwork_session_use_memory(self._handle)

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.brushwork_session_free(self._handle)
            self._handle = None

    def _keep(self, error):
        self._raised = self._raised or error
        self.cancel()

    def _message(self, _, message):
        diagnostic = Diagnostic(message.contents)
        self._diagnostics.append(diagnostic)
        try:
            if self._on_message:
                self._on_message(diagnostic)
        except BaseException as error:  # pylint: disable=broad-except
            self._keep(error)

    def _progress(self, _, progress):
        event, name = EVENTS[progress.contents.event], _text(progress.contents.name)
        if event == "file":
            self._files.append(name)
        try:
            if self._on_progress:
                self._on_progress(event, name, progress.contents.done, progress.contents.total)
        except BaseException as error:  # pylint: disable=broad-except
            self._keep(error)

    def _begin(self):
        self._diagnostics, self._files, self._raised = [], [], None

    def _call(self, function, *arguments, allowed=(OK,)):
        """Calls a function of the library and raises what it reports."""
        self._begin()
        status = function(*arguments)
        if self._raised:
            raise self._raised
        if status not in allowed:
            raise Error(status, self._diagnostics)
        return status

    def cancel(self):
        """Asks the present run to end: it raises Error. From any thread."""
        _library.brushwork_cancel(self._handle)

    def run(self, program, *arguments):
        """Runs "vbsp", "vvis", "vrad" or "build" with the arguments of a command line."""
        values = [_bytes(argument) for argument in arguments]
        array = (ctypes.c_char_p * len(values))(*values)
        status = self._call(_library.brushwork_run, self._handle, _bytes(program), array,
                            len(values), allowed=(OK, LEAK))
        return Result(status, self._diagnostics, self._files)

    def put(self, path, data):
        """Puts a file into the memory of a session with memory=True."""
        self._call(_library.brushwork_file_put, self._handle, _bytes(path), bytes(data), len(data))

    def get(self, path):
        """The bytes of a file in memory."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._call(_library.brushwork_file_get, self._handle, _bytes(path), ctypes.byref(data),
                   ctypes.byref(size))
        return ctypes.string_at(data, size.value)


def run(program, *arguments, **callbacks):
    """Session.run in a session of its own."""
    return Session(**callbacks).run(program, *arguments)


def compile(source, output=None, game=None, arguments=(), **callbacks):  # pylint: disable=redefined-builtin
    """Compiles, solves visibility and lights: `brushwork build`. Returns a Result, also of a map
    that leaks; raises Error when nothing was written."""
    given = [source, *(["-o", output] if output else []), *(["-game", game] if game else []),
             *arguments]
    return run("build", *given, **callbacks)


class Entity(collections.abc.MutableMapping):
    """The key-value pairs of an entity. Keys are compared without regard to case; `pairs` has all,
    also repeated ones, as outputs are."""

    def __init__(self, bsp, index):
        self._bsp, self._index = bsp, index

    def __getitem__(self, key):
        value = _library.brushwork_entity_get(self._bsp.handle, self._index, _bytes(key))
        if value is None:
            raise KeyError(key)
        return _text(value)

    def __setitem__(self, key, value):
        self._bsp.call(_library.brushwork_entity_set, self._index, _bytes(key), _bytes(value))

    def __delitem__(self, key):
        if key not in self:
            raise KeyError(key)
        self._bsp.call(_library.brushwork_entity_unset, self._index, _bytes(key))

    @property
    def pairs(self):
        handle, index = self._bsp.handle, self._index
        return [(_text(_library.brushwork_pair_key(handle, index, i)),
                 _text(_library.brushwork_pair_value(handle, index, i)))
                for i in range(_library.brushwork_pair_count(handle, index))]

    def add(self, key, value):
        """Appends a pair, though there may be one with that key."""
        self._bsp.call(_library.brushwork_pair_add, self._index, _bytes(key), _bytes(value))

    def __iter__(self):
        seen = set()
        for key, _ in self.pairs:
            if key.lower() not in seen:
                seen.add(key.lower())
                yield key

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return f"<Entity {self._index} {dict(self)!r}>"


class Entities(collections.abc.Sequence):
    """The entities of a BSP, in order; the first is worldspawn."""

    def __init__(self, bsp):
        self._bsp = bsp

    def __len__(self):
        return _library.brushwork_entity_count(self._bsp.handle)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return Entity(self._bsp, index % len(self))

    def add(self, pairs=(), **more):
        """Appends an entity and returns it."""
        index = ctypes.c_size_t()
        self._bsp.call(_library.brushwork_entity_add, ctypes.byref(index))
        entity = Entity(self._bsp, index.value)
        for key, value in list(dict(pairs).items()) + list(more.items()):
            entity.add(key, value)
        return entity

    def __delitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        self._bsp.call(_library.brushwork_entity_remove, index % len(self))


class Lightmap:
    """A lightmap: width, height, styles (numbers of light styles), is_bumped."""

    def __init__(self, bsp, index):
        info = LightmapInfo()
        bsp.call(_library.brushwork_lightmap_info, index, ctypes.byref(info))
        self._bsp, self._index = bsp, index
        self.width, self.height = info.width, info.height
        self.styles = tuple(info.styles[:info.style_count])
        self.is_bumped = bool(info.is_bumped)

    def pixels(self, style=0):
        """The image of a style, by its place in `styles`: a memoryview of floats, [y, x, channel].
        Source: linear, 1 is white, brighter light is more; Quake 3: 0 to 1, for a screen."""
        data = _library.brushwork_lightmap_pixels(self._bsp.handle, self._index, style)
        if not data:
            raise IndexError(style)
        copy = ctypes.string_at(data, self.width * self.height * 12)
        _library.brushwork_free(data)
        return memoryview(copy).cast("f", (self.height, self.width, 3))


class Geometry:
    """All faces of all models as triangles: ctypes arrays, whose items have the fields of the
    library's header, and which numpy.frombuffer takes."""

    def __init__(self, mesh):
        self.vertices = (Vertex * mesh.vertex_count)()
        self.indices = (ctypes.c_uint32 * mesh.index_count)()
        self.faces = (Face * mesh.face_count)()
        for copy, original in ((self.vertices, mesh.vertices), (self.indices, mesh.indices),
                               (self.faces, mesh.faces)):
            if len(copy):
                ctypes.memmove(copy, original, ctypes.sizeof(copy))


class Bsp:
    """A compiled map, from a path or from bytes. Changes are in memory until write()."""

    def __init__(self, source, name="memory", session=None):
        self.handle = None
        self.session = session or Session()
        handle = ctypes.c_void_p()
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
            arguments = (_library.brushwork_bsp_read, self.session._handle, data, len(data),
                         _bytes(name))
        else:
            arguments = (_library.brushwork_bsp_open, self.session._handle, _bytes(source))
        self.session._call(*arguments, ctypes.byref(handle))
        self.handle = handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            _library.brushwork_bsp_close(handle)

    def call(self, function, *arguments):
        """Calls a function of the library about this BSP."""
        if not self.handle:
            raise ValueError("the BSP is closed")
        self.session._call(function, self.handle, *arguments)

    def _bytes_of(self, function, *arguments):
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.call(function, *arguments, ctypes.byref(data), ctypes.byref(size))
        copy = ctypes.string_at(data, size.value)
        _library.brushwork_free(data)
        return copy

    @property
    def family(self):
        return (SOURCE, QUAKE3)[_library.brushwork_bsp_family(self.handle)]

    @property
    def version(self):
        return _library.brushwork_bsp_version(self.handle)

    @property
    def target(self):
        """The name of --target: "sdk2013"."""
        return _text(_library.brushwork_bsp_target(self.handle))

    @property
    def entities(self):
        return Entities(self)

    def write(self, path):
        self.call(_library.brushwork_bsp_write, _bytes(path))

    def to_bytes(self):
        """The file."""
        return self._bytes_of(_library.brushwork_bsp_save)

    def verify(self):
        """Returns the diagnostics of `brushwork verify`; raises Error when one is an error."""
        self.call(_library.brushwork_bsp_verify)
        return self.session._diagnostics

    @property
    def materials(self):
        return [_text(_library.brushwork_material_name(self.handle, i))
                for i in range(_library.brushwork_material_count(self.handle))]

    @property
    def mesh(self):
        """A Geometry: a copy."""
        return Geometry(_library.brushwork_bsp_mesh(self.handle).contents)

    def use_hdr(self, hdr=True):
        """Chooses the HDR lightmaps where the file has both."""
        _library.brushwork_bsp_use_hdr(self.handle, hdr)

    @property
    def lightmaps(self):
        return [Lightmap(self, i)
                for i in range(_library.brushwork_lightmap_count(self.handle))]

    def contents_at(self, point):
        return _library.brushwork_contents_at(self.handle, (ctypes.c_double * 3)(*point))

    def leaf_at(self, point):
        return _library.brushwork_leaf_at(self.handle, (ctypes.c_double * 3)(*point))

    def cluster_of(self, leaf):
        """The cluster of a leaf; -1: none."""
        return _library.brushwork_leaf_cluster(self.handle, leaf)

    def sees(self, a, b):
        """True if a point sees another, as far as the clusters say; False from or to solid."""
        clusters = [self.cluster_of(self.leaf_at(point)) for point in (a, b)]
        return min(clusters) >= 0 and bool(
            _library.brushwork_cluster_sees(self.handle, *clusters))

    @property
    def packed(self):
        """The names of the files inside a BSP of Source."""
        count = ctypes.c_size_t()
        self.call(_library.brushwork_packed_count, ctypes.byref(count))
        return [_text(_library.brushwork_packed_name(self.handle, i))
                for i in range(count.value)]

    def unpack(self, name):
        """The bytes of a packed file."""
        return self._bytes_of(_library.brushwork_packed_get, _bytes(name))

    def pack(self, name, data):
        """Adds or replaces a packed file."""
        self.call(_library.brushwork_packed_put, _bytes(name), bytes(data), len(data))

    def remove_packed(self, name):
        self.call(_library.brushwork_packed_remove, _bytes(name))
