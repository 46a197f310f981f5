/* Partial updates of a compiled map: -onlyents and -onlyprops. */
#include "tests/support/suite.h"

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "common/diag/codes/files.def"
#include "common/diag/codes/updates.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/vbsp.h"

/* The differences between the two states of the map. */
struct state {
    const char *name;     /* of an info_target, and of the brush entity */
    const char *material; /* of the brush entity */
    double height;        /* of its top */
    int brush_entities, props, overlays, cubemaps;
    const char *wall;  /* material of a block of the world */
    const char *light; /* name of one more light, before another; or NULL */
    int moved_prop;    /* index of a prop that stands elsewhere; 0: none */
};

static const struct state usual = {"first", "wall", 64, 1, 0, 0, 1, "wall", NULL, 0};

static void put_map(struct text_map *map, const struct state *state)
{
    char keys[96];
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box(map, vec3(64, 64, 0), vec3(96, 96, 32), state->wall);
    snprintf(keys, sizeof keys, "targetname %s origin \"200 200 32\"", state->name);
    text_map_entity(map, "info_target", keys);
    for (int i = 0; i < state->brush_entities; i++) {
        text_map_entity(map, "func_brush", keys);
        text_map_box(map, vec3(128, 128, 32), vec3(160, 160, state->height), state->material);
    }
    for (int i = 0; i < state->overlays; i++)
        text_map_entity(map, "info_overlay",
                        "material wall sides 1 BasisOrigin \"0 128 0\" BasisU \"1 0 0\" "
                        "BasisV \"0 1 0\" BasisNormal \"0 0 1\" uv0 \"-8 -8 0\" uv1 \"-8 8 0\" "
                        "uv2 \"8 8 0\" uv3 \"8 -8 0\" StartU 0 EndU 1 StartV 0 EndV 1");
    for (int i = 0; i < state->cubemaps; i++)
        text_map_entity(map, "env_cubemap", "origin \"100 200 64\"");
    if (state->light) {
        snprintf(keys, sizeof keys, "targetname %s origin \"60 200 64\"", state->light);
        text_map_entity(map, "light", keys);
    }
    text_map_entity(map, "light", "targetname switched origin \"60 220 64\"");
    text_map_entity(map, "info_player_start", "origin \"20 20 32\"");
    for (int i = 0; i < state->props; i++)
        text_map_entity(map, "prop_static",
                        i && i == state->moved_prop ? "model models/a.mdl origin \"90 200 64\""
                                                    : "model models/a.mdl origin \"40 200 64\"");
}

/* The level and reports of the second state, and the bsp of the first as if read from a file. */
struct pair {
    struct text_map before, now;
    struct bytes file;
    struct bsp *bsp;
};

static void begin(struct pair *pair, const struct state *before, const struct state *now)
{
    const struct bsp_format *format = bsp_format_find("sdk2013");
    *pair = (struct pair){0};
    put_map(&pair->before, before);
    text_map_compile(&pair->before, STATUS_OK);
    assert_int_equal(bsp_encode(pair->before.bsp, format, "a", pair->before.diag, &pair->file),
                     STATUS_OK);
    assert_int_equal(
        bsp_decode(pair->file.data, pair->file.size, "a", pair->before.diag, &pair->bsp),
        STATUS_OK);
    put_map(&pair->now, now);
    text_map_compile(&pair->now, STATUS_OK);
}

static enum status update(struct pair *pair, vbsp_update *how)
{
    struct text_map *now = &pair->now;
    enum status status = how(&now->env, &now->options, now->assets, &now->level, pair->bsp);
    if (status == STATUS_OK)
        assert_int_equal(bsp_verify(pair->bsp, "updated", now->diag), STATUS_OK);
    return status;
}

static void end(struct pair *pair)
{
    text_map_free(&pair->before);
    text_map_free(&pair->now);
    bytes_free(&pair->file);
    bsp_free(pair->bsp);
}

/* The bsp, written: the number of lumps whose bytes are not those before; bits in *which. */
static int changed_lumps(struct pair *pair, uint64_t *which)
{
    struct bytes after = {0};
    struct container first, second;
    struct diag *diag = pair->now.diag;
    int changed = 0;
    *which = 0;
    assert_int_equal(bsp_encode(pair->bsp, pair->bsp->format, "a", diag, &after), STATUS_OK);
    assert_int_equal(container_open(pair->file.data, pair->file.size, "a", diag, &first),
                     STATUS_OK);
    assert_int_equal(container_open(after.data, after.size, "b", diag, &second), STATUS_OK);
    assert_int_equal(first.revision, second.revision);
    for (int i = 0; i < BSP_LUMPS; i++) {
        const struct container_lump *a = &first.lumps[i], *b = &second.lumps[i];
        if (a->length == b->length &&
            memcmp(pair->file.data + a->offset, after.data + b->offset, (size_t)a->length) == 0)
            continue;
        changed++;
        *which |= UINT64_C(1) << i;
    }
    bytes_free(&after);
    return changed;
}

static bool same_entities(const struct bsp *a, const struct bsp *b)
{
    return arrlen(a->entities) == arrlen(b->entities) &&
           memcmp(a->entities, b->entities, arrlenu(a->entities)) == 0;
}

static bool is_stale(const struct pair *pair)
{
    struct diag_where where = {.file = "a"};
    struct pakfile pakfile;
    assert_int_equal(pakfile_decode(&pair->bsp->pakfile, &where, pair->now.diag, &pakfile),
                     STATUS_OK);
    bool stale = pakfile_find(&pakfile, "stale.txt") != NULL;
    pakfile_free(&pakfile);
    return stale;
}

static void put_files(struct pair *pair, const char *const *names, size_t count)
{
    struct pakfile pakfile;
    struct bytes lump = {0};
    assert_int_equal(pakfile_decode(&pair->bsp->pakfile, NULL, pair->now.diag, &pakfile),
                     STATUS_OK);
    for (size_t i = 0; i < count; i++)
        pakfile_put(&pakfile, names[i], "light", 5);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, pair->now.diag, &lump), STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&pair->bsp->pakfile);
    pair->bsp->pakfile = lump;
}

/* The pakfile has the light of each prop by its number: that of a prop that moved or is gone would
 * be shown on another. */
static void light_of_props_that_changed_is_removed(void **state)
{
    (void)state;
    static const char *const names[] = {"sp_0.vhv", "sp_hdr_1.vhv", "texelslighting_2.ppl",
                                        "sp_2.vhv", "sp_2.txt",     "materials/sp_2.vhv"};
    static const bool kept[] = {true, false, false, false, true, true};
    vbsp_update *const ways[] = {vbsp_update_entities, vbsp_update_props};
    for (size_t i = 0; i < 2; i++) {
        struct state with = usual, less = usual;
        struct pair pair;
        struct pakfile pakfile;
        with.props = 3;
        less.props = 2;
        less.moved_prop = 1;
        begin(&pair, &with, &less);
        put_files(&pair, names, sizeof names / sizeof *names);
        pair.bsp->map_flags = 0x10 | MAP_FLAGS_OF_FILES; /* the last file of HDR is removed */
        assert_int_equal(update(&pair, ways[i]), STATUS_OK);
        assert_int_equal(pakfile_decode(&pair.bsp->pakfile, NULL, pair.now.diag, &pakfile),
                         STATUS_OK);
        assert_int_equal(pair.bsp->map_flags, 0x10 | MAP_FLAG_PROPS_LDR);
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            assert_int_equal(pakfile_find(&pakfile, names[j]) != NULL, kept[j]);
        pakfile_free(&pakfile);
        end(&pair);
    }
}

static void entities_are_those_of_a_whole_compile(void **state)
{
    (void)state;
    struct state now = usual;
    struct pair pair;
    uint64_t which;
    now.name = "second";
    begin(&pair, &usual, &now);
    assert_int_equal(update(&pair, vbsp_update_entities), STATUS_OK);
    assert_int_equal(diag_count_code(pair.now.diag, DIAG_UPDATE_SOLIDS), 0);
    assert_true(same_entities(pair.bsp, pair.now.bsp));
    assert_false(same_entities(pair.bsp, pair.before.bsp));
    assert_true(is_stale(&pair));
    (void)changed_lumps(&pair, &which);
    /* The table of game lumps stores file offsets, which changed. */
    which &= ~(UINT64_C(1) << LUMP_GAMELUMP);
    assert_true(which == (UINT64_C(1) << LUMP_ENTITIES | UINT64_C(1) << LUMP_PAKFILE));
    end(&pair);
}

static int prop_count(const struct pair *pair, uint16_t *version)
{
    for (size_t i = 0; i < arrlenu(pair->bsp->game_lumps); i++) {
        struct bsp_game_lump *lump = &pair->bsp->game_lumps[i];
        if (lump->id != STATIC_PROPS_ID)
            continue;
        struct static_props props = {0};
        enum static_prop_form form;
        struct diag_where where = {.file = "a"};
        *version = lump->version;
        assert_int_equal(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, &where,
                                             pair->now.diag, &props, &form),
                         STATUS_OK);
        int count = (int)arrlen(props.props);
        static_props_free(&props);
        return count;
    }
    return -1;
}

static void props_come_and_go(void **state)
{
    (void)state;
    vbsp_update *const ways[] = {vbsp_update_entities, vbsp_update_props};
    for (int i = 0; i < 2; i++) {
        struct state with = usual, less = usual;
        struct pair pair;
        uint64_t which;
        uint16_t version;
        with.props = 3;
        less.props = 1;
        begin(&pair, &with, &less);
        assert_int_equal(prop_count(&pair, &version), 3);
        assert_int_equal(update(&pair, ways[i]), STATUS_OK);
        assert_int_equal(prop_count(&pair, &version), 1);
        assert_int_equal(version, 10);
        assert_int_equal(is_stale(&pair), i == 0);
        (void)changed_lumps(&pair, &which);
        assert_true(which & UINT64_C(1) << LUMP_GAMELUMP);
        assert_int_equal(which & UINT64_C(1) << LUMP_ENTITIES, 0); /* props are not in it */
        end(&pair);

        begin(&pair, &with, &usual); /* the lump stays, empty */
        assert_int_equal(update(&pair, ways[i]), STATUS_OK);
        assert_int_equal(prop_count(&pair, &version), 0);
        end(&pair);

        begin(&pair, &usual, &with);
        assert_int_equal(update(&pair, ways[i]), STATUS_OK);
        assert_int_equal(prop_count(&pair, &version), 3);
        end(&pair);
    }
}

static void props_alone_leave_the_entities(void **state)
{
    (void)state;
    struct state now = usual;
    struct pair pair;
    uint64_t which;
    now.name = "second";
    now.brush_entities = 2;
    begin(&pair, &usual, &now);
    assert_int_equal(update(&pair, vbsp_update_props), STATUS_OK);
    assert_int_equal(changed_lumps(&pair, &which), 0);
    end(&pair);
}

static void expect_refusal(const struct state *now, int code, int times)
{
    struct pair pair;
    uint64_t which;
    begin(&pair, &usual, now);
    assert_int_equal(update(&pair, vbsp_update_entities), STATUS_FAILED);
    assert_int_equal(diag_count_code(pair.now.diag, code), times);
    assert_int_equal(changed_lumps(&pair, &which), 0);
    end(&pair);
}

static void another_number_of_brush_entities_is_refused(void **state)
{
    (void)state;
    struct state now = usual;
    now.brush_entities = 2;
    expect_refusal(&now, DIAG_UPDATE_MISMATCH, 1);
    now.brush_entities = 0;
    expect_refusal(&now, DIAG_UPDATE_MISMATCH, 1);
}

static void a_new_texture_is_refused(void **state)
{
    (void)state;
    struct state now = usual;
    now.material = "grate";
    expect_refusal(&now, DIAG_UPDATE_TEXTURE, 6); /* its sides */
}

static void expect_warning(const struct state *now)
{
    struct pair pair;
    begin(&pair, &usual, now);
    assert_int_equal(update(&pair, vbsp_update_entities), STATUS_OK);
    assert_int_equal(diag_count_code(pair.now.diag, DIAG_UPDATE_SOLIDS), 1);
    end(&pair);
}

static void other_changes_are_reported(void **state)
{
    (void)state;
    struct state now = usual;
    now.material = "floor"; /* known, but the faces have another */
    expect_warning(&now);
    now = usual;
    now.wall = "grate"; /* of the world */
    expect_warning(&now);
    now = usual;
    now.height = 72;
    expect_warning(&now);
    now = usual;
    now.overlays = 1;
    expect_warning(&now);
    now = usual;
    now.cubemaps = 2;
    expect_warning(&now);
    now = usual;
    now.light = "another"; /* takes the style that faces are lit for */
    expect_warning(&now);
}

static void lights_that_keep_their_styles_are_fine(void **state)
{
    (void)state;
    struct state now = usual;
    struct pair pair;
    now.light = "switched"; /* the same name, the same style */
    begin(&pair, &usual, &now);
    assert_int_equal(update(&pair, vbsp_update_entities), STATUS_OK);
    assert_int_equal(diag_count_code(pair.now.diag, DIAG_UPDATE_SOLIDS), 0);
    end(&pair);
}

static void a_file_is_replaced_or_untouched(void **state)
{
    (void)state;
    struct state now = usual;
    struct pair pair;
    struct bytes after = {0};
    struct vbsp_output out;
    now.name = "second";
    begin(&pair, &usual, &now);
    struct text_map *map = &pair.now;
    struct env without = map->env;
    without.diag = diag_new(NULL, NULL);
    assert_int_equal(vbsp_update_file(&without, "a.bsp", vbsp_update_entities, &map->options,
                                      map->assets, &map->level, &out),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(without.diag, DIAG_FILE_READ), 1);
    diag_free(without.diag);
    assert_int_equal(fs_store(map->fs, map->diag, "a.bsp", pair.file.data, pair.file.size),
                     STATUS_OK);
    assert_int_equal(vbsp_update_file(&map->env, "a.bsp", vbsp_update_props, &map->options,
                                      map->assets, &map->level, &out),
                     STATUS_OK);
    assert_non_null(out.bsp);
    vbsp_output_free(&out);
    assert_int_equal(fs_load(map->fs, map->diag, "a.bsp", &after), STATUS_OK);
    assert_int_equal(after.size, pair.file.size);
    assert_memory_equal(after.data, pair.file.data, after.size);
    assert_int_equal(vbsp_update_file(&map->env, "a.bsp", vbsp_update_entities, &map->options,
                                      map->assets, &map->level, &out),
                     STATUS_OK);
    vbsp_output_free(&out);
    bytes_free(&after);
    assert_int_equal(fs_load(map->fs, map->diag, "a.bsp", &after), STATUS_OK);
    assert_int_not_equal(after.size, pair.file.size);
    bytes_free(&after);
    end(&pair);
}

SUITE(test_update)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_of_props_that_changed_is_removed),
        cmocka_unit_test(entities_are_those_of_a_whole_compile),
        cmocka_unit_test(props_come_and_go),
        cmocka_unit_test(props_alone_leave_the_entities),
        cmocka_unit_test(another_number_of_brush_entities_is_refused),
        cmocka_unit_test(a_new_texture_is_refused),
        cmocka_unit_test(other_changes_are_reported),
        cmocka_unit_test(lights_that_keep_their_styles_are_fine),
        cmocka_unit_test(a_file_is_replaced_or_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
