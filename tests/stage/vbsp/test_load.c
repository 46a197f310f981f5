/* Small maps in code -> vmf_parse -> load_map. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "vbsp/context.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/emit/emit.h"

struct fixture {
    struct bytes text;
    int ids;
    struct diag *diag;
    struct fs *fs;
    struct env env;
    struct vbsp_options options;
    struct map_source source;
    struct compile compile;
    char *lump; /* the entities, terminated */
};

static int setup(void **state)
{
    struct fixture *f = memory_zalloc(1, sizeof *f);
    f->diag = diag_new(NULL, NULL);
    f->fs = fs_memory_new();
    f->env = (struct env){.diag = f->diag, .fs = f->fs, .threads = 1};
    f->options = vbsp_defaults;
    *state = f;
    return 0;
}

static void unload(struct fixture *f)
{
    compile_free(&f->compile);
    bsp_free(f->compile.bsp);
    assets_free(f->compile.assets);
    map_source_free(&f->source);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unload(f);
    fs_memory_free(f->fs);
    diag_free(f->diag);
    bytes_free(&f->text);
    arrfree(f->lump);
    memory_free(f);
    return 0;
}

static void put(struct fixture *f, const char *text)
{
    bytes_append_text(&f->text, "%s", text);
}

static void put_side(struct fixture *f, const double points[9], const char *material,
                     const char *more)
{
    bytes_append_text(&f->text,
                      "side { id %d plane \"(%g %g %g) (%g %g %g) (%g %g %g)\" material \"%s\"\n"
                      "uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 -1 0 0] 0.25\" lightmapscale 16 %s }\n",
                      ++f->ids, points[0], points[1], points[2], points[3], points[4], points[5],
                      points[6], points[7], points[8], material, more);
}

/* The six sides of a box in the order of the editor: top, bottom, west, east, north, south. */
static void put_box_sides(struct fixture *f, const double b[6], const char *const materials[6])
{
    const double sides[6][9] = {
        {b[0], b[4], b[5], b[3], b[4], b[5], b[3], b[1], b[5]},
        {b[0], b[1], b[2], b[3], b[1], b[2], b[3], b[4], b[2]},
        {b[0], b[4], b[5], b[0], b[1], b[5], b[0], b[1], b[2]},
        {b[3], b[4], b[2], b[3], b[1], b[2], b[3], b[1], b[5]},
        {b[3], b[4], b[5], b[0], b[4], b[5], b[0], b[4], b[2]},
        {b[3], b[1], b[2], b[0], b[1], b[2], b[0], b[1], b[5]},
    };
    for (int i = 0; i < 6; i++)
        put_side(f, sides[i], materials[i], "");
}

static void put_box_of(struct fixture *f, const double box[6], const char *const materials[6])
{
    bytes_append_text(&f->text, "solid { id %d\n", ++f->ids);
    put_box_sides(f, box, materials);
    put(f, "}\n");
}

static void put_box(struct fixture *f, const double box[6], const char *material)
{
    const char *materials[6];
    for (int i = 0; i < 6; i++)
        materials[i] = material;
    put_box_of(f, box, materials);
}

#define WALL   "tools/toolsblack"
#define NODRAW "tools/toolsnodraw"
#define BOX(x, y, z, size)                                                                         \
    (const double[6])                                                                              \
    {                                                                                              \
        x, y, z, (x) + (size), (y) + (size), (z) + (size)                                          \
    }

static void world(struct fixture *f)
{
    put(f, "world { id 1 mapversion 9 classname worldspawn skyname dusk\n");
}

static void entity(struct fixture *f, const char *classname, const char *keys)
{
    bytes_append_text(&f->text, "entity { id %d classname %s %s\n", ++f->ids + 1000, classname,
                      keys);
}

static void end(struct fixture *f)
{
    put(f, "}\n");
}

static struct compile *load(struct fixture *f)
{
    assert_int_equal(
        vmf_parse((const char *)f->text.data, f->text.size, "test.vmf", f->diag, &f->source),
        STATUS_OK);
    struct compile *compile = &f->compile;
    *compile = (struct compile){
        .env = &f->env, .options = &f->options, .source = &f->source, .bsp = bsp_new()};
    assert_int_equal(assets_open(&f->env, &(struct assets_options){0}, &compile->assets),
                     STATUS_OK);
    assert_int_equal(load_map(compile), STATUS_OK);
    return compile;
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
    world(f);
    put_box(f, BOX(0, 16, 32, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(diag_entries(f->diag), 0);
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
        assert_int_equal(side->source->id, ids[i]);
        assert_int_equal(side->winding->count, 4);
        assert_true(winding_area(side->winding) == 64 * 64);
        assert_ptr_equal(side->original, side);
        assert_true(side->visible && side->texinfo >= 0);
    }
}

/* A ramp: a box whose top slants down to the east. */
static void put_ramp(struct fixture *f)
{
    bytes_append_text(&f->text, "solid { id %d\n", ++f->ids);
    const double sides[5][9] = {
        {0, 64, 64, 64, 64, 0, 64, 0, 0}, /* the slope */
        {0, 0, 0, 64, 0, 0, 64, 64, 0},   {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {64, 64, 0, 0, 64, 64, 0, 64, 0}, {0, 0, 64, 64, 0, 0, 0, 0, 0},
    };
    for (int i = 0; i < 5; i++)
        put_side(f, sides[i], WALL, "");
    put(f, "}\n");
}

static void a_ramp_gets_the_missing_axial_planes(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_ramp(f);
    end(f);
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
    assert_int_equal(brush->sides[6].source->id, 2);
}

/* The corner of a box, cut off: the three edges of the cut run along no axis, and planes through
 * them that do touch the brush from outside. */
static void a_slanted_edge_gets_bevels(void **state)
{
    struct fixture *f = *state;
    world(f);
    put(f, "solid { id 50\n");
    const double sides[4][9] = {
        {0, 0, 64, 0, 64, 0, 64, 0, 0},
        {0, 0, 0, 64, 0, 0, 0, 64, 0},
        {0, 0, 0, 0, 64, 0, 0, 0, 64},
        {64, 0, 0, 0, 0, 0, 0, 0, 64},
    };
    for (int i = 0; i < 4; i++)
        put_side(f, sides[i], WALL, "");
    put(f, "}\n");
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(diag_entries(f->diag), 0);
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

static void expect_one(const struct fixture *f, enum diag_code code, int solid, int side)
{
    assert_int_equal(diag_count_code(f->diag, code), 1);
    for (size_t i = 0; i < diag_entries(f->diag); i++) {
        const struct diag_entry *entry = diag_entry(f->diag, i);
        if (entry->code != code)
            continue;
        assert_int_equal(entry->where.solid_id, solid);
        assert_int_equal(entry->where.side_id, side);
        assert_true(entry->where.line > 0);
        assert_true(entry->where.has_point);
    }
}

static void put_box_and(struct fixture *f, const double extra[9])
{
    const char *materials[6] = {WALL, WALL, WALL, WALL, WALL, WALL};
    put(f, "solid { id 77\n");
    put_box_sides(f, BOX(0, 0, 0, 64), materials);
    put_side(f, extra, WALL, "");
    put(f, "}\n");
}

static void a_side_on_a_taken_plane_is_dropped(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box_and(f, (const double[9]){8, 16, 64, 16, 16, 64, 16, 8, 64});
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_PLANE_TWICE, 77, 7);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->side_count, 6);
}

static void a_side_on_the_back_of_a_plane_is_dropped(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box_and(f, (const double[9]){16, 8, 64, 16, 16, 64, 8, 16, 64});
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_PLANE_TWICE, 77, 7);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->side_count, 6);
}

static void points_on_a_line_are_no_plane(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box_and(f, (const double[9]){0, 0, 64, 16, 16, 64, 32, 32, 64});
    end(f);
    load(f);
    expect_one(f, DIAG_SIDE_PLANE, 77, 7);
    assert_int_equal(arrlen(f->compile.brushes), 1);
}

static void three_sides_are_no_brush(void **state)
{
    struct fixture *f = *state;
    world(f);
    put(f, "solid { id 77\n");
    const double sides[4][9] = {
        {0, 64, 64, 64, 64, 64, 64, 0, 64},
        {0, 0, 0, 64, 0, 0, 64, 64, 0},
        {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {8, 16, 64, 16, 16, 64, 16, 8, 64}, /* the plane of the first */
    };
    for (int i = 0; i < 4; i++)
        put_side(f, sides[i], WALL, "");
    put(f, "}\n");
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_SOLID_SIDES, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
    assert_int_equal(compile->brushes[0]->number, 0);
}

static void a_solid_without_room_is_dropped(void **state)
{
    struct fixture *f = *state;
    world(f);
    put(f, "solid { id 77\n");
    const char *materials[6] = {WALL, WALL, WALL, WALL, WALL, WALL};
    put_box_sides(f, (const double[6]){0, 0, 0, 64, 64, -16}, materials);
    put(f, "}\n");
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_NO_VOLUME, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 0);
}

static void an_open_solid_is_dropped(void **state)
{
    struct fixture *f = *state;
    world(f);
    put(f, "solid { id 77\n");
    const double sides[4][9] = {
        {0, 64, 64, 64, 64, 64, 64, 0, 64},
        {0, 0, 0, 64, 0, 0, 64, 64, 0},
        {0, 64, 64, 0, 0, 64, 0, 0, 0},
        {64, 64, 0, 64, 0, 0, 64, 0, 64},
    };
    for (int i = 0; i < 4; i++)
        put_side(f, sides[i], WALL, "");
    put(f, "}\n");
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_UNBOUNDED, 77, 0);
    assert_int_equal(arrlen(compile->brushes), 0);
}

static void a_solid_outside_the_world_is_dropped(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(16380, 0, 0, 64), WALL);
    put_box(f, BOX(16320, 0, 0, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_UNBOUNDED, 1, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
}

static void a_tiny_solid_is_kept_and_told(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 0.5), WALL);
    end(f);
    struct compile *compile = load(f);
    expect_one(f, DIAG_BRUSH_MICRO, 1, 0);
    assert_int_equal(arrlen(compile->brushes), 1);
}

static void clips_of_the_world_stay_out_of_the_tree(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), "tools/toolsplayerclip");
    end(f);
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_box(f, BOX(0, 0, 0, 64), "tools/toolsclip");
    end(f);
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

/* The contents and flags that the source itself sets count as those of the material do. */
static void one_watery_side_makes_water(void **state)
{
    struct fixture *f = *state;
    const char *materials[6] = {WALL, WALL, WALL, WALL, WALL, WALL};
    world(f);
    put(f, "solid { id 77\n");
    put_box_sides(f, BOX(0, 0, 0, 64), materials);
    put_side(f, (const double[9]){0, 64, 32, 64, 64, 32, 64, 0, 32}, WALL,
             "contents 32 flags 4096");
    put(f, "}\n");
    end(f);
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
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_box(f, BOX(200, 0, 0, 64), WALL);
    end(f);
    entity(f, "func_detail", "");
    put_box(f, BOX(100, 0, 0, 64), WALL);
    end(f);
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
    f->options.no_detail = true;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    put_box(f, BOX(300, 0, 0, 64), "tools/toolsclip");
    end(f);
    entity(f, "func_detail", "");
    put_box(f, BOX(100, 0, 0, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 2);

    unload(f);
    f->options.no_detail = false;
    f->options.full_detail = true;
    compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 3);
    assert_int_equal(compile->brushes[2]->contents, CONTENTS_SOLID);
}

static void an_origin_brush_moves_its_entity(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "func_rotating", "speed 20");
    put_box(f, BOX(100, 0, 0, 64), WALL);
    put_box(f, BOX(128, 16, -40.5, 32), "tools/toolsorigin");
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 2);
    const struct compile_entity *entity = &compile->entities[1];
    assert_string_equal(entity_value(&entity->keys, "origin"), "144 32 -24");
    assert_true(entity->origin.x == 144 && entity->origin.y == 32 && entity->origin.z == -24);
    const struct map_brush *brush = compile->brushes[1];
    assert_true(brush->bounds.mins.x == 100 - 144 && brush->bounds.maxs.x == 164 - 144);
    assert_true(brush->bounds.mins.z == 24);
    const struct bsp_texinfo *texinfo = &compile->texinfos.items[brush->sides[0].texinfo];
    assert_true(texinfo->texture[0][3] == 144 * 4);
    assert_true(texinfo->texture[1][3] == 32 * -4);
    struct diag_where where = brush_where(compile, brush, NULL);
    assert_true(where.has_point && where.point[0] == 132 && where.point[2] == 32);
    assert_int_equal(where.entity_id, compile->entities[1].source->id);
}

static void ladders_and_area_portals_stand_in_the_world(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "func_areaportal", "StartOpen 1");
    put_box(f, BOX(100, 0, 0, 64), "tools/toolsareaportal");
    end(f);
    entity(f, "func_areaportal", "StartOpen 1");
    end(f);
    entity(f, "func_areaportalwindow", "target pane BackgroundBModel back");
    put_box(f, BOX(200, 0, 0, 64), "tools/toolsareaportal");
    end(f);
    entity(f, "func_ladder", "");
    put_box(f, BOX(300, 0, 0, 64), WALL);
    end(f);
    entity(f, "func_brush", "targetname PANE origin \"400 0 0\"");
    put_box(f, BOX(400, 0, 0, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(arrlen(compile->brushes), 5);
    assert_int_equal(arrlen(compile->entities[0].brushes), 4);
    assert_int_equal(compile->brushes[1]->contents, CONTENTS_AREAPORTAL);
    assert_int_equal(compile->entities[1].portal_number, 1);
    assert_int_equal(compile->entities[2].portal_number, 0);
    assert_int_equal(compile->entities[3].portal_number, 2);
    assert_string_equal(entity_value(&compile->entities[3].keys, "portalnumber"), "2");
    assert_int_equal(diag_count_code(f->diag, DIAG_AREAPORTAL_BRUSHES), 1);
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
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "logic_relay",
           "targetname r connections { OnTrigger \"a,b,,0,-1\" OnTrigger \"c,d,1,5,2,0.5,1\" } "
           "axis \"1 2 3, 4 5 6\" origin \"1 2 3\"");
    end(f);
    load(f);
    assert_string_equal(lump_text(f), "{\n\"skyname\" \"dusk\"\n\"classname\" \"worldspawn\"\n"
                                      "\"mapversion\" \"9\"\n\"hammerid\" \"1\"\n}\n"
                                      "{\n\"origin\" \"1 2 3\"\n\"axis\" \"1 2 3, 4 5 6\"\n"
                                      "\"targetname\" \"r\"\n\"classname\" \"logic_relay\"\n"
                                      "\"hammerid\" \"1008\"\n\"OnTrigger\" \"a,b,,0,-1\"\n"
                                      "\"OnTrigger\" \"c,d,1,5,2,0.5,1\"\n}\n");
}

static void named_lights_share_a_style(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    static const char *const keys[] = {"targetname lamp", "", "targetname other style 4",
                                       "targetname Lamp"};
    for (int i = 0; i < 4; i++) {
        entity(f, i == 2 ? "light_spot" : "light", keys[i]);
        end(f);
    }
    entity(f, "light_dynamic", "targetname moving");
    end(f);
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
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    for (int i = 0; i < 40; i++) {
        bytes_append_text(&f->text, "entity { id %d classname light targetname l%d }\n", 500 + i,
                          i);
    }
    struct compile *compile = load(f);
    assert_int_equal(diag_count_code(f->diag, DIAG_LIGHT_NAMES), 1);
    assert_string_equal(entity_value(&compile->entities[32].keys, "style"), "63");
    assert_string_equal(entity_value(&compile->entities[33].keys, "style"), "");
}

static void cubemaps_are_samples(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "env_cubemap", "origin \"10.9 -10.9 5\" cubemapsize 7");
    end(f);
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
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    entity(f, "prop_static", "model a.mdl origin \"1 2 3\"");
    end(f);
    entity(f, "info_overlay", "");
    end(f);
    entity(f, "func_viscluster", "");
    put_box(f, BOX(300, 0, 0, 64), "tools/toolstrigger");
    end(f);
    struct compile *compile = load(f);
    assert_int_equal(diag_count_code(f->diag, DIAG_OVERLAY_KEYS), 1);
    assert_int_equal(arrlen(compile->brushes), 2);
    assert_int_equal(compile->entities[3].model, -1);
    assert_null(strstr(lump_text(f), "prop_static"));
    assert_null(strstr(lump_text(f), "func_viscluster"));
}

static void put_displaced_box(struct fixture *f, const double b[6])
{
    put(f, "solid { id 90\n");
    const char *materials[6] = {WALL, WALL, WALL, WALL, WALL, WALL};
    put_box_sides(f, b, materials);
    put_side(f, (const double[9]){b[0], b[4], b[2] + 8, b[3], b[4], b[2] + 8, b[3], b[1], b[2] + 8},
             WALL, "dispinfo { power 2 startposition \"[0 0 0]\" }");
    put(f, "}\n");
}

static void displaced_brushes_are_apart(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    put_displaced_box(f, BOX(100, 0, 0, 64));
    end(f);
    entity(f, "func_brush", "origin \"0 0 0\"");
    put_displaced_box(f, BOX(200, 0, 0, 64));
    end(f);
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
    assert_int_equal(diag_count_code(f->diag, DIAG_DISPLACEMENT_DAMAGED), 0);
    assert_int_equal(diag_count_code(f->diag, DIAG_DISPLACEMENT_ON_MODEL), 1);
    for (int i = 0; i < compile->brushes[1]->side_count; i++)
        assert_null(compile->brushes[1]->sides[i].displacement);
}

static void water_gets_a_lod_control(void **state)
{
    struct fixture *f = *state;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
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
    f->options.luxel_scale = 0.5;
    f->options.min_luxel_scale = 12;
    world(f);
    put_box(f, BOX(0, 0, 0, 64), WALL);
    end(f);
    struct compile *compile = load(f);
    const struct bsp_texinfo *texinfo =
        &compile->texinfos.items[compile->brushes[0]->sides[0].texinfo];
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
        TEST(a_tiny_solid_is_kept_and_told),
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
