/* Compares overlays, cubemaps and occluders. */
#include "common/bsp/overlay_records.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

/* Either kind of overlay, without the fixed size of the list of faces. */
struct overlay {
    const int32_t *faces;
    int32_t id, texinfo, face_count, order;
    const float *u, *v, *corners, *origin, *normal;
    struct bsp_overlay_fade fade;
    struct bsp_overlay_system_level level;
};

struct overlay_lists {
    const struct comparison *c;
    struct overlay *lists[2]; /* stb_ds arrays */
};

#define OVERLAY_VIEW(o)                                                                            \
    {.faces = (o)->faces,                                                                          \
     .id = (o)->id,                                                                                \
     .texinfo = (o)->texinfo,                                                                      \
     .face_count = (o)->face_count,                                                                \
     .order = (o)->render_order,                                                                   \
     .u = (o)->u,                                                                                  \
     .v = (o)->v,                                                                                  \
     .corners = (o)->corners[0],                                                                   \
     .origin = (o)->origin,                                                                        \
     .normal = (o)->normal}

static struct overlay *usual_overlays(const struct bsp *bsp)
{
    struct overlay *list = NULL;
    for (int i = 0; i < arrlen(bsp->overlays); i++) {
        struct overlay overlay = OVERLAY_VIEW(&bsp->overlays[i]);
        if (i < arrlen(bsp_rare(bsp)->overlay_fades))
            overlay.fade = bsp_rare(bsp)->overlay_fades[i];
        if (i < arrlen(bsp_rare(bsp)->overlay_system_levels))
            overlay.level = bsp_rare(bsp)->overlay_system_levels[i];
        arrput(list, overlay);
    }
    return list;
}

static struct overlay *water_overlays(const struct bsp *bsp)
{
    struct overlay *list = NULL;
    for (int i = 0; i < arrlen(bsp->water_overlays); i++) {
        struct overlay overlay = OVERLAY_VIEW(&bsp->water_overlays[i]);
        arrput(list, overlay);
    }
    return list;
}

/* Compares the faces of an overlay by their partners in B, in any order; with faces that only A has
 * the result is unknown, which is not a difference of the overlay. */
static bool same_faces(const struct comparison *c, const struct overlay *p, const struct overlay *q)
{
    uint64_t sum[2] = {0, 0};
    if (p->face_count != q->face_count)
        return false;
    for (int i = 0; i < p->face_count; i++) {
        int face = c->faces.to[0][p->faces[i]];
        if (face < 0)
            return true;
        sum[0] += (uint64_t)face;
        sum[1] += (uint64_t)q->faces[i];
    }
    return sum[0] == sum[1];
}

enum overlay_field {
    OVERLAY_MATERIAL,
    OVERLAY_SHAPE,
    OVERLAY_ON_FACES,
    OVERLAY_ORDER,
    OVERLAY_FADES,
    OVERLAY_LEVELS,
    OVERLAY_ID,
    OVERLAY_FIELDS
};

static const char *const overlay_fields[OVERLAY_FIELDS] = {
    [OVERLAY_MATERIAL] = "material",
    [OVERLAY_SHAPE] = "shape",
    [OVERLAY_ON_FACES] = "faces",
    [OVERLAY_ORDER] = "order",
    [OVERLAY_FADES] = "fades",
    [OVERLAY_LEVELS] = "levels",
    [OVERLAY_ID] = "id",
};

static bool same_field(const struct comparison *c, enum overlay_field field,
                       const struct overlay *p, const struct overlay *q)
{
    switch (field) {
    case OVERLAY_MATERIAL:
        return diff_material(c->bsp[0], p->texinfo) == diff_material(c->bsp[1], q->texinfo);
    case OVERLAY_SHAPE:
        return diff_alike_all(p->u, q->u, 2) && diff_alike_all(p->v, q->v, 2) &&
               diff_alike_all(p->corners, q->corners, 12) &&
               diff_alike_all(p->normal, q->normal, 3);
    case OVERLAY_ON_FACES:
        return same_faces(c, p, q);
    case OVERLAY_ORDER:
        return p->order == q->order;
    case OVERLAY_FADES:
        return diff_alike((double)p->fade.min_squared, (double)q->fade.min_squared) &&
               diff_alike((double)p->fade.max_squared, (double)q->fade.max_squared);
    case OVERLAY_LEVELS:
        return memcmp(&p->level, &q->level, sizeof p->level) == 0;
    default:
        return p->id == q->id;
    }
}

static double overlay_cost(const void *context, int a, int b)
{
    const struct overlay_lists *lists = context;
    int cost = 0;
    for (int field = 0; field < OVERLAY_FIELDS; field++)
        cost += !same_field(lists->c, (enum overlay_field)field, &lists->lists[0][a],
                            &lists->lists[1][b]);
    return cost;
}

static const char *overlay_text(struct comparison *c, int side, const struct overlay *overlay)
{
    return arena_printf(&c->scratch, "overlay id %d at %s, %s, on %d faces", overlay->id,
                        diff_point_text(c, vec3_from_floats(overlay->origin)),
                        diff_material_name(c, side, overlay->texinfo), overlay->face_count);
}

static const char *describe_overlay(struct comparison *c, int side, int index)
{
    const struct overlay overlay = OVERLAY_VIEW(&c->bsp[side]->overlays[index]);
    return overlay_text(c, side, &overlay);
}

static const char *describe_water_overlay(struct comparison *c, int side, int index)
{
    const struct overlay overlay = OVERLAY_VIEW(&c->bsp[side]->water_overlays[index]);
    return overlay_text(c, side, &overlay);
}

static void compare_pairs(struct comparison *c, const struct overlay_lists *lists,
                          const struct diff_match *match)
{
    size_t counts[OVERLAY_FIELDS] = {0}, changed = 0;
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        bool same = true;
        for (int field = 0; field < OVERLAY_FIELDS && b >= 0; field++) {
            const struct overlay *p = &lists->lists[0][i];
            if (same_field(c, (enum overlay_field)field, p, &lists->lists[1][b]))
                continue;
            same = false;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s: %s differs", overlay_text(c, 0, p), overlay_fields[field]);
        }
        changed += !same;
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < OVERLAY_FIELDS; field++)
        diff_figure(c, overlay_fields[field], (double)counts[field]);
}

static void compare_overlays(struct comparison *c, struct overlay *a, struct overlay *b,
                             diff_describe *describe)
{
    struct overlay_lists lists = {c, {a, b}};
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    diff_need_faces(c);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(lists.lists[side]); i++)
            arrput(points[side],
                   ((struct diff_point){vec3_from_floats(lists.lists[side][i].origin), 0}));
    diff_count(c, arrlenu(a), arrlenu(b));
    diff_match_init(&match, arrlenu(a), arrlenu(b));
    diff_match_points(points[0], points[1], c->options->distance, overlay_cost, &lists, &match);
    compare_pairs(c, &lists, &match);
    diff_unmatched(c, &match, describe);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
    arrfree(a);
    arrfree(b);
}

void diff_overlays(struct comparison *c)
{
    compare_overlays(c, usual_overlays(c->bsp[0]), usual_overlays(c->bsp[1]), describe_overlay);
}

void diff_water_overlays(struct comparison *c)
{
    compare_overlays(c, water_overlays(c->bsp[0]), water_overlays(c->bsp[1]),
                     describe_water_overlay);
}

static struct vec3 cubemap_place(const struct bsp_cubemap *cubemap)
{
    return vec3(cubemap->origin[0], cubemap->origin[1], cubemap->origin[2]);
}

static const char *describe_cubemap(struct comparison *c, int side, int index)
{
    const struct bsp_cubemap *cubemap = &c->bsp[side]->cubemaps[index];
    return arena_printf(&c->scratch, "cubemap at %s, size %d",
                        diff_point_text(c, cubemap_place(cubemap)), cubemap->size);
}

static double cubemap_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    return c->bsp[0]->cubemaps[a].size != c->bsp[1]->cubemaps[b].size;
}

void diff_cubemaps(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    size_t changed = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(c->bsp[side]->cubemaps); i++)
            arrput(points[side],
                   ((struct diff_point){cubemap_place(&c->bsp[side]->cubemaps[i]), 0}));
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, cubemap_cost, c, &match);
    for (int i = 0; i < arrlen(match.to[0]); i++) {
        if (match.to[0][i] < 0 || cubemap_cost(c, i, match.to[0][i]) <= 0)
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s in A, %d in B", describe_cubemap(c, 0, i),
                     c->bsp[1]->cubemaps[match.to[0][i]].size);
    }
    diff_differ(c, "changed", changed);
    diff_unmatched(c, &match, describe_cubemap);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

static struct bounds occluder_box(const struct bsp *bsp, int index)
{
    const struct bsp_occluder *occluder = &bsp->occluders[index];
    return (struct bounds){vec3_from_floats(occluder->mins), vec3_from_floats(occluder->maxs)};
}

/* Compares polygons by their vertices, in any order. */
static bool same_polygons(const struct comparison *c, int a, int b)
{
    struct vec3 sum[2] = {vec3(0, 0, 0), vec3(0, 0, 0)};
    int numbers[2] = {a, b}, count[2] = {0, 0};
    for (int side = 0; side < 2; side++) {
        const struct bsp *bsp = c->bsp[side];
        const struct bsp_occluder *occluder = &bsp->occluders[numbers[side]];
        for (int i = 0; i < occluder->polygon_count; i++) {
            const struct bsp_occluder_polygon *polygon =
                &bsp->occluder_polygons[occluder->first_polygon + i];
            for (int k = 0; k < polygon->vertex_count; k++) {
                int vertex = bsp->occluder_vertices[polygon->first_vertex + k];
                sum[side] = vec3_add(sum[side], vec3_from_floats(bsp->vertices[vertex].p));
                count[side]++;
            }
        }
    }
    return count[0] == count[1] && diff_near(sum[0], sum[1], c->options->distance * (1 + count[0]));
}

static double occluder_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    const struct bsp_occluder *p = &c->bsp[0]->occluders[a], *q = &c->bsp[1]->occluders[b];
    struct bounds x = occluder_box(c->bsp[0], a), y = occluder_box(c->bsp[1], b);
    double tolerance = c->options->distance;
    if (!diff_near(x.mins, y.mins, tolerance) || !diff_near(x.maxs, y.maxs, tolerance))
        return -1;
    return (p->flags != q->flags) + (p->polygon_count != q->polygon_count) +
           !same_polygons(c, a, b);
}

static const char *describe_occluder(struct comparison *c, int side, int index)
{
    struct bounds box = occluder_box(c->bsp[side], index);
    return arena_printf(&c->scratch, "occluder %d from %s to %s, flags %d, %d polygons", index,
                        diff_point_text(c, box.mins), diff_point_text(c, box.maxs),
                        c->bsp[side]->occluders[index].flags,
                        c->bsp[side]->occluders[index].polygon_count);
}

void diff_occluders(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    size_t changed = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(c->bsp[side]->occluders); i++) {
            struct bounds box = occluder_box(c->bsp[side], i);
            arrput(points[side], ((struct diff_point){bounds_center(&box), 0}));
        }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, occluder_cost, c, &match);
    for (int i = 0; i < arrlen(match.to[0]); i++) {
        if (match.to[0][i] < 0 || occluder_cost(c, i, match.to[0][i]) <= 0)
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s in A, %s in B", describe_occluder(c, 0, i),
                     describe_occluder(c, 1, match.to[0][i]));
    }
    diff_differ(c, "changed", changed);
    diff_unmatched(c, &match, describe_occluder);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}
