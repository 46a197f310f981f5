"""Misuse of the Python module: closed BSPs, texts, indices, what changes beneath, points and data."""
import array
import ctypes
import fractions
import gc
import io
import operator
import pathlib

from misuse import MiB, holds, raises


class Text(str):
    """A text that lies about its bytes."""

    def encode(self, *_):
        return 5


# A closed BSP.

raises(ValueError, "the BSP is closed",
       closed_entities_len=lambda w: len(w.closed().entities),
       closed_entities_first=lambda w: w.closed().entities[0],
       closed_entities_slice=lambda w: w.closed().entities[:],
       closed_entities_loop=lambda w: list(w.closed().entities),
       closed_entities_add=lambda w: w.closed().entities.add(classname="x"),
       closed_entities_kept_len=lambda w: len(w.closed_after(lambda b: b.entities)),
       closed_entities_delete=lambda w: w.closed_after(lambda b: b.entities).__delitem__(1),
       closed_entity_get=lambda w: w.closed_after(lambda b: b.entities[0])["classname"],
       closed_entity_set=lambda w: w.closed_after(lambda b: b.entities[0]).__setitem__("a", "b"),
       closed_entity_delete=lambda w: w.closed_after(lambda b: b.entities[0]).__delitem__("classname"),
       closed_entity_add=lambda w: w.closed_after(lambda b: b.entities[0]).add("a", "b"),
       closed_entity_pairs=lambda w: w.closed_after(lambda b: b.entities[0]).pairs,
       closed_entity_len=lambda w: len(w.closed_after(lambda b: b.entities[0])),
       closed_entity_loop=lambda w: list(w.closed_after(lambda b: b.entities[0])),
       closed_entity_in=lambda w: "classname" in w.closed_after(lambda b: b.entities[0]),
       closed_entity_equal=lambda w: w.closed_after(lambda b: b.entities[0]) == {"a": "b"},
       closed_entity_update=lambda w: w.closed_after(lambda b: b.entities[0]).update(a="b"),
       closed_entity_pop=lambda w: w.closed_after(lambda b: b.entities[0]).pop("classname"),
       closed_lightmap_pixels=lambda w: w.closed_after(lambda b: b.lightmaps[0]).pixels(),
       closed_lightmaps=lambda w: w.closed().lightmaps,
       closed_mesh=lambda w: w.closed().mesh,
       closed_materials=lambda w: w.closed().materials,
       closed_family=lambda w: w.closed().family,
       closed_version=lambda w: w.closed().version,
       closed_target=lambda w: w.closed().target,
       closed_contents=lambda w: w.closed().contents_at((0, 0, 0)),
       closed_leaf=lambda w: w.closed().leaf_at((0, 0, 0)),
       closed_cluster=lambda w: w.closed().cluster_of(0),
       closed_sees=lambda w: w.closed().sees((0, 0, 0), (1, 1, 1)),
       closed_use_hdr=lambda w: w.closed().use_hdr(),
       closed_packed=lambda w: w.closed().packed,
       closed_unpack=lambda w: w.closed().unpack("a"),
       closed_pack=lambda w: w.closed().pack("a", b""),
       closed_remove_packed=lambda w: w.closed().remove_packed("a"),
       closed_write=lambda w: w.closed().write("absent/x.bsp"),
       closed_to_bytes=lambda w: w.closed().to_bytes(),
       closed_verify=lambda w: w.closed().verify(),
       closed_by_with=lambda w: w.open().__exit__() or w.closed_after(lambda b: b.__enter__()).version)


@holds
def copies_outlive_their_bsp(w):
    bsp = w.open()
    pixels, mesh, light = bsp.lightmaps[0].pixels(), bsp.mesh, bsp.lightmaps[0]
    bsp.close()
    bsp.close()
    del bsp
    gc.collect()
    assert pixels.nbytes == light.width * light.height * 12 and sum(bytes(pixels)) > 0
    assert len(mesh.vertices) and mesh.vertices[len(mesh.vertices) - 1].position[0] is not None


@holds
def parts_keep_a_bsp_that_is_not_closed(w):
    entity, light = w.open().entities[0], w.open().lightmaps[0]
    gc.collect()
    assert entity["classname"] == "worldspawn" and light.pixels().shape[2] == 3


@holds
def repr_of_a_closed_entity_tells_so(w):
    assert "closed" in repr(w.closed_after(lambda b: b.entities[0]))


# Texts.

raises(ValueError, "has a NUL",
       nul_in_key_read=lambda w: w.world["classname\0b"],
       nul_in_key_set=lambda w: w.world.__setitem__("a\0b", "c"),
       nul_in_key_deleted=lambda w: w.world.__delitem__("a\0b"),
       nul_in_key_asked=lambda w: "a\0b" in w.world,
       nul_in_value=lambda w: w.world.__setitem__("a", "b\0c"),
       nul_in_bytes_value=lambda w: w.world.__setitem__("a", b"b\0c"),
       nul_in_pair=lambda w: w.world.add("a", "b\0"),
       nul_in_new_entity=lambda w: w.bsp.entities.add({"a": "\0"}),
       nul_in_path=lambda w: w.brushwork.Bsp("a\0b"),
       nul_in_pathlike=lambda w: w.brushwork.Bsp(pathlib.PurePosixPath("a\0b")),
       nul_in_name=lambda w: w.open(name="a\0b"),
       nul_in_written_path=lambda w: w.bsp.write("a\0b"),
       nul_in_packed_name=lambda w: w.bsp.pack("a\0b", b""),
       nul_in_unpacked_name=lambda w: w.bsp.unpack("a\0b"),
       nul_in_removed_name=lambda w: w.bsp.remove_packed("a\0b"),
       nul_in_program=lambda w: w.session.run("vbsp\0"),
       nul_in_argument=lambda w: w.session.run("vbsp", "a\0.vmf"),
       nul_in_put=lambda w: w.memory.put("a\0", b""),
       nul_in_get=lambda w: w.memory.get("a\0"),
       nul_in_source=lambda w: w.brushwork.compile("a\0.vmf"))

raises(ValueError, "is not Unicode",
       surrogate_in_key=lambda w: w.world.__setitem__("\ud800", "a"),
       surrogate_in_value=lambda w: w.world.__setitem__("a", "\udfff\ud800"),
       surrogate_in_path=lambda w: w.brushwork.Bsp("\ud800"),
       surrogate_in_argument=lambda w: w.session.run("vbsp", "\ud800"))

raises(TypeError, "a key must be str or bytes",
       key_is_a_number=lambda w: w.world[5],
       key_is_none=lambda w: w.world[None],
       key_is_a_list=lambda w: w.world[["a"]],
       key_set_is_a_number=lambda w: w.world.__setitem__(5, "a"),
       key_asked_is_a_number=lambda w: 5 in w.world,
       key_deleted_is_a_number=lambda w: w.world.__delitem__(5),
       key_of_new_entity_is_a_number=lambda w: w.bsp.entities.add({5: "a"}))

raises(TypeError, "a value must be str, bytes or a number",
       value_is_none=lambda w: w.world.__setitem__("a", None),
       value_is_a_list=lambda w: w.world.__setitem__("a", [1, 2, 3]),
       value_is_complex=lambda w: w.world.__setitem__("a", 1j),
       value_is_a_path=lambda w: w.world.__setitem__("a", pathlib.Path("a")),
       value_of_pair_is_none=lambda w: w.world.add("a", None),
       value_of_new_entity_is_none=lambda w: w.bsp.entities.add(a=None),
       value_by_setdefault_is_none=lambda w: w.world.setdefault("absent"))

raises(ValueError, "no number that a map can hold",
       value_is_nan=lambda w: w.world.__setitem__("a", float("nan")),
       value_is_infinite=lambda w: w.world.__setitem__("a", -float("inf")))

raises("Error", "quote",
       value_with_a_quote=lambda w: w.world.__setitem__("a", '"'),
       value_with_a_line_break=lambda w: w.world.__setitem__("a", "b\nc"),
       key_with_a_quote=lambda w: w.world.__setitem__('"', "a"))


@holds
def texts_that_are_odd_are_kept(w):
    entity = w.world
    for value in ("", "ä€𐀀", "\udcff", " ", "\\", "{", "}", "//", "\x7f", "x" * MiB, "%s%n", Text("real")):
        entity["odd"] = value
        assert entity["ODD"] == str(value), value[:20]
    entity["odd"] = b"\xff"
    assert entity["odd"] == "\udcff"
    entity[""] = "empty"
    assert entity[""] == "empty"


@holds
def odd_texts_survive_the_file(w):
    bsp = w.open()
    bsp.entities[0]["odd"] = "x" * MiB
    bsp.entities[0]["\udcfe{ "] = "} \\ ä"
    again = w.brushwork.Bsp(bsp.to_bytes()).entities[0]
    assert again["odd"] == "x" * MiB and again["\udcfe{ "] == "} \\ ä"


@holds
def numbers_become_their_text(w):
    entity = w.world
    for value, text in ((5, "5"), (-0.5, "-0.5"), (True, "1"), (10**30, str(10**30)), (fractions.Fraction(1, 4), "0.25")):
        entity["n"] = value
        assert entity["n"] == text, entity["n"]


@holds
def a_failed_add_leaves_no_entity(w):
    bsp = w.open()
    count = len(bsp.entities)
    for pairs in ({"a": "1", "b": '"'}, {"a": None}, [("a", "b", "c")], 5):
        try:
            bsp.entities.add(pairs)
        except (w.brushwork.Error, TypeError, ValueError):
            pass
        else:
            raise AssertionError(pairs)
    assert len(bsp.entities) == count and len(bsp.entities.add([("On", "a"), ("On", "b")]).pairs) == 2


# Indices.

raises(IndexError, "there is no entity",
       entity_too_high=lambda w: w.bsp.entities[10**6],
       entity_too_low=lambda w: w.bsp.entities[-10**6],
       entity_beyond_c=lambda w: w.bsp.entities[2**64],
       entity_below_c=lambda w: w.bsp.entities[-2**70],
       entity_deleted_too_high=lambda w: w.bsp.entities.__delitem__(10**6),
       entity_deleted_beyond_c=lambda w: w.bsp.entities.__delitem__(2**64 + 1))

raises(TypeError, "",
       entity_of_a_text=lambda w: w.bsp.entities["0"],
       entity_of_a_float=lambda w: w.bsp.entities[0.0],
       entity_of_none=lambda w: w.bsp.entities[None],
       entity_replaced=lambda w: operator.setitem(w.bsp.entities, 0, {}),
       style_of_a_text=lambda w: w.bsp.lightmaps[0].pixels("0"),
       leaf_of_a_float=lambda w: w.bsp.cluster_of(0.5))

raises(IndexError, "there is no style",
       style_too_high=lambda w: w.bsp.lightmaps[0].pixels(4),
       style_too_low=lambda w: w.bsp.lightmaps[0].pixels(-5),
       style_beyond_c=lambda w: w.bsp.lightmaps[0].pixels(2**32))

raises("Error", "worldspawn cannot be removed",
       worldspawn_deleted=lambda w: w.bsp.entities.__delitem__(0))
raises(IndexError, "worldspawn cannot be removed",
       worldspawn_deleted_with_all=lambda w: w.bsp.entities.__delitem__(slice(None)))


@holds
def a_slice_is_deleted_at_once(w):
    entities = w.bsp.entities
    count = len(entities)
    del entities[1:3]
    assert len(entities) == count - 2
    del entities[5:5]
    assert len(entities) == count - 2


@holds
def leaves_beyond_the_map_have_no_cluster(w):
    bsp = w.open()
    for leaf in (-1, 10**6, 2**31, 2**32, -2**31, 2**64):
        assert bsp.cluster_of(leaf) == -1, leaf


# What changes beneath.

raises(ValueError, "was removed",
       removed_entity_get=lambda w: w.removed()["classname"],
       removed_entity_set=lambda w: w.removed().__setitem__("a", "b"),
       removed_entity_pairs=lambda w: w.removed().pairs,
       removed_entity_len=lambda w: len(w.removed()))


@holds
def entities_stay_themselves_when_others_go(w):
    entities = w.open().entities
    made = [entities.add(name=str(i)) for i in range(8)]
    first = len(entities) - 8
    del entities[first + 3]
    del entities[first]
    del entities[-1]
    kept = [i for i in range(8) if i not in (0, 3, 7)]
    assert [made[i]["name"] for i in kept] == [str(i) for i in kept]
    made[4]["name"] = "four"
    assert entities[first + 2]["name"] == "four"
    assert "removed" in repr(made[3])


@holds
def entities_removed_in_a_loop_end_it(w):
    for change in (lambda entities: entities.__delitem__(-1), lambda entities: entities.add(a="b")):
        entities = w.open().entities
        try:
            for _ in entities:
                change(entities)
        except RuntimeError as error:
            assert "list(bsp.entities)" in str(error)
        else:
            raise AssertionError("the loop went on")


@holds
def entities_removed_in_a_loop_over_a_list(w):
    entities = w.open().entities
    for entity in list(entities):
        if entity["classname"] == "light":
            del entities[[e["classname"] for e in entities].index("light")]
    assert not [e for e in entities if e["classname"] == "light"]


@holds
def keys_may_change_while_looped_over(w):
    entity = w.open().entities[0]
    for key in entity:
        del entity[key]
        entity["new " + key] = "1"
    assert all(key.startswith("new ") for key in entity)


@holds
def closing_in_a_loop_raises(w):
    bsp = w.open()
    try:
        for entity in bsp.entities:
            bsp.close()
            entity["classname"]
    except ValueError as error:
        assert "closed" in str(error)
    else:
        raise AssertionError("it went on")


@holds
def lightmaps_of_another_lighting_raise(w):
    bsp = w.open()
    kept = bsp.lightmaps[0]
    bsp.use_hdr()
    try:
        kept.pixels()
    except ValueError as error:
        assert "use_hdr" in str(error)
    else:
        raise AssertionError("stale pixels")
    bsp.use_hdr(False)
    kept.pixels()


@holds
def a_lightmap_whose_fields_were_set_reads_what_it_is(w):
    light = w.open().lightmaps[0]
    size = light.pixels().nbytes
    light.width, light.height, light.styles = 10**6, 10**6, (1,) * 9
    assert light.pixels().nbytes == size
    try:
        light.pixels(8)
    except IndexError:
        return
    raise AssertionError("a style that is not there")


# Points.

raises(ValueError, "three numbers",
       point_of_two=lambda w: w.bsp.contents_at((0, 0)),
       point_of_four=lambda w: w.bsp.leaf_at((0, 0, 0, 0)),
       point_of_none=lambda w: w.bsp.leaf_at(()))
raises(ValueError, "nowhere",
       point_not_a_number=lambda w: w.bsp.leaf_at((0, float("nan"), 0)),
       point_infinite=lambda w: w.bsp.contents_at((0, 0, float("inf"))))
raises(TypeError, "",
       point_is_none=lambda w: w.bsp.leaf_at(None),
       point_is_a_number=lambda w: w.bsp.leaf_at(5),
       point_is_a_text=lambda w: w.bsp.leaf_at("123"),
       point_of_lists=lambda w: w.bsp.contents_at(([], [], [])))
raises(OverflowError, "", point_too_large=lambda w: w.bsp.leaf_at((10**400, 0, 0)))


# Sources and data.

raises(TypeError, "must be",
       bsp_of_a_number=lambda w: w.brushwork.Bsp(5),
       bsp_of_none=lambda w: w.brushwork.Bsp(None),
       bsp_of_a_file=lambda w: w.brushwork.Bsp(io.BytesIO(b"VBSP")),
       bsp_with_a_session_that_is_none_of_it=lambda w: w.open(session="session"),
       bsp_with_a_bsp_as_session=lambda w: w.open(session=w.open()),
       bsp_with_a_name_of_a_number=lambda w: w.open(name=5),
       write_to_a_number=lambda w: w.bsp.write(1),
       write_to_none=lambda w: w.bsp.write(None),
       pack_of_a_number=lambda w: w.bsp.pack("a", 5),
       pack_of_a_text=lambda w: w.bsp.pack("a", "text"),
       pack_of_none=lambda w: w.bsp.pack("a", None),
       pack_under_a_number=lambda w: w.bsp.pack(5, b""),
       unpack_of_none=lambda w: w.bsp.unpack(None),
       remove_packed_none=lambda w: w.bsp.remove_packed(None),
       put_of_a_number=lambda w: w.memory.put("a", 10**9),
       put_of_a_text=lambda w: w.memory.put("a", "text"),
       put_under_a_number=lambda w: w.memory.put(5, b""),
       get_of_none=lambda w: w.memory.get(None),
       callback_is_a_number=lambda w: w.brushwork.Session(on_message=5),
       callback_is_a_text=lambda w: w.brushwork.Session(on_progress="print"))

raises("Error", "",
       bsp_of_no_bytes=lambda w: w.brushwork.Bsp(b""),
       bsp_of_zeros=lambda w: w.brushwork.Bsp(bytes(5000)),
       bsp_of_a_header=lambda w: w.brushwork.Bsp(b"VBSP" + bytes(1032)),
       bsp_of_a_quake3_header=lambda w: w.brushwork.Bsp(b"IBSP\x2e\0\0\0" + bytes(140)),
       bsp_cut_short=lambda w: w.brushwork.Bsp(w.file("two_rooms.vmf")[:-3000]),
       bsp_of_a_folder=lambda w: w.brushwork.Bsp(w.maps),
       bsp_of_an_empty_path=lambda w: w.brushwork.Bsp(""),
       bsp_of_an_absent_file=lambda w: w.brushwork.Bsp("absent.bsp"),
       write_to_an_absent_folder=lambda w: w.bsp.write("absent/absent/a.bsp"),
       write_to_a_folder=lambda w: w.bsp.write(w.maps),
       write_to_an_empty_path=lambda w: w.bsp.write(""),
       unpack_absent=lambda w: w.bsp.unpack("absent"),
       remove_packed_absent=lambda w: w.bsp.remove_packed("absent"),
       pack_outside=lambda w: w.bsp.pack("../../etc/passwd", b""),
       pack_nameless=lambda w: w.bsp.pack("", b""),
       packed_of_quake3=lambda w: w.quake3().packed,
       pack_into_quake3=lambda w: w.quake3().pack("a", b""),
       unpack_from_quake3=lambda w: w.quake3().unpack("a"),
       get_absent=lambda w: w.memory.get("absent"),
       get_without_memory=lambda w: w.session.get("a"),
       put_without_memory=lambda w: w.session.put("a", b""))


@holds
def packed_data_of_any_shape_is_whole(w):
    bsp = w.open()
    for data in (b"", bytearray(b"abc"), array.array("d", [1.5, 2.5]), memoryview(b"abcdef")[::2],
                 memoryview(array.array("i", range(6))).cast("B").cast("i", (2, 3)), bytes(MiB),
                 (ctypes.c_int * 3)(1, 2, 3)):
        bsp.pack("dir/a.txt", data)
        assert bsp.unpack("DIR/a.txt") == memoryview(data).tobytes(), data
        session = w.memory
        session.put("a", data)
        assert session.get("a") == memoryview(data).tobytes(), data


@holds
def changing_the_bytes_that_were_given_changes_nothing(w):
    data = bytearray(w.file("two_rooms.vmf"))
    bsp = w.brushwork.Bsp(data)
    data[:] = bytes(len(data))
    del data[:]
    assert bsp.entities[0]["classname"] == "worldspawn" and len(bsp.mesh.faces) > 10
