"""Compiles maps, and reads, queries and changes compiled ones, by libbrushwork.

    import brushwork
    result = brushwork.compile("room.vmf", game="hl2mp")
    with brushwork.Bsp("room.bsp") as bsp:
        lights = [e for e in bsp.entities if e["classname"] == "light"]

A call that fails raises brushwork.Error with the messages of the library; one that cannot be meant
raises what Python has for that: TypeError, ValueError (a closed BSP, a text with a NUL), IndexError,
KeyError, or RuntimeError for a session that is in use by another call. The library is that of the
path in BRUSHWORK_LIBRARY, that of the installation with this module, or found by its name.
"""
from ._bsp import Bsp, Geometry, Lightmap, QUAKE3, SOURCE
from ._entities import Entities, Entity
from ._session import (Diagnostic, Error, FAILED, INTERNAL, LEAK, OK, Result, Session, USAGE,
                       compile, library as _library, run)

__all__ = ["Bsp", "Diagnostic", "Entity", "Error", "Lightmap", "Result", "Session", "compile",
           "run", "version"]


def version():
    """The version of the library: "0.1.0"."""
    return _library.brushwork_version().decode()
