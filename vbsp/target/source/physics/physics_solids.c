/* Solids of the world by mask, of its displacements and of its bodies of water; and those of brush
 * entities, with their mass. */
#include "vbsp/target/source/physics/physics_internal.h"

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/replacements.def"
#include "common/geom/epsilon.h"
#include "vbsp/portals/portals.h"
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

/* These append the text blocks. */
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

/* --- displacements: flat hulls of the world, one under each triangle, without virtual meshes ---
 */

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

/* --- brush entities --- */

/* Visible sides of brush entities are moved inwards by half a unit for physics, so that they do not
 * stick to what they touch. */

#define SHRINK 0.5

/* Units behind a side from which it moves. Of 3603 sides of compiled maps those with up to 1.40 do
 * not, and those with 1.51 or more do. */
#define MIN_THICKNESS 1.505

static void mark_seen(struct seen_side_cell **seen, const struct compile *compile,
                      struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        mark_seen(seen, compile, node->children[0]);
        mark_seen(seen, compile, node->children[1]);
        return;
    }
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        if (!portal->side_searched)
            portal_find_side(compile, portal);
        if (portal->side && portal->side->original)
            hmput(*seen, portal->side->original, true);
    }
}

/* The brush sides visible through the portals of the tree. */
static struct seen_side_cell *physics_seen_sides(const struct compile *compile, struct node *root)
{
    struct seen_side_cell *seen = NULL;
    mark_seen(&seen, compile, root);
    return seen;
}

/* True if the brush is thick enough behind the side that something is left when both ends move. */
static bool may_shrink(const struct map_brush *brush, const struct plane *plane)
{
    double deepest = 0;
    for (int i = 0; i < brush->side_count; i++) {
        const struct winding *winding = brush->sides[i].winding;
        for (int k = 0; winding && k < winding->count; k++)
            deepest = portable_fmin(deepest, plane_distance(plane, winding->points[k]));
    }
    return -deepest >= MIN_THICKNESS;
}

/* The planes of the sides with windings; true if any was moved. */
static bool moved_planes(struct physics_part *part, const struct map_brush *brush,
                         struct plane *planes)
{
    int count = 0;
    bool moved = false;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->winding)
            continue;
        struct plane *plane = &planes[count++];
        *plane = part->compile->planes.planes[side->plane];
        if (hmgeti(part->seen, side) < 0 || !may_shrink(brush, plane))
            continue;
        plane->dist -= SHRINK;
        moved = true;
    }
    return moved;
}

struct hull_face *physics_shrunk_faces(struct physics_part *part, const struct map_brush *brush,
                                       struct arena *arena)
{
    struct hull_face *faces = NULL;
    int count = 0;
    for (int i = 0; i < brush->side_count; i++)
        count += brush->sides[i].winding != NULL;
    struct plane *planes = ARENA_ARRAY(arena, struct plane, (size_t)count + 1);
    if (!moved_planes(part, brush, planes))
        return NULL;
    for (int i = 0; i < count; i++) {
        struct winding *winding =
            winding_of_side(arena, planes, (size_t)count, (size_t)i, EPSILON_BRUSH_CLIP);
        struct hull_face face = {.winding = winding};
        if (winding)
            arrput(faces, face);
    }
    return faces;
}

/* ---- their solids ---- */

#define MASS_MAX 50000.0

/* The area of a model's faces with a surface property. */
struct share {
    const char *name;
    double area;
};

static void add_share(struct share **shares, const char *name, double area)
{
    for (size_t i = 0; i < arrlenu(*shares); i++) {
        if (str_equal_nocase((*shares)[i].name, name)) {
            (*shares)[i].area += area;
            return;
        }
    }
    struct share share = {name, area};
    arrput(*shares, share);
}

/* The surface property with most of the area of the last model, and its total area. */
static const char *main_prop(struct physics_part *part, double *area)
{
    const struct compile *compile = part->compile;
    const struct bsp *bsp = compile->bsp;
    const struct bsp_model *model = &arrlast(bsp->models);
    struct share *shares = NULL;
    const char *best = "default";
    double max = 0;
    *area = 0;
    for (int i = 0; i < model->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[model->first_face + i];
        const struct material *material = compile->texinfos.materials[face->texinfo];
        add_share(&shares, physics_prop_name(part, material), (double)face->area);
        *area += (double)face->area;
    }
    for (size_t i = 0; i < arrlenu(shares); i++) {
        if (shares[i].area > max) {
            max = shares[i].area;
            best = shares[i].name;
        }
    }
    arrfree(shares);
    return best;
}

static void physics_describe_moving(struct physics_part *part)
{
    const double unit = PHYSICS_METRES_PER_UNIT;
    double area, volume = part->set.volume, filled = volume;
    const char *name = main_prop(part, &area);
    const struct surface_prop *prop = surfaceprops_get(part->maker->props, name);
    if (prop->thickness > 0 && area > 0) /* hollow: only the walls have mass */
        filled = area * prop->thickness;
    double mass = portable_fmin(filled * prop->density * unit * unit * unit, MASS_MAX);
    bytes_append_text(&part->model->text,
                      "solid {\n\"index\" \"%d\"\n\"mass\" \"%f\"\n\"surfaceprop\" \"%s\"\n"
                      "\"volume\" \"%f\"\n}\n",
                      (int)arrlen(part->model->solids), mass, name, volume);
}

/* The model's brushes in leaves; all of them if they are so small that none is in a leaf. */
static const struct map_brush **model_brushes(const struct compile *compile, int entity, int model)
{
    const struct map_brush **brushes = physics_leaf_brushes(compile, model, -1, ~0);
    const int *numbers = compile->entities[entity].brushes;
    for (size_t i = 0, all = brushes ? 0 : arrlenu(numbers); i < all; i++)
        arrput(brushes, compile->brushes[numbers[i]]);
    return brushes;
}

void physics_add_model(struct compile *compile, int entity, struct tree *tree)
{
    struct physics_model model = {.index = (int32_t)arrlen(compile->bsp->models) - 1};
    const struct map_brush **brushes = model_brushes(compile, entity, model.index);
    struct physics_part part = {.compile = compile,
                                .maker = source_state(compile)->physics,
                                .model = &model,
                                .is_moving = true,
                                .describe = physics_describe_moving,
                                .seen = physics_seen_sides(compile, tree->root)};
    physics_part_add(&part, brushes);
    bytes_u8(&model.text, 0);
    if (arrlenu(model.solids))
        arrput(source_state(compile)->physics->lump.models, model);
    else
        bytes_free(&model.text);
    arrfree(brushes);
    hmfree(part.seen);
}
