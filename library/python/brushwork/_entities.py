"""The entities of a BSP."""
import collections.abc
import ctypes

from . import _values
from ._session import decoded, library


class Entity(_values.Unique, collections.abc.MutableMapping):
    """The key-value pairs of an entity. Keys are compared without regard to case; `pairs` has all,
    also repeated ones, as outputs are. Values that are set may be numbers too.

    It stays the same entity when others are removed; when itself is, its use raises ValueError.
    """

    def __init__(self, bsp, index):
        self._bsp, self._at = bsp, index
        self._removals = len(bsp._removed)

    def _index(self):
        """Where the entity is by now, within _use."""
        removed = self._bsp._removed
        for index in removed[self._removals:]:
            if self._at is not None and index <= self._at:
                self._at = None if index == self._at else self._at - 1
        self._removals = len(removed)
        if self._at is None:
            raise ValueError("the entity was removed from its BSP")
        return self._at

    def _change(self, function, *arguments):
        with self._bsp._use():
            self._bsp._call(function, self._index(), *arguments)

    def __getitem__(self, key):
        name = _values.text(key, "a key")
        with self._bsp._use() as handle:
            value = library.brushwork_entity_get(handle, self._index(), name)
        if value is None:
            raise KeyError(key)
        return decoded(value)

    def __setitem__(self, key, value):
        self._change(library.brushwork_entity_set, _values.text(key, "a key"),
                     _values.value(value, "a value"))

    def __delitem__(self, key):
        if key not in self:
            raise KeyError(key)
        self._change(library.brushwork_entity_unset, _values.text(key, "a key"))

    @property
    def pairs(self):
        with self._bsp._use() as handle:
            index = self._index()
            return [(decoded(library.brushwork_pair_key(handle, index, i)),
                     decoded(library.brushwork_pair_value(handle, index, i)))
                    for i in range(library.brushwork_pair_count(handle, index))]

    def add(self, key, value):
        """Appends a pair, though there may be one with that key."""
        self._change(library.brushwork_pair_add, _values.text(key, "a key"),
                     _values.value(value, "a value"))

    def __iter__(self):
        """The keys as they are now: changes during the loop do not disturb it."""
        seen = {}
        for key, _ in self.pairs:
            seen.setdefault(key.lower(), key)
        return iter(seen.values())

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        try:
            return f"<Entity {dict(self)!r}>"
        except (ValueError, RuntimeError) as error:
            return f"<Entity: {error}>"


class Entities(_values.Unique, collections.abc.Sequence):
    """The entities of a BSP, in order; the first is worldspawn."""

    def __init__(self, bsp):
        self._bsp = bsp

    def __len__(self):
        with self._bsp._use() as handle:
            return library.brushwork_entity_count(handle)

    def __getitem__(self, index):
        with self._bsp._use() as handle:
            count = library.brushwork_entity_count(handle)
            if isinstance(index, slice):
                return [Entity(self._bsp, i) for i in range(*index.indices(count))]
            return Entity(self._bsp, _values.index(index, count, "entity"))

    def __iter__(self):
        """Entities that are added or removed during the loop raise RuntimeError."""
        changes = self._bsp._changes
        for entity in self[:]:
            if self._bsp._changes != changes:
                raise RuntimeError(
                    "entities were added or removed during the loop: loop over list(bsp.entities)")
            yield entity

    def add(self, pairs=(), **more):
        """Appends an entity with the pairs, a mapping or (key, value) in order, and returns it."""
        given = list(pairs.items() if isinstance(pairs, collections.abc.Mapping) else pairs)
        given = [(_values.text(key, "a key"), _values.value(value, "a value"))
                 for key, value in given + list(more.items())]
        index = ctypes.c_size_t()
        with self._bsp._use() as handle:
            self._bsp._call(library.brushwork_entity_add, ctypes.byref(index))
            try:
                for key, value in given:
                    self._bsp._call(library.brushwork_pair_add, index.value, key, value)
            except BaseException:
                library.brushwork_entity_remove(handle, index.value)
                raise
            self._bsp._changes += 1
            return Entity(self._bsp, index.value)

    def __setitem__(self, index, value):
        raise TypeError("an entity cannot be replaced: change its keys, or add one and delete this one")

    def __delitem__(self, index):
        with self._bsp._use() as handle:
            count = library.brushwork_entity_count(handle)
            if isinstance(index, slice):
                doomed = sorted(range(*index.indices(count)), reverse=True)
            else:
                doomed = [_values.index(index, count, "entity")]
            if 0 in doomed and len(doomed) > 1:
                raise IndexError("worldspawn cannot be removed")
            for at in doomed:
                self._bsp._call(library.brushwork_entity_remove, at)
                self._bsp._removed.append(at)
                self._bsp._changes += 1
