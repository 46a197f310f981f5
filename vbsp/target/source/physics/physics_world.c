/* Static solids of the world by mask, and its bodies of water. */
#include "vbsp/target/source/physics/physics_internal.h"

#include "common/core/array.h"
#include "common/diag/codes/replacements.def"
#include "vbsp/target/source/displacements/displacement.h"

enum {
    MOVING_THINGS = 0x2000000, /* a bit that only masks have, not brushes */
    MASK_SOLID_OLD =
        CONTENTS_SOLID | CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_MOVEABLE | MOVING_THINGS,
    MASK_SOLID_NEW = MASK_SOLID_OLD & ~CONTENTS_GRATE,
    LIQUID = CONTENTS_WATER | CONTENTS_SLIME,
    FIRST_VERSION_WITH_GRATES = 21, /* first file version with grates as a separate solid */
    FIRST_VERSION_WITH_TERRAIN = 20,
};

static int file_version(const struct compile *compile)
{
    int version = compile->options->file_version;
    return version ? version : FIRST_VERSION_WITH_TERRAIN;
}

/* physics_world.c, physics_model.c: append the text blocks */
static void physics_describe_static(struct physics_part *part)
{
    bytes_append_text(&part->model->text,
                      "staticsolid {\n\"index\" \"%d\"\n\"contents\" \"%d\"\n}\n",
                      (int)arrlen(part->model->solids), part->mask);
}

static void physics_describe_surface(struct physics_part *part)
{
    bytes_append_text(&part->model->text, "staticsolid {\n\"index\" \"%d\"\n}\n",
                      (int)arrlen(part->model->solids));
}

static void add_static(struct physics_part *part, int mask)
{
    struct compile *compile = part->compile;
    const struct map_brush **brushes = physics_leaf_brushes(compile, 0, -1, mask);
    part->mask = mask;
    part->has_materials = true;
    part->describe = physics_describe_static;
    physics_part_add(part, brushes);
    arrfree(brushes);
}

/* --- water --- */

static void physics_describe_fluid(struct physics_part *part)
{
    const struct plane *plane = &part->surface;
    bytes_append_text(&part->model->text,
                      "fluid {\n\"index\" \"%d\"\n\"surfaceprop\" \"water\"\n"
                      "\"damping\" \"0.010000\"\n\"contents\" \"%d\"\n"
                      "\"surfaceplane\" \"%f %f %f %f \"\n"
                      "\"currentvelocity\" \"0.000000 0.000000 0.000000 \"\n}\n",
                      (int)arrlen(part->model->solids), part->contents, plane->normal.x + 0.0,
                      plane->normal.y + 0.0, plane->normal.z + 0.0, plane->dist + 0.0);
}

/* The surface: the highest of the sides that face most upwards. */
static struct plane surface_of(const struct compile *compile, const struct map_brush **brushes)
{
    struct plane best = {.normal = vec3(0, 0, 0)};
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = brushes[i];
        for (int k = 0; k < brush->side_count; k++) {
            const struct plane *plane = &compile->planes.planes[brush->sides[k].plane];
            if (!brush->sides[k].winding || plane->normal.z < best.normal.z ||
                (plane->normal.z <= best.normal.z && plane->dist <= best.dist))
                continue;
            best = *plane;
        }
    }
    return best;
}

static void add_fluid(struct physics_part *part, int body)
{
    struct compile *compile = part->compile;
    const struct map_brush **brushes = physics_leaf_brushes(compile, 0, body, LIQUID);
    if (brushes) {
        part->surface = surface_of(compile, brushes);
        part->contents = brushes[0]->contents;
        part->has_materials = false;
        part->describe = physics_describe_fluid;
        physics_part_add(part, brushes);
    }
    arrfree(brushes);
}

static void add_tables(struct physics_part *part)
{
    struct bytes *text = &part->model->text;
    bool meshes = !arrlen(source_state(part->compile)->displacements) ||
                  !physics_has_no_meshes(part->compile);
    if (file_version(part->compile) >= FIRST_VERSION_WITH_TERRAIN && meshes)
        bytes_append_text(text, "virtualterrain {}\n");
    bytes_append_text(text, "materialtable {\n");
    for (int i = 0; i < (int)arrlen(part->maker->materials); i++)
        bytes_append_text(text, "\"%s\" \"%d\"\n", part->maker->materials[i], i + 1);
    bytes_append_text(text, "}\n");
    bytes_u8(text, 0);
}

enum {
    CORNERS = 3,
    LAST_VERSION_WITHOUT_MESHES = 19,
    MESH_POWER_MAX = 3, /* a mesh numbers its vertices by bytes */
    NO_BRUSH = 0,       /* flat hulls are of no brush, and name this one */
};

void physics_report_no_hull(const struct compile *compile, const struct displacement *displacement)
{
    struct diag_where where = brush_where(compile, displacement->brush, displacement->side);
    diag_report(compile->env->diag, DIAG_DISPLACEMENT_HULL, &where,
                "its vertices lie on a line, or are folded within their plane");
}

static void add_displacement(struct physics_part *part, const struct displacement *displacement)
{
    int cells = displacement->map.side - 1;
    bool is_solid = false;
    int material = physics_part_material(part, displacement->side->material);
    for (int i = 0; i < 2 * cells * cells; i++) {
        int numbers[CORNERS];
        struct vec3 corners[CORNERS];
        displacement_triangle(displacement->map.side, i, numbers);
        for (int k = 0; k < CORNERS; k++)
            corners[k] = displacement->points[numbers[k]];
        if (!hull_set_has_room(&part->set))
            physics_part_close(part);
        is_solid |= hull_set_add_triangle(&part->set, corners, material, NO_BRUSH);
    }
    if (!is_solid)
        physics_report_no_hull(part->compile, displacement);
}

bool physics_has_no_meshes(const struct compile *compile)
{
    int version = compile->options->file_version;
    struct displacement *const *displacements = source_state(compile)->displacements;
    for (size_t i = 0; i < arrlenu(displacements); i++)
        if (displacements[i]->map.power > MESH_POWER_MAX)
            return true;
    return compile->options->no_virtual_mesh || (version && version <= LAST_VERSION_WITHOUT_MESHES);
}

/* Adds a solid of all displacements (after they have their faces) if the
 * map has no virtual meshes. */
static void physics_add_displacements(struct physics_part *part)
{
    struct compile *compile = part->compile;
    if (!physics_has_no_meshes(compile))
        return;
    part->describe = physics_describe_surface;
    displacements_shape(compile);
    for (size_t i = 0; i < arrlenu(source_state(compile)->displacements); i++)
        add_displacement(part, source_state(compile)->displacements[i]);
    physics_part_close(part);
}

void physics_add_world(struct compile *compile)
{
    struct physics_maker *maker = memory_zalloc(1, sizeof *maker);
    struct physics_model model = {.index = 0};
    struct physics_part part = {.compile = compile, .maker = maker, .model = &model};
    bool grates = file_version(compile) >= FIRST_VERSION_WITH_GRATES;
    source_state(compile)->physics = maker;
    maker->lump.present = true;
    maker->props = surfaceprops_load(compile->assets, compile->env->diag);
    add_static(&part, grates ? MASK_SOLID_NEW : MASK_SOLID_OLD);
    if (grates)
        add_static(&part, CONTENTS_GRATE);
    add_static(&part, CONTENTS_PLAYERCLIP);
    add_static(&part, CONTENTS_MONSTERCLIP);
    physics_add_displacements(&part);
    for (int i = 0; i < (int)arrlen(compile->bsp->leaf_water); i++)
        add_fluid(&part, i);
    add_tables(&part);
    arrput(maker->lump.models, model);
}

/* Displacements as flat hulls of the world, one under each triangle, without virtual meshes. */
