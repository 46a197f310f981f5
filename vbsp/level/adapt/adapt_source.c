#include "vbsp/level/adapt/adapt.h"

#include <math.h>

#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_patches.def"
#include "common/geom/angle.h"
#include "common/geom/winding.h"
#include "vbsp/level/displacement.h"

/* --- displacement patch --- */

/* Vertices along a side of a patch: so few are far below the engine's limits on collision facets.
 * */
enum { PATCH_SIDE = 5, MAX_SIDE = (1 << DISPLACEMENT_MAX_POWER) + 1 };

struct patch_grid {
    struct map_displacement map;
    struct map_patch_point *points; /* map.side squared: vertices, then control points */
};

/* The side's outline: its plane clipped by the solid's other sides. */
static struct winding *outline(struct arena *arena, const struct map_solid *solid,
                               const struct map_side *side)
{
    struct plane plane;
    const struct vec3 *p = side->points;
    if (!plane_from_points(p[0], p[1], p[2], &plane))
        return NULL;
    struct winding *winding = winding_from_plane(arena, &plane);
    for (size_t i = 0; i < arrlenu(solid->sides) && winding; i++) {
        const struct vec3 *q = solid->sides[i].points;
        if (&solid->sides[i] != side && plane_from_points(q[0], q[1], q[2], &plane))
            winding = winding_clip_behind(arena, winding, &plane, EPSILON_BRUSH_CLIP);
    }
    return winding && winding->count == 4 ? winding : NULL;
}

static int nearest_corner(const struct winding *winding, struct vec3 start)
{
    int best = 0;
    for (int i = 1; i < winding->count; i++)
        if (vec3_distance(winding->points[i], start) < vec3_distance(winding->points[best], start))
            best = i;
    return best;
}

static double texel(const struct map_texture_axis *axis, struct vec3 p)
{
    return vec3_dot(p, axis->axis) / axis->scale + axis->shift;
}

/* Rows go from the start corner to the next one of the outline; texture coordinates are those of
 * the flat side. */
static void place_vertices(const struct map_side *side, const struct winding *winding,
                           struct patch_grid *patch_grid)
{
    int first = nearest_corner(winding, patch_grid->map.start), count = patch_grid->map.side;
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = winding->points[(first + i) % 4];
    for (int i = 0; i < count * count; i++) {
        double v = (double)(i / count) / (count - 1), u = (double)(i % count) / (count - 1);
        struct vec3 base = vec3_lerp(vec3_lerp(corners[0], corners[1], v),
                                     vec3_lerp(corners[3], corners[2], v), u);
        patch_grid->points[i].p = vec3_add(base, patch_grid->map.vertices[i].vector);
        patch_grid->points[i].texture[0] = texel(&side->u, base);
        patch_grid->points[i].texture[1] = texel(&side->v, base);
    }
}

static double *value_of(struct map_patch_point *point, int value)
{
    return value < 3 ? &point->p.e[value] : &point->texture[value - 3];
}

/* The midpoint of a quadratic curve is a quarter of both ends and half of the middle control point,
 * which is chosen so that the curve runs through the vertex. Edges depend on nothing else, so that
 * neighbours meet. */
static void fit_curve(struct map_patch_point *points, int count, int step)
{
    for (int i = 1; i < count; i += 2)
        for (int k = 0; k < 5; k++) {
            double *middle = value_of(&points[i * step], k);
            *middle =
                2 * *middle -
                (*value_of(&points[(i - 1) * step], k) + *value_of(&points[(i + 1) * step], k)) / 2;
        }
}

static void make_controls(struct patch_grid *patch_grid)
{
    int count = patch_grid->map.side;
    for (int row = 0; row < count; row++)
        fit_curve(patch_grid->points + row * count, count, 1);
    for (int column = 0; column < count; column++)
        fit_curve(patch_grid->points + column, count, count);
}

static void add_patch(struct level *map, const struct map_solid *solid, const struct map_side *side,
                      const struct patch_grid *patch_grid, int row, int column,
                      struct map_patch **out)
{
    struct map_patch patch = {.id = solid->id,
                              .line = side->line,
                              .material = side->material,
                              .columns = PATCH_SIDE,
                              .rows = PATCH_SIDE,
                              .mapped_in_texels = true};
    patch.points = ARENA_ARRAY(&map->arena, struct map_patch_point, PATCH_SIDE * PATCH_SIDE);
    for (int r = 0; r < PATCH_SIDE; r++)
        for (int c = 0; c < PATCH_SIDE; c++)
            patch.points[r * PATCH_SIDE + c] =
                patch_grid->points[(row + r) * patch_grid->map.side + column + c];
    arrput(*out, patch);
}

bool displacement_patches(struct level *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out)
{
    struct arena scratch = {0};
    struct map_patch_point points[MAX_SIDE * MAX_SIDE];
    struct patch_grid patch_grid = {.points = points};
    const char *problem;
    struct winding *winding = outline(&scratch, solid, side);
    bool sound =
        winding && map_displacement_read(side->displacement, &scratch, &patch_grid.map, &problem);
    if (sound) {
        place_vertices(side, winding, &patch_grid);
        make_controls(&patch_grid);
        for (int row = 0; row + PATCH_SIDE <= patch_grid.map.side; row += PATCH_SIDE - 1)
            for (int column = 0; column + PATCH_SIDE <= patch_grid.map.side;
                 column += PATCH_SIDE - 1)
                add_patch(map, solid, side, &patch_grid, row, column, out);
    }
    arena_free(&scratch);
    return sound;
}

/* --- adapt source --- */

#define DEFAULT_LIGHT       300.0
#define SPOT_RADIUS         64.0
#define LIGHT_TO_BRIGHTNESS 0.75 /* 7500 / 100^2 */
#define GAMMA               2.2  /* of colours in Source's keys; Quake's are linear */

struct tool {
    const char *quake, *source;
};

/* NULL: Source has no equivalent, and brushes are dropped. */
static const struct tool tools[] = {
    {"common/antiportal", NULL},
    {"common/areaportal", "tools/toolsareaportal"},
    {"common/botclip", "tools/toolsnpcclip"},
    {"common/caulk", "tools/toolsnodraw"},
    {"common/clip", "tools/toolsclip"},
    {"common/clusterportal", NULL},
    {"common/cushion", "tools/toolsinvisible"},
    {"common/donotenter", NULL},
    {"common/full_clip", "tools/toolsclip"},
    {"common/hint", "tools/toolshint"},
    {"common/hintskip", "tools/toolsskip"},
    {"common/ladder", "tools/toolsinvisibleladder"},
    {"common/lightgrid", NULL},
    {"common/metalclip", "tools/toolsclip"},
    {"common/missileclip", "tools/toolsinvisible"},
    {"common/nodraw", "tools/toolsnodraw"},
    {"common/nodrawnonsolid", "tools/toolsskip"},
    {"common/nodrop", NULL},
    {"common/origin", "tools/toolsorigin"},
    {"common/skip", "tools/toolsskip"},
    {"common/slick", "tools/toolsinvisible"},
    {"common/terrain", "tools/toolsnodraw"},
    {"common/trigger", "tools/toolstrigger"},
    {"common/weapclip", "tools/toolsblockbullets"},
};

static const char *below_textures(const char *name)
{
    static const char folder[] = "textures/";
    return str_starts_nocase(name, folder) ? name + sizeof folder - 1 : name;
}

/* The entry of a tool shader, or NULL. */
static const struct tool *find_tool(const char *name)
{
    name = below_textures(name);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (str_equal_nocase(name, tools[i].quake))
            return &tools[i];
    return NULL;
}

/* The first side decides. */
static bool has_no_equivalent(const struct map_solid *solid)
{
    const struct tool *tool = arrlen(solid->sides) ? find_tool(solid->sides[0].material) : NULL;
    return tool && !tool->source;
}

static void drop_solids(struct map_entity *entity)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        if (entity->solids[i].part || !has_no_equivalent(&entity->solids[i]))
            entity->solids[kept++] = entity->solids[i];
        else
            arrfree(entity->solids[i].sides);
    }
    arrsetlen(entity->solids, kept);
}

static void convert_solid(struct map_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side *side = &solid->sides[i];
        const struct tool *tool = find_tool(side->material);
        side->material = !tool          ? below_textures(side->material)
                         : tool->source ? tool->source
                                        : "tools/toolsskip";
        side->contents &= CONTENTS_DETAIL;
        side->flags = 0;
    }
}

static bool is_areaportal(const struct map_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (str_equal_nocase(below_textures(solid->sides[i].material), "common/areaportal"))
            return true;
    return false;
}

/* Areaportals of the world become entities, as in Source. In Quake 3 the doors that touch them open
 * them; here nothing does, so they start open. */
static void move_areaportals(struct level *map)
{
    size_t kept = 0, count = arrlenu(map->entities[0].solids);
    for (size_t i = 0; i < count; i++) {
        struct map_solid solid = map->entities[0].solids[i];
        if (solid.part || !is_areaportal(&solid)) {
            map->entities[0].solids[kept++] = solid;
            continue;
        }
        for (size_t k = 0; k < arrlenu(solid.sides); k++)
            solid.sides[k].material = "common/areaportal";
        struct map_entity portal = {.id = map->entities[0].id, .line = solid.line};
        entity_set(&portal.keys, &map->arena, "classname", "func_areaportal");
        entity_set(&portal.keys, &map->arena, "StartOpen", "1");
        solid.entity = (int)arrlen(map->entities);
        arrput(portal.solids, solid);
        arrput(map->entities, portal);
    }
    arrsetlen(map->entities[0].solids, kept);
}

/* Normalised so that the largest component is 1. */
static struct vec3 light_colour(const struct entity *keys)
{
    struct vec3 colour = vec3(1, 1, 1);
    (void)entity_vector(keys, "_color", &colour);
    double max = portable_fmax(portable_fmax(colour.x, colour.y), colour.z);
    for (int i = 0; i < 3; i++)
        colour.e[i] = max > 0 && isfinite(max) ? portable_fmax(colour.e[i], 0) / max : 1;
    return colour;
}

/* The origin of the named entity. */
static bool target_origin(const struct level *map, const char *name, struct vec3 *out)
{
    for (size_t i = 0; i < arrlenu(map->entities) && *name; i++)
        if (str_equal_nocase(entity_value(&map->entities[i].keys, "targetname"), name))
            return entity_vector(&map->entities[i].keys, "origin", out);
    return false;
}

/* A targeted light has `radius` at the distance of its target. */
static void convert_spot(struct level *map, struct entity *keys)
{
    struct vec3 origin, target;
    if (!target_origin(map, entity_value(keys, "target"), &target) ||
        !entity_vector(keys, "origin", &origin))
        return;
    double radius = entity_number(keys, "radius", SPOT_RADIUS);
    double degrees = portable_atan2(radius, vec3_distance(origin, target)) * 180 / PI;
    const char *cone =
        arena_printf(&map->arena, "%g", portable_fmin(portable_fmax(degrees, 1), 90));
    entity_set(keys, &map->arena, "classname", "light_spot");
    entity_set(keys, &map->arena, "_inner_cone", cone);
    entity_set(keys, &map->arena, "_cone", cone);
}

/* Quake: 7500 * light / d^2; Source: 100^2 * brightness / d^2 with quadratic attenuation. */
static void convert_light(struct level *map, struct entity *keys)
{
    if (!entity_is(keys, "light") || entity_has(keys, "_light"))
        return;
    struct vec3 colour = light_colour(keys);
    double light = entity_number(keys, "light", DEFAULT_LIGHT);
    int bytes[3];
    for (int i = 0; i < 3; i++)
        bytes[i] = (int)lrint(255 * portable_pow(colour.e[i], 1 / GAMMA));
    const char *text = arena_printf(&map->arena, "%d %d %d %g", bytes[0], bytes[1], bytes[2],
                                    light * LIGHT_TO_BRIGHTNESS);
    entity_set(keys, &map->arena, "_light", text);
    entity_set(keys, &map->arena, "_quadratic_attn", "1");
    convert_spot(map, keys);
}

static void report_patches(const struct level *map, struct diag *diag)
{
    size_t count = 0;
    struct diag_where first = {0};
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        const struct map_entity *entity = &map->entities[i];
        for (size_t j = 0; j < arrlenu(entity->patches); j++) {
            if (count++)
                continue;
            first = map_where(map, entity, NULL, NULL);
            first.solid_id = entity->patches[j].id;
            first.line = entity->patches[j].line;
        }
    }
    if (count)
        (void)diag_report(diag, DIAG_PATCH_TARGET, &first, "%zu patch%s dropped%s", count,
                          count == 1 ? "" : "es", count == 1 ? "" : ", this is the first");
}

void adapt_to_source(struct level *map, struct diag *diag)
{
    if (!map->counted_ids)
        return;
    report_patches(map, diag);
    move_areaportals(map);
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        struct map_entity *entity = &map->entities[i];
        drop_solids(entity);
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            if (!entity->solids[j].part)
                convert_solid(&entity->solids[j]);
        arrfree(entity->patches);
        convert_light(map, &entity->keys);
    }
}
