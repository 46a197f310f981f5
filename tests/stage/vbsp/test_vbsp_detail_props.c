/* Detail props on faces and of entities, from the map to the game lump. */
#include "tests/support/suite.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/static_props.h"
#include "common/diag/codes/props.def"
#include "tests/support/scratch_folder.h"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/context.h"
#include "vbsp/target/source/props/detail_types.h"
#include "vbsp/target/source/props/props.h"

static const char detail_vbsp[] =
    "detail { meadow { density 2000\n"
    "low { alpha 0 }\n"
    "high { alpha 1\n"
    " a { sprite \"64 0 64 32 512\" spritesize \"0.5 0.25 20 40\" amount 0.6 sway 0.5\n"
    "     spriterandomscale 0.25 }\n"
    " b { model models/twig.mdl amount 0.2 detailOrientation 2 upright 1 }\n"
    " c { model models/gone.mdl amount 0.1 } } } }";

struct fixture {
    struct text_map map;
    struct detail_props props;
};

static void write_text(struct fixture *f, const char *path, const char *text)
{
    struct fs *fs = f->map.fs;
    assert_int_equal(fs->ops->write(fs, path, text, strlen(text)), 0);
}

/* A room of 512 units a side whose floor, and the pillar in its middle, grow the type. */
static void begin_room(struct fixture *f, const char *type, bool pillar)
{
    char vmt[128];
    *f = (struct fixture){0};
    text_map_init(&f->map);
    text_map_room(&f->map, vec3(0, 0, 0), vec3(512, 512, 128));
    if (pillar)
        text_map_box(&f->map, vec3(192, 192, 0), vec3(320, 320, 128), "floor");
    text_map_entity(&f->map, "info_player_start", "origin \"64 64 32\"");
    snprintf(vmt, sizeof vmt, "LightmappedGeneric { \"%%detailtype\" %s }", type);
    write_text(f, "game/materials/floor.vmt", vmt);
    write_text(f, "game/models/twig.mdl", "it only has to be there");
}

static void begin(struct fixture *f, const char *type)
{
    begin_room(f, type, false);
}

static const struct bsp_game_lump *compile(struct fixture *f)
{
    text_map_compile_game(&f->map, STATUS_OK, "game");
    if (!arrlen(f->map.bsp->game_lumps))
        return NULL;
    assert_int_equal(arrlen(f->map.bsp->game_lumps), 2);
    assert_int_equal(f->map.bsp->game_lumps[0].id, STATIC_PROPS_ID);
    const struct bsp_game_lump *lump = &f->map.bsp->game_lumps[1];
    assert_int_equal(lump->id, DETAIL_PROPS_ID);
    assert_int_equal(
        detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, f->map.diag, &f->props),
        STATUS_OK);
    return lump;
}

static void end(struct fixture *f)
{
    detail_props_free(&f->props);
    text_map_free(&f->map);
}

static void floors_grow(void **state)
{
    (void)state;
    struct fixture f;
    size_t sprites = 0, models = 0;
    begin(&f, "Meadow");
    write_text(&f, "game/detail.vbsp", detail_vbsp);
    assert_non_null(compile(&f));
    for (size_t i = 0; i < arrlenu(f.props.objects); i++) {
        const struct detail_object *object = &f.props.objects[i];
        const float *p = object->origin;
        assert_true(p[0] >= 0 && p[0] <= 512 && p[1] >= 0 && p[1] <= 512);
        assert_true(fabsf(p[2]) < 1e-3f);
        assert_int_equal(object->leaf,
                         bsp_leaf_at(f.map.bsp, 0, vec3((double)p[0], (double)p[1], 1)));
        assert_true(i == 0 || object->leaf >= f.props.objects[i - 1].leaf);
        sprites += object->type == DETAIL_SPRITE;
        models += object->type == DETAIL_MODEL;
        assert_int_equal(object->sway, object->type == DETAIL_SPRITE ? 127 : 0);
        assert_int_equal(object->orientation, object->type == DETAIL_SPRITE ? 0 : 2);
        assert_true(object->scale > 0);
    }
    /* 2000 a million square units: 524 draws, of which 0.6 and 0.2 and 0.1 are something. */
    assert_in_range(sprites, 524 * 5 / 10, 524 * 7 / 10);
    assert_in_range(models, 524 * 1 / 10, 524 * 3 / 10);
    assert_int_equal(arrlen(f.props.models), 1);
    assert_string_equal(f.props.models[0], "models/twig.mdl");
    assert_int_equal(arrlen(f.props.sprites), 1);
    assert_float_equal(f.props.sprites[0].upper_left[0], -10, 0);
    assert_float_equal(f.props.sprites[0].upper_left[1], 30, 0);
    assert_float_equal(f.props.sprites[0].lower_right[1], -10, 0);
    assert_float_equal(f.props.sprites[0].texture_upper_left[0], 64.5 / 512, 1e-7);
    assert_float_equal(f.props.sprites[0].texture_lower_right[1], 31.5 / 512, 1e-7);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_DETAIL_MODEL_MISSING), 1);
    assert_int_equal(diag_entries(f.map.diag), 1);
    end(&f);
}

static void put_blocker(struct fixture *f, struct vec3 low, struct vec3 high)
{
    bytes_append_text(&f->map.text, "}\nentity { id 900 classname func_detail_blocker\n");
    text_map_box(&f->map, low, high, "tools/toolstrigger");
}

/* Where a func_detail_blocker is nothing grows; the rest of the meadow stays as it was. */
static void nothing_grows_in_a_blocker(void **state)
{
    (void)state;
    struct fixture open, blocked;
    begin(&open, "Meadow");
    write_text(&open, "game/detail.vbsp", detail_vbsp);
    assert_non_null(compile(&open));
    begin(&blocked, "Meadow");
    write_text(&blocked, "game/detail.vbsp", detail_vbsp);
    put_blocker(&blocked, vec3(128, 64, -8), vec3(256, 320, 32));
    assert_non_null(compile(&blocked));
    size_t kept = 0, inside = 0;
    for (size_t i = 0; i < arrlenu(open.props.objects); i++) {
        const float *p = open.props.objects[i].origin;
        if (p[0] >= 128 && p[0] <= 256 && p[1] >= 64 && p[1] <= 320) {
            inside++;
            continue;
        }
        assert_true(kept < arrlenu(blocked.props.objects));
        assert_memory_equal(p, blocked.props.objects[kept].origin, 3 * sizeof *p);
        kept++;
    }
    assert_true(inside > 20);
    assert_int_equal(kept, arrlen(blocked.props.objects));
    arrput(blocked.map.bsp->entities, 0);
    assert_null(strstr(blocked.map.bsp->entities, "func_detail_blocker"));
    assert_int_equal(arrlen(blocked.map.bsp->models), 1);
    end(&open);
    end(&blocked);
}

static bool is_moderate(const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(numbers[i]) <= 65536))
            return false;
    return true;
}

/* Numbers that no float holds: the lump has none of them. */
static void huge_numbers_are_limited(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "Meadow");
    write_text(&f, "game/detail.vbsp",
               "detail { meadow { density 200 high { alpha 1\n"
               " a { sprite \"0 -1e308 64 1e308 1e-300\" spritesize \"0.5 0 -1e308 1e308\"\n"
               "     amount 1 spriterandomscale 1e308 } } } }");
    text_map_entity(&f.map, "prop_detail_sprite",
                    "origin \"64 64 32\" angles \"0 1e308 0\" position_ul \"-1e308 1e308\"");
    assert_non_null(compile(&f));
    assert_true(arrlen(f.props.objects) > 10);
    for (size_t i = 0; i < arrlenu(f.props.objects); i++) {
        const struct detail_object *object = &f.props.objects[i];
        assert_true(is_moderate(object->origin, 3) && is_moderate(object->angles, 3));
        assert_true(is_moderate(&object->scale, 1) && object->scale > 0);
    }
    for (size_t i = 0; i < arrlenu(f.props.sprites); i++) {
        const struct detail_sprite *sprite = &f.props.sprites[i];
        assert_true(is_moderate(sprite->upper_left, 2) && is_moderate(sprite->lower_right, 2));
        assert_true(is_moderate(sprite->texture_upper_left, 2) &&
                    is_moderate(sprite->texture_lower_right, 2));
    }
    end(&f);
}

static void unknown_types_are_reported_once(void **state)
{
    (void)state;
    for (int with_file = 0; with_file < 2; with_file++) {
        struct fixture f;
        begin(&f, "swamp");
        if (with_file)
            write_text(&f, "game/detail.vbsp", detail_vbsp);
        assert_null(compile(&f));
        assert_int_equal(diag_count_code(f.map.diag, DIAG_DETAIL_TYPE), 1);
        end(&f);
    }
}

static void only_so_many_fit(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "jungle");
    write_text(
        &f, "game/detail.vbsp",
        "detail { jungle { density 1000000 g { a { sprite \"0 0 64 64 512\" amount 1 } } } }");
    assert_non_null(compile(&f));
    assert_int_equal(arrlen(f.props.objects), 65535);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_DETAIL_LIMIT), 1);
    end(&f);
}

static void entities_stand_where_they_are(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "meadow");
    write_text(&f, "game/materials/floor.vmt", "LightmappedGeneric { }");
    text_map_entity(&f.map, "prop_detail_sprite",
                    "origin \"100 200 1\" angles \"0 30 0\" detailOrientation 2 position_ul "
                    "\"-10 20\" position_lr \"10 0\" tex_ul \"64 0\" tex_size \"64 64\" "
                    "tex_total_size 512");
    text_map_entity(&f.map, "prop_detail", "origin \"10 20 30\" model models/twig.mdl");
    text_map_entity(&f.map, "detail_prop", "origin \"10 20 30\" model models/gone.mdl");
    assert_non_null(compile(&f));
    assert_int_equal(arrlen(f.props.objects), 2);
    int sprite = f.props.objects[0].type == DETAIL_SPRITE ? 0 : 1;
    assert_float_equal(f.props.objects[sprite].angles[1], 30, 0);
    assert_int_equal(f.props.objects[sprite].orientation, 2);
    assert_int_equal(f.props.objects[!sprite].type, DETAIL_MODEL);
    assert_float_equal(f.props.sprites[0].texture_lower_right[0], 127.5 / 512, 1e-7);
    assert_int_equal(diag_count_code(f.map.diag, DIAG_DETAIL_MODEL_MISSING), 1);
    end(&f);
}

static const struct detail_growth *read_types(const char *text, struct arena *arena,
                                              struct diag *diag)
{
    struct kv *root;
    assert_int_equal(kv_parse(text, strlen(text), "detail.vbsp", KV_LENIENT, arena, diag, &root),
                     STATUS_OK);
    return detail_types_read(root, arena);
}

static void the_file_is_read(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct diag *diag = diag_new(NULL, NULL);
    const struct detail_growth *types =
        read_types("detail { x { density 5 g2 { alpha 0.5 } g1 { alpha 0.25\n"
                   "a { sprite \"0 0 64 64 512\" amount 0.6 sprite_shape tri shape_angle 30\n"
                   "    shape_size 0.4 minAngle 0 maxAngle 60 }\n"
                   "b { amount 9 } c { model m.mdl amount 0.9 } } } }",
                   &arena, diag);
    assert_null(detail_types_find(types, "y"));
    const struct detail_growth *growth = detail_types_find(types, "X");
    assert_non_null(growth);
    assert_int_equal(growth->group_count, 2);
    assert_float_equal(growth->groups[0].alpha, 0.25, 0);
    assert_int_equal(growth->groups[0].kind_count, 2); /* b is nothing */
    const struct detail_kind *kinds = growth->groups[0].kinds;
    assert_float_equal(kinds[0].amount, 0.4, 1e-6); /* parts of 1.5 */
    assert_float_equal(kinds[1].amount, 1, 1e-6);
    assert_int_equal(kinds[0].type, DETAIL_TRIPLE);
    assert_int_equal(kinds[0].shape_size, 102);
    assert_float_equal(kinds[0].min_slope, 1, 1e-6);
    assert_float_equal(kinds[0].max_slope, 0.5, 1e-6);
    assert_float_equal(kinds[0].sprite.upper_left[1], 20, 0);
    assert_null(read_types("other { }", &arena, diag));
    arena_free(&arena);
    diag_free(diag);
}

#define REFS_DIR SHARED_DIR "/corpus/refs"

/* A game of the corpus, named by a folder of its own on the disk. */
static struct assets *open_reference_game(const struct env *env)
{
    static const char text[] = "GameInfo { FileSystem { SearchPaths {\n"
                               "game \"" REFS_DIR "/game_extra\"\n"
                               "game \"" SHARED_DIR "/corpus/generated/game\" } } }";
    char path[96], folder[64];
    struct assets *assets;
    scratch_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/gameinfo.txt", folder);
    assert_int_equal(env->fs->ops->write(env->fs, path, text, sizeof text - 1), 0);
    const struct assets_options options = {.game = folder};
    assert_int_equal(assets_open(env, &options, &assets), STATUS_OK);
    remove(path);
    rmdir(folder);
    return assets;
}

static void take_details(struct bsp *bsp, struct diag *diag, struct detail_props *out)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        struct bsp_game_lump *lump = &bsp->game_lumps[i];
        if (lump->id == DETAIL_PROPS_ID)
            assert_int_equal(
                detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, diag, out),
                STATUS_OK);
        bytes_free(&lump->data);
    }
    arrsetlen(bsp->game_lumps, 0);
}

static bool is_like(const struct detail_object *a, const struct detail_object *b)
{
    for (int i = 0; i < 3; i++)
        if (fabsf(a->origin[i] - b->origin[i]) > 2e-3f)
            return false;
    return a->type == b->type && a->orientation == b->orientation;
}

static bool is_turned_like(const struct detail_object *a, const struct detail_object *b)
{
    for (int i = 0; i < 3; i++)
        if (fabs(remainder((double)a->angles[i] - (double)b->angles[i], 360)) > 0.05)
            return false;
    return true;
}

/* Counts expected props that are made at the same position and angles. */
static void compare_objects(const struct detail_props *expected, const struct detail_props *got,
                            size_t *found, size_t *turned, size_t *leaves)
{
    *found = *turned = *leaves = 0;
    for (size_t i = 0; i < arrlenu(expected->objects); i++) {
        const struct detail_object *wanted = &expected->objects[i];
        size_t j = 0;
        while (j < arrlenu(got->objects) && !is_like(wanted, &got->objects[j]))
            j++;
        if (j == arrlenu(got->objects))
            continue;
        *found += 1;
        *turned += is_turned_like(wanted, &got->objects[j]);
        *leaves += wanted->leaf == got->objects[j].leaf;
    }
}

/* Five props of the reference are entities; twelve grow on a brush entity and lie in its own space,
 * that is in the void. */
enum { NOT_ON_FACES = 5 + 12 };

/* The others come back on the reference's own faces. */
/* The sides of a pillar, all of which lie on planes of leaves. */
static void walls_of_all_directions_grow(void **state)
{
    (void)state;
    struct fixture f;
    size_t counts[2][2] = {{0}};
    begin_room(&f, "Meadow", true);
    write_text(&f, "game/detail.vbsp", detail_vbsp);
    assert_non_null(compile(&f));
    for (size_t i = 0; i < arrlenu(f.props.objects); i++) {
        const struct detail_object *object = &f.props.objects[i];
        assert_false(f.map.bsp->leaves[object->leaf].contents & CONTENTS_SOLID);
        for (int axis = 0; axis < 2 && object->origin[2] > 0.5f; axis++)
            for (int end = 0; end < 2; end++)
                counts[axis][end] += fabsf(object->origin[axis] - (end ? 320.0f : 192.0f)) < 1e-3f;
    }
    /* 2000 a million square units of 16 384: 32 draws, of which 0.8 are something. */
    for (int axis = 0; axis < 2; axis++)
        for (int end = 0; end < 2; end++)
            assert_in_range(counts[axis][end], 18, 32);
    end(&f);
}

static void the_reference_grows_again(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct bsp *bsp;
    struct detail_props expected = {0}, got = {0};
    size_t found, turned, leaves;
    if (env.fs->ops->kind(env.fs, REFS_DIR "/detail.bsp") != FS_FILE) {
        print_message("no corpus at %s\n", SHARED_DIR);
        diag_free(diag);
        skip();
    }
    assert_int_equal(bsp_read_file(&env, REFS_DIR "/detail.bsp", &bsp), STATUS_OK);
    struct assets *assets = open_reference_game(&env);
    const struct level level = {.file = "detail.vmf"};
    struct compile compile = {.env = &env, .options = &vbsp_defaults, .assets = assets};
    struct compile_entity world = {0};
    compile.level = &level;
    compile.bsp = bsp;
    arrput(compile.entities, world);
    for (int i = 0; i < (int)arrlen(bsp->texinfo); i++)
        arrput(compile.texinfos.materials, assets_material(assets, bsp_texinfo_name(bsp, i)));
    take_details(bsp, diag, &expected);
    assert_int_equal(detail_props_emit(&compile), STATUS_OK);
    take_details(bsp, diag, &got);
    compare_objects(&expected, &got, &found, &turned, &leaves);
    print_message("%zu of %zu props, %zu turned alike, %zu in the same leaf; %zu are made\n", found,
                  arrlenu(expected.objects) - NOT_ON_FACES, turned, leaves, arrlenu(got.objects));
    assert_int_equal(found, arrlenu(expected.objects) - NOT_ON_FACES);
    assert_int_equal(arrlenu(got.objects), found);
    detail_props_free(&expected);
    detail_props_free(&got);
    arrfree(compile.entities);
    arrfree(compile.texinfos.materials);
    bsp_free(bsp);
    assets_free(assets);
    diag_free(diag);
}

SUITE(test_vbsp_detail_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_grow),
        cmocka_unit_test(nothing_grows_in_a_blocker),
        cmocka_unit_test(huge_numbers_are_limited),
        cmocka_unit_test(unknown_types_are_reported_once),
        cmocka_unit_test(only_so_many_fit),
        cmocka_unit_test(entities_stand_where_they_are),
        cmocka_unit_test(the_file_is_read),
        cmocka_unit_test(the_reference_grows_again),
        cmocka_unit_test(walls_of_all_directions_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
