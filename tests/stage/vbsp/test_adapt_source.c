/* MAP files in vbsp: detection, and conversion for Source. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/map_patches.def"
#include "common/diag/codes/vmf.def"
#include "tests/support/vbsp/compiled_map.h"
#include "vbsp/files.h"

#define BOX      MAPS_DIR "/q3_box.map"
#define FORMS    MAPS_DIR "/q3_forms.map"
#define PATCHES  MAPS_DIR "/q3_patches.map"
#define ENTITIES MAPS_DIR "/q3_entities.map"
#define LIGHTS   MAPS_DIR "/q3_lights.map"
#define LEAK     MAPS_DIR "/q3_leak.map"
#define BROKEN   MAPS_DIR "/q3_broken.map"
#define UNCLOSED MAPS_DIR "/q3_unclosed.map"

static const char catalogue[] =
    "#material\twidth\theight\tview_w\tview_h\trefl_r\trefl_g\trefl_b\tflags\tcontents\tenvmap\t"
    "bottom\tall_flags\tall_contents\n"
    "base_wall/basewall01\t512\t512\t512\t512\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\n"
    "base_floor/concrete\t512\t512\t512\t512\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\n";

static void put(struct compiled *map, const char *path, const void *data, size_t size)
{
    assert_int_equal(map->env.fs->ops->write(map->env.fs, path, data, size), 0);
}

static void put_file(struct compiled *map, const char *from, const char *to)
{
    struct bytes text = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), from, &text), 0);
    put(map, to, text.data, text.size);
    bytes_free(&text);
}

/* With a catalogue that knows the two materials. */
static void open_map(struct compiled *map, const char *file)
{
    compiled_start(map, fs_memory_new());
    put_file(map, file, "m.map");
    put(map, "catalogue.tsv", catalogue, sizeof catalogue - 1);
    const char *const catalogues[] = {"catalogue.tsv"};
    struct assets_options options = {.texdata = catalogues, .texdata_count = 1};
    assert_int_equal(assets_open(&map->env, &options, &map->assets), STATUS_OK);
    assert_int_equal(vbsp_read_level(&map->env, "m.map", &map->level), STATUS_OK);
}

/* For Source. */
static enum status run(struct compiled *map)
{
    return vbsp_run(&map->env, &vbsp_defaults, map->assets, &map->level, NULL, &map->out);
}

static void compile(struct compiled *map, const char *file)
{
    open_map(map, file);
    enum status status = run(map);
    if (status != STATUS_OK)
        for (size_t i = 0; i < diag_entries(map->env.diag); i++)
            print_message("%s\n", diag_entry(map->env.diag, i)->message);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(bsp_verify(map->out.bsp, "m.bsp", map->env.diag), STATUS_OK);
}

static size_t told(const struct compiled *map, int code)
{
    return diag_count_code(map->env.diag, code);
}

static int faces_of(const struct compiled *map, const char *material)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(map->out.bsp->faces); i++)
        count +=
            strcmp(bsp_texinfo_name(map->out.bsp, map->out.bsp->faces[i].texinfo), material) == 0;
    return count;
}

static void a_box_is_sealed(void **state)
{
    (void)state;
    struct compiled map;
    compile(&map, BOX);
    assert_null(map.out.leak);
    assert_int_equal(map.out.prt.cluster_count, 1);
    assert_int_equal(diag_entries(map.env.diag), 0);
    assert_int_equal(faces_of(&map, "base_wall/basewall01"), 5); /* without "textures/" */
    assert_int_equal(faces_of(&map, "base_floor/concrete"), 1);
    assert_int_equal(arrlen(map.out.bsp->faces), 6); /* caulk is not drawn */
    compiled_free(&map);
}

/* The texture of each wall continues around the corners in all three forms. */
static void the_three_forms_map_alike(void **state)
{
    (void)state;
    struct compiled map;
    compile(&map, FORMS);
    const struct bsp *bsp = map.out.bsp;
    int walls = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
        const struct bsp_plane *plane = &bsp->planes[face->plane];
        if (fabsf(plane->normal[2]) > 0.5f)
            continue;
        walls++;
        /* u is horizontal along the face, with 2 texels per unit; v falls by as many. */
        bool along_x = fabsf(plane->normal[1]) > 0.5f;
        assert_float_equal(texinfo->texture[0][along_x ? 0 : 1], 2, 1e-6);
        assert_float_equal(texinfo->texture[0][2], 0, 0);
        assert_float_equal(texinfo->texture[1][2], -2, 1e-6);
        for (int k = 0; k < 2; k++)
            assert_float_equal(texinfo->texture[k][3], 0, 1e-6);
        assert_float_equal(texinfo->lightmap[1][2], -1.0 / 16, 1e-6);
    }
    assert_int_equal(walls, 8); /* of the room, and of the pillar */
    compiled_free(&map);
}

static void patches_are_left_out_and_reported(void **state)
{
    (void)state;
    struct compiled map;
    compile(&map, PATCHES);
    assert_int_equal(arrlen(map.level.entities[0].patches), 3); /* the level keeps them */
    assert_int_equal(arrlen(map.level.entities[1].patches), 1);
    assert_int_equal(diag_entries(map.env.diag), 1);
    const struct diag_entry *entry = diag_entry(map.env.diag, 0);
    assert_int_equal(entry->code, DIAG_PATCH_TARGET);
    assert_int_equal(entry->where.entity_id, 0);
    assert_int_equal(entry->where.solid_id, 6);
    assert_int_equal(arrlen(map.out.bsp->faces), 6);
    compiled_free(&map);
}

static const struct bsp_brush *brush_with(const struct bsp *bsp, int contents)
{
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        if (bsp->brushes[i].contents & contents)
            return &bsp->brushes[i];
    return NULL;
}

/* Faces of the world that face upwards at that height. */
static int tops_at(const struct compiled *map, float height)
{
    const struct bsp *bsp = map->out.bsp;
    int count = 0;
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->faces[i].plane];
        count += plane->normal[2] > 0.5f && fabsf(plane->dist - height) < 0.01f;
    }
    return count;
}

static void groups_and_details_are_of_the_world(void **state)
{
    (void)state;
    struct compiled map;
    compile(&map, ENTITIES);
    const struct bsp *bsp = map.out.bsp;
    assert_int_equal(arrlen(bsp->models), 3); /* func_rotating and func_door */
    assert_non_null(brush_with(bsp, CONTENTS_DETAIL));
    assert_non_null(brush_with(bsp, CONTENTS_PLAYERCLIP));
    char *text = str_copy_part(bsp->entities, arrlenu(bsp->entities));
    assert_non_null(strstr(text, "\"func_door\""));
    assert_null(strstr(text, "\"func_group\""));
    assert_non_null(strstr(text, "\"200 64 64\"")); /* the origin brush of the func_rotating */
    memory_free(text);
    assert_int_equal(tops_at(&map, 48), 1); /* of the group */
    compiled_free(&map);
}

static const struct entity *light_at(const struct entity_list *list, const char *origin)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++)
        if (strcmp(entity_value(&list->entities[i], "origin"), origin) == 0)
            return &list->entities[i];
    fail_msg("no entity at %s", origin);
    return NULL;
}

static void lights_give_the_same_light(void **state)
{
    (void)state;
    struct compiled map;
    compile(&map, LIGHTS);
    struct entity_list list;
    assert_int_equal(entities_parse(map.out.bsp->entities, arrlenu(map.out.bsp->entities), "lump",
                                    map.env.diag, &list),
                     STATUS_OK);
    const struct entity *plain = light_at(&list, "128 128 96");
    assert_string_equal(entity_value(plain, "_light"), "255 255 255 225"); /* 300 */
    assert_string_equal(entity_value(plain, "_quadratic_attn"), "1");
    assert_string_equal(entity_value(light_at(&list, "200 56 96"), "_light"), "255 186 0 150");
    const struct entity *spot = light_at(&list, "64 192 100");
    assert_true(entity_is(spot, "light_spot"));
    assert_string_equal(entity_value(spot, "_cone"), "45"); /* 100 wide at a distance of 100 */
    assert_string_equal(entity_value(light_at(&list, "192 192 96"), "_light"), "9 9 9 9");
    entities_free(&list);
    compiled_free(&map);
}

static void what_is_broken_is_reported_and_the_rest_compiled(void **state)
{
    (void)state;
    static const int codes[] = {
        DIAG_MAP_PAIR,         DIAG_MAP_QUOTE,    DIAG_MAP_BRUSH,    DIAG_MAP_FLAT_FACE,
        DIAG_MAP_POINT,        DIAG_SOLID_SIDES,  DIAG_PATCH_LONG,   DIAG_PATCH_EVEN,
        DIAG_PATCH_SMALL,      DIAG_PATCH_POINTS, DIAG_PATCH_SYNTAX, DIAG_MAP_KIND,
        DIAG_ENTITY_CLASSNAME, DIAG_WORLD_TWICE,
    };
    struct compiled map;
    compile(&map, BROKEN);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(told(&map, codes[i]), 1);
    assert_int_equal(diag_entries(map.env.diag), sizeof codes / sizeof *codes);
    assert_null(map.out.leak);
    compiled_free(&map);
}

static void solids_around_a_leak_are_reported_with_their_entity(void **state)
{
    (void)state;
    struct compiled map;
    open_map(&map, LEAK);
    assert_int_equal(run(&map), STATUS_LEAK);
    bool named = false;
    for (size_t i = 0; i < diag_entries(map.env.diag); i++)
        named |= strstr(diag_entry(map.env.diag, i)->message, "5 of entity 0") != NULL;
    assert_true(named); /* the south wall */
    compiled_free(&map);
}

static void an_open_brace_fails(void **state)
{
    (void)state;
    struct compiled map;
    compiled_start(&map, fs_memory_new());
    put_file(&map, UNCLOSED, "m.map");
    assert_int_equal(vbsp_read_level(&map.env, "m.map", &map.level), STATUS_FAILED);
    assert_int_equal(diag_entries(map.env.diag), 1);
    assert_int_equal(diag_entry(map.env.diag, 0)->where.line, 6);
    compiled_free(&map);
}

static void reads_as(struct compiled *map, const char *path, bool as_map)
{
    level_free(&map->level);
    assert_int_equal(vbsp_read_level(&map->env, path, &map->level), STATUS_OK);
    assert_int_equal(map->level.counted_ids, as_map);
}

static void sources_are_known_by_extension_or_by_their_text(void **state)
{
    (void)state;
    struct compiled map;
    compiled_start(&map, fs_memory_new());
    static const char vmf[] = "world { id 1 }";
    put_file(&map, BOX, "a.map");
    put_file(&map, BOX, "a.REG");
    put_file(&map, BOX, "noname");
    put(&map, "b", vmf, sizeof vmf - 1);
    reads_as(&map, "a.map", true);
    reads_as(&map, "a.REG", true);
    reads_as(&map, "noname", true);
    reads_as(&map, "b", false);
    put_file(&map, BOX, "c.vmf");
    put(&map, "d.map", vmf, sizeof vmf - 1);
    level_free(&map.level);
    assert_int_equal(vbsp_read_level(&map.env, "c.vmf", &map.level), STATUS_FAILED);
    assert_int_equal(told(&map, DIAG_VMF_NOT), 1);
    assert_int_equal(vbsp_read_level(&map.env, "d.map", &map.level), STATUS_FAILED);
    assert_int_equal(told(&map, DIAG_MAP_NOT), 1);
    compiled_free(&map);
}

static void find(struct compiled *map, const char *operand, const char *source, const char *bsp)
{
    struct arena arena = {0};
    struct vbsp_files files;
    assert_int_equal(vbsp_files_find(&map->env, operand, NULL, &arena, &files), STATUS_OK);
    assert_string_equal(files.level, source);
    assert_string_equal(files.bsp, bsp);
    arena_free(&arena);
}

static void outputs_lie_beside_a_map(void **state)
{
    (void)state;
    struct compiled map;
    compiled_start(&map, fs_memory_new());
    find(&map, "x/a.map", "x/a.map", "x/a.bsp");
    find(&map, "x/a.reg", "x/a.reg", "x/a.bsp");
    find(&map, "x/a", "x/a.vmf", "x/a.bsp"); /* neither is there */
    put(&map, "x/a.map", "", 0);
    find(&map, "x/a", "x/a.map", "x/a.bsp");
    put(&map, "x/a.vmf", "", 0);
    find(&map, "x/a", "x/a.vmf", "x/a.bsp");
    struct vbsp_files files;
    struct arena arena = {0};
    assert_int_equal(vbsp_files_find(&map.env, "x/a.map", "x/a.map", &arena, &files), STATUS_USAGE);
    arena_free(&arena);
    compiled_free(&map);
}

SUITE(test_adapt_source)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_sealed),
        cmocka_unit_test(the_three_forms_map_alike),
        cmocka_unit_test(patches_are_left_out_and_reported),
        cmocka_unit_test(groups_and_details_are_of_the_world),
        cmocka_unit_test(lights_give_the_same_light),
        cmocka_unit_test(what_is_broken_is_reported_and_the_rest_compiled),
        cmocka_unit_test(solids_around_a_leak_are_reported_with_their_entity),
        cmocka_unit_test(an_open_brace_fails),
        cmocka_unit_test(sources_are_known_by_extension_or_by_their_text),
        cmocka_unit_test(outputs_lie_beside_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
