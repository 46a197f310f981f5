/* Makes polygons of brush sides.
 *
 * A side of the world is filtered into the tree; its parts in open leaves are visible, and the
 * convex hull of those that touch becomes its polygon: parts hidden by walls are not drawn, and
 * only walls split a side. Detail brushes are not in the tree: a side that lies against one of
 * theirs is clipped by it, if the rest is one piece. */
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/brushes/visible_hulls.h"
#include "vbsp/target/quake3/entities/entities.h"

struct cover;

struct maker {
    struct compile *compile;
    struct tree *tree;
    int entity;
    struct arena arena;
    const struct winding **seen; /* stb_ds array: the visible parts of a side */
    double seen_area;
    const struct winding **polygons; /* stb_ds array: of the side */
    struct cover *covers;            /* stb_ds array, by plane */
    const struct brush_side *side;
    struct plane plane; /* plane of the polygon */
    const struct map_brush *brush;
    struct draw_surface **out;
};

/* --- visible parts of a side --- */

static void push_side(struct maker *maker, const struct node *node, const struct winding *winding)
{
    const struct plane *planes = maker->compile->planes.planes;
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &planes[node->plane];
        struct winding *parts[2];
        winding_clip(&maker->arena, winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
        if (!parts[0] && !parts[1]) {
            node = node->children[vec3_dot(plane->normal, maker->plane.normal) < 0];
            continue;
        }
        if (parts[0] && parts[1])
            push_side(maker, node->children[1], parts[1]);
        winding = parts[0] ? parts[0] : parts[1];
        node = node->children[!parts[0]];
    }
    if (!leaf_is_open(node) || winding_is_tiny(winding))
        return;
    maker->seen_area += winding_area(winding);
    arrput(maker->seen, winding);
}

/* The visible polygons of a side, in maker->polygons. */
static void find_seen(struct maker *maker, const struct winding *whole)
{
    arrfree(maker->polygons);
    if (!maker->tree) {
        arrput(maker->polygons, whole);
        return;
    }
    if (maker->seen)
        arrsetlen(maker->seen, 0);
    maker->seen_area = 0;
    push_side(maker, maker->tree->root, whole);
    double area = winding_area(whole);
    if (maker->seen_area > area - portable_fmax(EPSILON_SPLIT, area * EPSILON_NOISE))
        arrput(maker->polygons, whole);
    else
        maker->polygons = visible_hulls(&maker->arena, maker->seen, whole, &maker->plane);
}

/* --- polygons --- */

static double texture_coordinate(const struct map_texture_axis *axis, struct vec3 p)
{
    return vec3_dot(p, axis->axis) / axis->scale + axis->shift;
}

static struct draw_vertex make_vertex(const struct maker *maker, const struct shader *shader,
                                      struct vec3 p)
{
    const struct map_side *map_side = maker->side->map_side;
    const struct compile_entity *owner = &maker->compile->entities[maker->brush->entity];
    bool moved = maker->entity > 0;
    struct vec3 drawn = moved ? vec3_add(p, owner->origin) : p;
    struct draw_vertex vertex = {
        .p = p, .normal = maker->plane.normal, .colour = {255, 255, 255, 255}};
    vertex.texture[0] = texture_coordinate(&map_side->u, drawn);
    vertex.texture[1] = texture_coordinate(&map_side->v, drawn);
    if (!map_side->mapped_in_images) {
        vertex.texture[0] /= shader->width;
        vertex.texture[1] /= shader->height;
    }
    return vertex;
}

static void add_polygon(void *context, const struct winding *winding, int fog)
{
    struct maker *maker = context;
    const struct shader *shader = quake3_shader(maker->compile, maker->side);
    const struct diag_where where = brush_where(maker->compile, maker->brush, maker->side);
    const struct terrain *terrain =
        quake3_terrain(maker->compile, maker->brush->entity, shader, &where);
    if (terrain)
        shader = quake3_terrain_shader(maker->compile, terrain, winding->points, winding->count);
    const int unlit = Q3_SURFACE_SKY | Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT;
    struct draw_surface surface = {
        .type = SURFACE_PLANAR,
        .shader = shader,
        .entity = maker->brush->entity,
        .model = maker->compile->entities[maker->entity].model,
        .fog = shader->compile_flags & SHADER_NO_FOG ? -1 : fog,
        .planar = true,
        .normal = maker->plane.normal,
        .dist = maker->plane.dist,
        .lightmapped = !(shader->surface_flags & unlit),
        .no_tjunctions = shader->compile_flags & (SHADER_NO_TJUNCTIONS | SHADER_AUTOSPRITE),
        .keys = quake3_surface_keys(maker->compile, maker->brush->entity, shader),
        .where = where,
    };
    for (int i = 0; i < winding->count; i++)
        arrput(surface.vertices, make_vertex(maker, shader, winding->points[i]));
    if (terrain)
        quake3_blend_terrain(terrain, surface.vertices);
    arrput(*maker->out, surface);
}

static bool is_drawn(const struct compile *compile, const struct map_brush *brush,
                     const struct brush_side *side)
{
    const int hidden = Q3_SURFACE_NODRAW | Q3_SURFACE_HINT | Q3_SURFACE_SKIP;
    if (side->bevel || !side->map_side || !side->winding)
        return false;
    const struct shader *shader = quake3_shader(compile, side);
    if (!(shader->surface_flags & hidden) || !(shader->compile_flags & SHADER_INDEXED))
        return !(shader->surface_flags & hidden);
    const struct diag_where where = brush_where(compile, brush, side);
    return quake3_terrain(compile, brush->entity, shader, &where);
}

/* --- sides against each other --- */

/* A side of a brush that hides what lies against it, and what lies in its plane. */
struct cover {
    int plane, brush;
    const struct brush_side *side;
    struct bounds bounds;
};

static int compare_covers(const void *a, const void *b)
{
    const struct cover *p = a, *q = b;
    if (p->plane != q->plane)
        return p->plane < q->plane ? -1 : 1;
    return (p->brush > q->brush) - (p->brush < q->brush);
}

/* Opaque, solid and visible: brushes entirely of caulk hide things in the tree, but not from view.
 * */
static bool brush_hides(const struct compile *compile, const struct map_brush *brush)
{
    bool seen = false;
    for (int i = 0; i < brush->side_count && !seen; i++)
        seen = is_drawn(compile, brush, &brush->sides[i]);
    return seen && (brush->contents & CONTENTS_SOLID);
}

static struct cover *list_covers(const struct compile *compile, const int *brushes)
{
    struct cover *covers = NULL;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = compile->brushes[brushes[i]];
        if (!brush_hides(compile, brush))
            continue;
        for (int j = 0; j < brush->side_count; j++) {
            const struct brush_side *side = &brush->sides[j];
            if (side->bevel || !side->winding ||
                (quake3_shader(compile, side)->contents & Q3_CONTENTS_TRANSLUCENT))
                continue;
            struct cover cover = {side->plane, brushes[i], side, winding_bounds(side->winding)};
            arrput(covers, cover);
        }
    }
    if (arrlen(covers) > 1)
        qsort(covers, arrlenu(covers), sizeof *covers, compare_covers);
    return covers;
}

/* The first on a plane. */
static size_t find_covers(const struct cover *covers, int plane)
{
    size_t low = 0, high = arrlenu(covers);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (covers[middle].plane < plane)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part of a winding on the plane of a cover that is not covered. NULL: nothing; all of it if
 * they do not overlap, or if the rest would be more than one part. */
static const struct winding *subtract(struct maker *maker, const struct winding *winding,
                                      const struct cover *other)
{
    const struct winding *cover = other->side->winding;
    struct vec3 normal = maker->compile->planes.planes[other->plane].normal;
    const struct winding *inside = winding, *left = NULL;
    int parts = 0;
    for (int i = 0; i < cover->count && inside; i++) {
        struct vec3 from = cover->points[i], to = cover->points[(i + 1) % cover->count];
        struct vec3 out = vec3_normalize(vec3_cross(normal, vec3_sub(to, from)));
        struct plane edge = {.normal = out, .dist = vec3_dot(out, from)};
        struct winding *front, *back;
        winding_clip(&maker->arena, inside, &edge, EPSILON_SPLIT, &front, &back);
        if (front && !winding_is_tiny(front)) {
            parts++;
            left = front;
        }
        inside = back;
    }
    if (!inside || parts > 1)
        return winding;
    return left;
}

/* True for a side that is drawn over what is in its plane, as decals are. */
static bool is_overlay(const struct shader *shader)
{
    return (shader->contents & Q3_CONTENTS_TRANSLUCENT) ||
           (shader->compile_flags & (SHADER_POLYGON_OFFSET | SHADER_AUTOSPRITE));
}

static bool hides_in_plane(const struct maker *maker, const struct cover *cover)
{
    const struct compile *compile = maker->compile;
    return cover->brush < maker->brush->number &&
           is_drawn(compile, compile->brushes[cover->brush], cover->side) &&
           !is_overlay(quake3_shader(maker->compile, cover->side)) &&
           !is_overlay(quake3_shader(maker->compile, maker->side));
}

/* The part of a winding that no brush lies against, and no earlier side shows too. */
static const struct winding *uncovered(struct maker *maker, const struct winding *winding)
{
    for (int same = 0; same < 2; same++) {
        int plane = maker->side->plane ^ !same;
        size_t i = find_covers(maker->covers, plane);
        for (; i < arrlenu(maker->covers) && maker->covers[i].plane == plane && winding; i++) {
            struct bounds bounds = winding_bounds(winding);
            if (bounds_touch(&bounds, &maker->covers[i].bounds, 0) &&
                (!same || hides_in_plane(maker, &maker->covers[i])))
                winding = subtract(maker, winding, &maker->covers[i]);
        }
    }
    return winding;
}

/* --- all sides --- */

static void add_seen(struct maker *maker, const struct winding *winding)
{
    struct compile *compile = maker->compile;
    const struct map_brush *brush = maker->brush;
    if (brush->contents & CONTENTS_SOLID)
        winding = uncovered(maker, winding);
    if (!winding)
        return;
    if (!maker->tree) {
        add_polygon(maker, winding, -1);
        return;
    }
    quake3_cut_by_fogs(compile, &maker->arena, winding, &maker->plane, add_polygon, maker);
    /* From inside fog its surface is visible too. */
    if (!(quake3_brush_shader(compile, brush)->contents & Q3_CONTENTS_FOG))
        return;
    const struct plane plane = maker->plane;
    maker->plane = compile->planes.planes[maker->side->plane ^ 1];
    quake3_cut_by_fogs(compile, &maker->arena, winding_reverse(&maker->arena, winding),
                       &maker->plane, add_polygon, maker);
    maker->plane = plane;
}

static void add_side(struct maker *maker, const struct map_brush *brush,
                     const struct brush_side *side)
{
    maker->brush = brush;
    maker->side = side;
    maker->plane = maker->compile->planes.planes[side->plane];
    find_seen(maker, side->winding);
    for (size_t i = 0; i < arrlenu(maker->polygons); i++)
        add_seen(maker, maker->polygons[i]);
}

void quake3_side_faces(struct compile *compile, struct tree *tree, int entity,
                       struct draw_surface **out)
{
    const int *brushes = compile->entities[entity].brushes;
    struct maker maker = {.compile = compile,
                          .tree = tree,
                          .entity = entity,
                          .covers = list_covers(compile, brushes),
                          .out = out};
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = compile->brushes[brushes[i]];
        for (int j = 0; j < brush->side_count; j++)
            if (is_drawn(compile, brush, &brush->sides[j]))
                add_side(&maker, brush, &brush->sides[j]);
        arena_reset(&maker.arena);
    }
    arrfree(maker.covers);
    arrfree(maker.seen);
    arrfree(maker.polygons);
    arena_free(&maker.arena);
}
