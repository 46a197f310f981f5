/* Small maps in code -> vmf_parse -> load_map. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/diag/codes/displacements.def"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/overlays.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/solid_entities.def"
#include "common/diag/codes/solids.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/context.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/emit/emit.h"

struct fixture {
    struct text_map map;
    struct compile compile;
    char *lump; /* the entities, terminated */
};

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(1, sizeof *f);
    text_map_init(&f->map);
    f->map.options = vbsp_defaults;
    *state = f;
    return 0;
}

static void unload(struct fixture *f)
{
    compile_free(&f->compile);
    bsp_free(f->compile.bsp);
    assets_free(f->compile.assets);
    level_free(&f->map.level);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unload(f);
    f->map.level = (struct level){0};
    text_map_free(&f->map);
    arrfree(f->lump);
    memory_free(f);
    return 0;
}

#define WALL "tools/toolsblack"

static const char *const walls[BOX_SIDES] = {WALL, WALL, WALL, WALL, WALL, WALL};

static void put(struct fixture *f, const char *text)
{
    bytes_append_text(&f->map.text, "%s", text);
}

static void put_box(struct fixture *f, double x, double y, double z, double size,
                    const char *material)
{
    text_map_box(&f->map, vec3(x, y, z), vec3(x + size, y + size, z + size), material);
}

static void put_solid(struct fixture *f, const double (*sides)[9], int count)
{
    put(f, "solid { id 77\n");
    for (int i = 0; i < count; i++)
        text_map_side(&f->map, sides[i], WALL);
    put(f, "}\n");
}

static void entity(struct fixture *f, const char *classname, const char *keys)
{
    text_map_entity(&f->map, classname, keys);
}

/* Loads the text, whose last block is closed. */
static struct compile *load_text(struct fixture *f)
{
    const struct bytes *text = &f->map.text;
    assert_int_equal(
        vmf_parse((const char *)text->data, text->size, "test.vmf", f->map.diag, &f->map.level),
        STATUS_OK);
    struct compile *compile = &f->compile;
    *compile = (struct compile){
        .env = &f->map.env, .options = &f->map.options, .level = &f->map.level, .bsp = bsp_new()};
    assert_int_equal(assets_open(&f->map.env, &(struct assets_options){0}, &compile->assets),
                     STATUS_OK);
    assert_int_equal(load_map(compile), STATUS_OK);
    return compile;
}

static struct compile *load(struct fixture *f)
{
    put(f, "}\n");
    return load_text(f);
}

static const char *lump_text(struct fixture *f)
{
    entities_finish(&f->compile);
    size_t size = arrlenu(f->compile.bsp->entities);
    arrsetlen(f->lump, size + 1);
    if (size)
        memcpy(f->lump, f->compile.bsp->entities, size);
    f->lump[size] = 0;
    return f->lump;
}

static int count_bevels(const struct map_brush *brush)
{
    int count = 0;
    for (int i = 0; i < brush->side_count; i++)
        count += brush->sides[i].bevel;
    return count;
}

static void a_box_has_six_sides_in_order(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 16, 32, 64, WALL);
    struct compile *compile = load(f);
    assert_int_equal(diag_entries(f->map.diag), 0);
    assert_int_equal(arrlen(compile->brushes), 1);
    const struct map_brush *brush = compile->brushes[0];
    assert_int_equal(brush->side_count, 6);
    assert_int_equal(count_bevels(brush), 0);
    assert_int_equal(brush->contents, CONTENTS_SOLID);
    assert_true(fabs(map_brush_volume(&compile->planes, brush) - 64 * 64 * 64) < 1e-6);
    static const double dists[6] = {0, 64, -16, 80, -32, 96};
    static const int ids[6] = {4, 5, 7, 6, 3, 2};
    for (int i = 0; i < 6; i++) {
        const struct brush_side *side = &brush->sides[i];
        const struct plane *plane = &compile->planes.planes[side->plane];
        assert_true(plane->normal.e[i / 2] == (i % 2 ? 1 : -1));
        assert_true(plane->dist == dists[i]);
        assert_int_equal(side->map_side->id, ids[i]);
        assert_int_equal(side->winding->count, 4);
        assert_true(winding_area(side->winding) == 64 * 64);
        assert_ptr_equal(side->original, side);
        assert_true(side->visible && side->texinfo >= 0);
    }
}

/* A box whose top slants down to the east. */
static void a_ramp_gets_the_missing_axial_planes(void **state)
{
    struct fixture *f = *state;
    const double sides[5][9] = {
        {0, 64, 64, 64, 64, 0, 64, 0, 0}, /* the slope */
        {0, 0, 0, 64, 0, 0, 64, 64, 0},   {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {64, 64, 0, 0, 64, 64, 0, 64, 0}, {0, 0, 64, 64, 0, 0, 0, 0, 0},
    };
    put_solid(f, sides, 5);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 1);
    const struct map_brush *brush = compile->brushes[0];
    assert_int_equal(brush->side_count, 7);
    assert_int_equal(count_bevels(brush), 2);
    for (int i = 0; i < 6; i++) {
        const struct plane *plane = &compile->planes.planes[brush->sides[i].plane];
        assert_true(plane->normal.e[i / 2] == (i % 2 ? 1 : -1));
        assert_int_equal(brush->sides[i].bevel, i == 1 || i == 5);
    }
    assert_true(compile->planes.planes[brush->sides[1].plane].dist == 64);
    assert_null(brush->sides[1].winding);
    assert_int_equal(brush->sides[6].map_side->id, 1);
}

/* The corner of a box, cut off: the three edges of the cut run along no axis, and planes through
 * them that do touch the brush from outside. */
static void a_slanted_edge_gets_bevels(void **state)
{
    struct fixture *f = *state;
    const double sides[4][9] = {
        {0, 0, 64, 0, 64, 0, 64, 0, 0},
        {0, 0, 0, 64, 0, 0, 0, 64, 0},
        {0, 0, 0, 0, 64, 0, 0, 0, 64},
        {64, 0, 0, 0, 0, 0, 0, 0, 64},
    };
    put_solid(f, sides, 4);
    struct compile *compile = load(f);
    assert_int_equal(diag_entries(f->map.diag), 0);
    assert_int_equal(arrlen(compile->brushes), 1);
    const struct map_brush *brush = compile->brushes[0];
    assert_int_equal(brush->side_count, 4 + 3 + 3);
    assert_int_equal(count_bevels(brush), 3 + 3);
    for (int i = 7; i < 10; i++) {
        const struct plane *plane = &compile->planes.planes[brush->sides[i].plane];
        assert_true(brush->sides[i].bevel);
        assert_true(fabs(plane->dist - 64 * sqrt(0.5)) < 1e-6);
        assert_true(fabs(plane->normal.x + plane->normal.y + plane->normal.z - sqrt(2)) < 1e-6);
    }
}

static void expect_one(const struct fixture *f, int code, int solid, int side)
{
    assert_int_equal(diag_count_code(f->map.diag, code), 1);
    for (size_t i = 0; i < diag_entries(f->map.diag); i++) {
        const struct diag_entry *entry = diag_entry(f->map.diag, i);
        if (entry->code != code)
            continue;
        assert_int_equal(entry->where.solid_id, solid);
        assert_int_equal(entry->where.side_id, side);
        assert_true(entry->where.line > 0);
        assert_true(entry->where.has_point);
    }
}

/* A box with one side more, which has the keys `keys`. */
static void put_box_and(struct fixture *f, double x, const double extra[9], const char *keys)
{
    put(f, "solid { id 77\n");
    text_map_box_sides(&f->map, vec3(x, 0, 0), vec3(x + 64, 64, 64), walls);
    f->map.extra = keys;
    text_map_side(&f->map, extra, WALL);
    f->map.extra = NULL;
    put(f, "}\n");
}

static void a_side_on_a_taken_plane_is_dropped(void **state)
{
    struct fixture *f = *state;
    put_box_and(f, 0, (const double[9]){8, 16, 64, 16, 16, 64, 16, 8, 64}, NULL);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_PLANE_TWICE, 77, 7);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->side_count, 6);
}

static void a_side_on_the_back_of_a_plane_is_dropped(void **state)
{
    struct fixture *f = *state;
    put_box_and(f, 0, (const double[9]){16, 8, 64, 16, 16, 64, 8, 16, 64}, NULL);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_PLANE_TWICE, 77, 7);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->side_count, 6);
}

static void points_on_a_line_are_no_plane(void **state)
{
    struct fixture *f = *state;
    put_box_and(f, 0, (const double[9]){0, 0, 64, 16, 16, 64, 32, 32, 64}, NULL);
    load(f);
    expect_one(f, DIAG_SIDE_PLANE, 77, 7);
    assert_int_equal(arrlen(f->compile.brushes), 1);
}

static void three_sides_are_no_brush(void **state)
{
    struct fixture *f = *state;
    const double sides[4][9] = {
        {0, 64, 64, 64, 64, 64, 64, 0, 64},
        {0, 0, 0, 64, 0, 0, 64, 64, 0},
        {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {8, 16, 64, 16, 16, 64, 16, 8, 64}, /* the plane of the first */
    };
    put_solid(f, sides, 4);
    put_box(f, 0, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    expect_one(f, DIAG_SOLID_SIDES, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->number, 0);
}

static void a_solid_without_room_is_dropped(void **state)
{
    struct fixture *f = *state;
    put(f, "solid { id 77\n");
    text_map_box_sides(&f->map, vec3(0, 0, 0), vec3(64, 64, -16), walls);
    put(f, "}\n");
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_NO_VOLUME, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 0);
}

static void an_open_solid_is_dropped(void **state)
{
    struct fixture *f = *state;
    const double sides[4][9] = {
        {0, 64, 64, 64, 64, 64, 64, 0, 64},
        {0, 0, 0, 64, 0, 0, 64, 64, 0},
        {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {64, 64, 0, 64, 0, 0, 64, 0, 64},
    };
    put_solid(f, sides, 4);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_UNBOUNDED, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 0);
}

static void a_solid_outside_the_world_is_dropped(void **state)
{
    struct fixture *f = *state;
    put_box(f, 16380, 0, 0, 64, WALL);
    put_box(f, 16320, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_UNBOUNDED, 1, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
}

static void a_tiny_solid_is_kept_and_reported(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 0.5, WALL);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_MICRO, 1, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
}

static void clips_of_the_world_stay_out_of_the_tree(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, "tools/toolsplayerclip");
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_box(f, 0, 0, 0, 64, "tools/toolsclip");
    struct compile *compile = load(f);
    const struct map_brush *clip = compile->brushes[0];
    assert_int_equal(clip->contents, CONTENTS_PLAYERCLIP | CONTENTS_DETAIL);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(clip->sides[i].texinfo, TEXINFO_NODE);
        assert_true(clip->sides[i].record_texinfo >= 0);
    }
    const struct map_brush *model = compile->brushes[1];
    assert_int_equal(model->contents, CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP);
    assert_true(model->sides[0].texinfo >= 0);
}

/* Contents and flags set in the level count like those of the material. */
static void one_watery_side_makes_water(void **state)
{
    struct fixture *f = *state;
    put_box_and(f, 0, (const double[9]){0, 64, 32, 64, 64, 32, 64, 0, 32},
                "contents 32 flags 4096");
    struct compile *compile = load(f);
    assert_int_equal(compile->brushes[0]->contents, CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    bool found = false;
    for (int i = 0; i < compile->brushes[0]->side_count; i++)
        found |= (compile->brushes[0]->sides[i].flags & SURFACE_NOSHADOWS) != 0;
    assert_true(found);
}

static void detail_moves_to_the_world(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_box(f, 200, 0, 0, 64, WALL);
    entity(f, "func_detail", "");
    put_box(f, 100, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 3);
    const struct map_brush *detail = compile->brushes[1];
    assert_int_equal(detail->contents, CONTENTS_SOLID | CONTENTS_DETAIL);
    assert_int_equal(detail->entity, 2);
    assert_int_equal(arrlen(compile->entities[0].brushes), 2);
    assert_int_equal(compile->entities[0].brushes[1], 1);
    assert_true(compile->entities[2].dropped);
    assert_int_equal(compile->entities[2].model, -1);
    assert_int_equal(compile->entities[1].model, 1);
    assert_string_equal(entity_value(&compile->entities[1].keys, "model"), "*1");
    assert_null(strstr(lump_text(f), "func_detail"));
}

static void detail_can_be_dropped_or_structural(void **state)
{
    struct fixture *f = *state;
    f->map.options.no_detail = true;
    put_box(f, 0, 0, 0, 64, WALL);
    put_box(f, 300, 0, 0, 64, "tools/toolsclip");
    entity(f, "func_detail", "");
    put_box(f, 100, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 2);

    unload(f);
    f->map.options.no_detail = false;
    f->map.options.full_detail = true;
    compile = load_text(f);
    assert_int_equal(arrlen(compile->brushes), 3);
    assert_int_equal(compile->brushes[2]->contents, CONTENTS_SOLID);
}

static void an_origin_brush_moves_its_entity(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "func_rotating", "speed 20");
    put_box(f, 100, 0, 0, 64, WALL);
    put_box(f, 128, 16, -40.5, 32, "tools/toolsorigin");
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 2);
    const struct compile_entity *entity = &compile->entities[1];
    assert_string_equal(entity_value(&entity->keys, "origin"), "144 32 -24");
    assert_true(entity->origin.x == 144 && entity->origin.y == 32 && entity->origin.z == -24);
    const struct map_brush *brush = compile->brushes[1];
    assert_true(brush->bounds.mins.x == 100 - 144 && brush->bounds.maxs.x == 164 - 144);
    assert_true(brush->bounds.mins.z == 24);
    const struct bsp_texinfo *texinfo = &compile->texinfos.items[brush->sides[5].texinfo];
    assert_true(texinfo->texture[0][3] == 144 * 4);
    assert_true(texinfo->texture[1][3] == 32 * -4);
    struct diag_where where = brush_where(compile, brush, NULL);
    assert_true(where.has_point && where.point[0] == 132 && where.point[2] == 32);
    assert_int_equal(where.entity_id, compile->entities[1].map_entity->id);
}

static void ladders_and_area_portals_stand_in_the_world(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "func_areaportal", "StartOpen 1");
    put_box(f, 100, 0, 0, 64, "tools/toolsareaportal");
    entity(f, "func_areaportal", "StartOpen 1");
    entity(f, "func_areaportalwindow", "target pane BackgroundBModel back");
    put_box(f, 200, 0, 0, 64, "tools/toolsareaportal");
    entity(f, "func_ladder", "");
    put_box(f, 300, 0, 0, 64, WALL);
    entity(f, "func_brush", "targetname PANE origin \"400 0 0\"");
    put_box(f, 400, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 5);
    assert_int_equal(arrlen(compile->entities[0].brushes), 4);
    assert_int_equal(compile->brushes[1]->contents, CONTENTS_AREAPORTAL);
    assert_int_equal(compile->entities[1].portal_number, 1);
    assert_int_equal(compile->entities[2].portal_number, 0);
    assert_int_equal(compile->entities[3].portal_number, 2);
    assert_string_equal(entity_value(&compile->entities[3].keys, "portalnumber"), "2");
    assert_int_equal(diag_count_code(f->map.diag, DIAG_AREAPORTAL_BRUSHES), 1);
    assert_int_equal(compile->brushes[3]->contents, CONTENTS_SOLID | CONTENTS_LADDER);
    assert_int_equal(compile->brushes[4]->contents, CONTENTS_WINDOW | CONTENTS_TRANSLUCENT);
    assert_non_null(strstr(lump_text(f), "{\n\"maxs.z\" \"64.00\"\n\"maxs.y\" \"64.00\"\n"
                                         "\"maxs.x\" \"364.00\"\n\"mins.z\" \"0.00\"\n"
                                         "\"mins.y\" \"0.00\"\n\"mins.x\" \"300.00\"\n"
                                         "\"classname\" \"info_ladder\"\n"));
}

static void keys_are_written_in_the_order_of_the_tools(void **state)
{
    struct fixture *f = *state;
    put(f, "skyname dusk\n");
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "logic_relay",
           "targetname r connections { OnTrigger \"a,b,,0,-1\" OnTrigger \"c,d,1,5,2,0.5,1\" } "
           "axis \"1 2 3, 4 5 6\" origin \"1 2 3\"");
    load(f);
    assert_string_equal(lump_text(f), "{\n\"skyname\" \"dusk\"\n\"mapversion\" \"3\"\n"
                                      "\"classname\" \"worldspawn\"\n\"hammerid\" \"1\"\n}\n"
                                      "{\n\"origin\" \"1 2 3\"\n\"axis\" \"1 2 3, 4 5 6\"\n"
                                      "\"targetname\" \"r\"\n\"classname\" \"logic_relay\"\n"
                                      "\"hammerid\" \"8\"\n\"OnTrigger\" \"a,b,,0,-1\"\n"
                                      "\"OnTrigger\" \"c,d,1,5,2,0.5,1\"\n}\n");
}

static void named_lights_share_a_style(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    static const char *const keys[] = {"targetname lamp", "", "targetname other style 4",
                                       "targetname Lamp"};
    for (int i = 0; i < 4; i++) {
        entity(f, i == 2 ? "light_spot" : "light", keys[i]);
    }
    entity(f, "light_dynamic", "targetname moving");
    struct compile *compile = load(f);
    const struct compile_entity *e = compile->entities;
    assert_string_equal(entity_value(&e[1].keys, "style"), "32");
    assert_string_equal(entity_value(&e[2].keys, "style"), "");
    assert_string_equal(entity_value(&e[3].keys, "style"), "33");
    assert_string_equal(entity_value(&e[3].keys, "defaultstyle"), "4");
    assert_string_equal(entity_value(&e[4].keys, "style"), "32");
    assert_string_equal(entity_value(&e[5].keys, "style"), "");
}

static void styles_run_out(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    for (int i = 0; i < 40; i++) {
        char keys[32];
        snprintf(keys, sizeof keys, "targetname l%d", i);
        entity(f, "light", keys);
    }
    struct compile *compile = load(f);
    assert_int_equal(diag_count_code(f->map.diag, DIAG_LIGHT_NAMES), 1);
    assert_string_equal(entity_value(&compile->entities[32].keys, "style"), "63");
    assert_string_equal(entity_value(&compile->entities[33].keys, "style"), "");
}

static void cubemaps_are_samples(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "env_cubemap", "origin \"10.9 -10.9 5\" cubemapsize 7");
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->bsp->cubemaps), 1);
    const struct bsp_cubemap *cubemap = &compile->bsp->cubemaps[0];
    assert_int_equal(cubemap->origin[0], 10);
    assert_int_equal(cubemap->origin[1], -10);
    assert_int_equal(cubemap->size, 7);
    assert_true(compile->entities[1].dropped);
}

static void props_and_visclusters_leave_no_entity(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    entity(f, "prop_static", "model a.mdl origin \"1 2 3\"");
    entity(f, "info_overlay", "");
    entity(f, "func_viscluster", "");
    put_box(f, 300, 0, 0, 64, "tools/toolstrigger");
    struct compile *compile = load(f);
    assert_int_equal(diag_count_code(f->map.diag, DIAG_OVERLAY_KEYS), 1);
    assert_int_equal(arrlen(compile->brushes), 2);
    assert_int_equal(compile->entities[3].model, -1);
    assert_null(strstr(lump_text(f), "prop_static"));
    assert_null(strstr(lump_text(f), "func_viscluster"));
}

static void put_displaced_box(struct fixture *f, double x)
{
    put_box_and(f, x, (const double[9]){x, 64, 8, x + 64, 64, 8, x + 64, 0, 8},
                "dispinfo { power 2 startposition \"[0 0 0]\" }");
}

static void displaced_brushes_are_apart(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    put_displaced_box(f, 100);
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_displaced_box(f, 200);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 2);
    assert_int_equal(arrlen(compile->displacement_brushes), 1);
    const struct map_brush *brush = compile->displacement_brushes[0];
    assert_int_equal(brush->number, -1);
    int displaced = 0;
    for (int i = 0; i < brush->side_count; i++)
        if (brush->sides[i].displacement) {
            displaced++;
            assert_true(winding_area(brush->sides[i].winding) == 64 * 64);
        }
    assert_int_equal(displaced, 1);
    assert_int_equal(diag_count_code(f->map.diag, DIAG_DISPLACEMENT_DAMAGED), 0);
    assert_int_equal(diag_count_code(f->map.diag, DIAG_DISPLACEMENT_ON_MODEL), 1);
    for (int i = 0; i < compile->brushes[1]->side_count; i++)
        assert_null(compile->brushes[1]->sides[i].displacement);
}

static void water_gets_a_lod_control(void **state)
{
    struct fixture *f = *state;
    put_box(f, 0, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    struct bsp_leaf_water water = {64, 0, 0};
    arrput(compile->bsp->leaf_water, water);
    const char *text = lump_text(f);
    assert_non_null(strstr(text, "{\n\"cheapwaterenddistance\" \"2000\"\n"
                                 "\"cheapwaterstartdistance\" \"1000\"\n"
                                 "\"classname\" \"water_lod_control\"\n}\n"));
    /* There is one now. */
    size_t length = strlen(text);
    assert_int_equal(strlen(lump_text(f)), length);
}

static void luxels_are_scaled_by_the_options(void **state)
{
    struct fixture *f = *state;
    f->map.options.luxel_scale = 0.5;
    f->map.options.min_luxel_scale = 12;
    put_box(f, 0, 0, 0, 64, WALL);
    struct compile *compile = load(f);
    const struct bsp_texinfo *texinfo =
        &compile->texinfos.items[compile->brushes[0]->sides[5].texinfo];
    assert_true(texinfo->lightmap[0][0] == 1 / 12.0f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_load)
{
    const struct CMUnitTest tests[] = {
        TEST(a_box_has_six_sides_in_order),
        TEST(a_ramp_gets_the_missing_axial_planes),
        TEST(a_slanted_edge_gets_bevels),
        TEST(a_side_on_a_taken_plane_is_dropped),
        TEST(a_side_on_the_back_of_a_plane_is_dropped),
        TEST(points_on_a_line_are_no_plane),
        TEST(three_sides_are_no_brush),
        TEST(a_solid_without_room_is_dropped),
        TEST(an_open_solid_is_dropped),
        TEST(a_solid_outside_the_world_is_dropped),
        TEST(a_tiny_solid_is_kept_and_reported),
        TEST(clips_of_the_world_stay_out_of_the_tree),
        TEST(one_watery_side_makes_water),
        TEST(detail_moves_to_the_world),
        TEST(detail_can_be_dropped_or_structural),
        TEST(an_origin_brush_moves_its_entity),
        TEST(ladders_and_area_portals_stand_in_the_world),
        TEST(keys_are_written_in_the_order_of_the_tools),
        TEST(named_lights_share_a_style),
        TEST(styles_run_out),
        TEST(cubemaps_are_samples),
        TEST(props_and_visclusters_leave_no_entity),
        TEST(displaced_brushes_are_apart),
        TEST(water_gets_a_lod_control),
        TEST(luxels_are_scaled_by_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
