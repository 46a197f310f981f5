/* Compares models and faces. */
#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/diff/diff_internal.h"

#include <stdlib.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"

enum { STARTS_MAX = 4 }; /* rotations of a polygon that are tried */

#define AREA_SHARE 1e-3

/* Models: matched by their entities, then by their boxes. */

static int model_of_entity(const struct comparison *c, int side, int index)
{
    const char *name = entity_value(&c->entities[side].entities[index], "model");
    int64_t number;
    if (*name != '*' || !str_to_int64(name + 1, &number))
        return -1;
    return number > 0 && number < arrlen(c->bsp[side]->models) ? (int)number : -1;
}

static struct bounds model_box(const struct bsp *bsp, int index)
{
    const struct bsp_model *model = &bsp->models[index];
    return (struct bounds){vec3_from_floats(model->mins), vec3_from_floats(model->maxs)};
}

static double model_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    struct bounds p = model_box(c->bsp[0], a), q = model_box(c->bsp[1], b);
    double tolerance = c->options->distance;
    return diff_near(p.mins, q.mins, tolerance) && diff_near(p.maxs, q.maxs, tolerance) ? 0 : -1;
}

void diff_need_models(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match *match = &c->models;
    if (c->done & DIFF_DONE_MODELS)
        return;
    c->done |= DIFF_DONE_MODELS;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < arrlen(c->bsp[side]->models); i++) {
            struct bounds box = model_box(c->bsp[side], i);
            arrput(points[side], ((struct diff_point){bounds_center(&box), 0}));
        }
    }
    diff_match_init(match, arrlenu(points[0]), arrlenu(points[1]));
    if (arrlen(points[0]) && arrlen(points[1]))
        diff_match_pair(match, 0, 0); /* the world */
    for (int i = 0; i < arrlen(c->entity_match.to[0]); i++) {
        int k = c->entity_match.to[0][i];
        int a = model_of_entity(c, 0, i), b = k < 0 ? -1 : model_of_entity(c, 1, k);
        if (a >= 0 && b >= 0 && match->to[0][a] < 0 && match->to[1][b] < 0)
            diff_match_pair(match, a, b);
    }
    diff_match_points(points[0], points[1], c->options->distance, model_cost, c, match);
    arrfree(points[0]);
    arrfree(points[1]);
}

static const char *describe_model(struct comparison *c, int side, int index)
{
    struct bounds box = model_box(c->bsp[side], index);
    return arena_printf(&c->scratch, "model *%d from %s to %s, %d faces", index,
                        diff_point_text(c, box.mins), diff_point_text(c, box.maxs),
                        c->bsp[side]->models[index].face_count);
}

void diff_models(struct comparison *c)
{
    size_t changed = 0;
    diff_need_models(c);
    diff_count(c, arrlenu(c->models.to[0]), arrlenu(c->models.to[1]));
    for (int i = 0; i < arrlen(c->models.to[0]); i++) {
        int b = c->models.to[0][i];
        if (b < 0)
            continue;
        const struct bsp_model *p = &c->bsp[0]->models[i], *q = &c->bsp[1]->models[b];
        if (model_cost(c, i, b) >= 0 && p->face_count == q->face_count &&
            p->brush_count == q->brush_count &&
            diff_near(vec3_from_floats(p->origin), vec3_from_floats(q->origin),
                      c->options->distance))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s in A, %s in B", describe_model(c, 0, i), describe_model(c, 1, b));
    }
    diff_differ(c, "changed", changed);
    diff_unmatched(c, &c->models, describe_model);
}

/* ---- faces ---- */

static struct vec3 face_point(const struct bsp *bsp, const struct bsp_face *face, int index)
{
    return bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, index));
}

/* The centroid of the area does not depend on additional vertices on the edges. */
static struct diff_polygon polygon_of(const struct bsp *bsp, const struct bsp_face *face)
{
    const struct bsp_plane *plane = &bsp->planes[face->plane];
    struct diff_polygon polygon = {.normal = vec3_from_floats(plane->normal),
                                   .dist = (double)plane->dist,
                                   .box = bounds_empty(),
                                   .material = diff_material(bsp, face->texinfo)};
    struct vec3 sum = vec3(0, 0, 0), mean = sum;
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 point = face_point(bsp, face, i);
        bounds_add_point(&polygon.box, point);
        mean = vec3_mad(mean, point, 1.0 / face->edge_count);
        if (i < 2)
            continue;
        struct vec3 first = face_point(bsp, face, 0), before = face_point(bsp, face, i - 1);
        struct vec3 cross = vec3_cross(vec3_sub(point, first), vec3_sub(before, first));
        double area = vec3_dot(cross, polygon.normal) / 2;
        struct vec3 middle = vec3_scale(vec3_add(vec3_add(first, before), point), 1.0 / 3);
        polygon.area += area;
        sum = vec3_mad(sum, middle, area);
    }
    polygon.centre = fabs(polygon.area) > 1e-3 ? vec3_scale(sum, 1 / polygon.area) : mean;
    polygon.area = fabs(polygon.area);
    return polygon;
}

static struct diff_polygon *polygons_of(const struct bsp *bsp, const struct bsp_face *faces)
{
    struct diff_polygon *polygons = NULL;
    for (size_t i = 0; i < arrlenu(faces); i++)
        arrput(polygons, polygon_of(bsp, &faces[i]));
    return polygons;
}

/* The faces of both sides to match: the maps' own, or the original ones. */
struct face_lists {
    const struct comparison *c;
    const struct bsp_face *faces[2];
    struct diff_polygon *polygons[2];
};

static bool same_outline(const struct comparison *c, const struct diff_polygon *p,
                         const struct diff_polygon *q)
{
    double tolerance = c->options->distance;
    /* Area of a border as wide as the tolerance. */
    double rim = tolerance * vec3_distance(p->box.mins, p->box.maxs) * 4 + AREA_SHARE * p->area;
    return diff_near(p->normal, q->normal, 0.01) && fabs(p->area - q->area) <= rim &&
           diff_near(p->box.mins, q->box.mins, tolerance) &&
           diff_near(p->box.maxs, q->box.maxs, tolerance);
}

/* Returns the rotation of the vertices of a face of A onto one of B: vertex i of A is vertex (i +
 * turn) of B; -1: they are different. */
static int diff_face_turn(const struct comparison *c, const struct bsp_face *p,
                          const struct bsp_face *q)
{
    int tried = 0;
    if (p->edge_count != q->edge_count)
        return -1;
    if (!p->edge_count)
        return 0;
    struct vec3 first = face_point(c->bsp[0], p, 0);
    for (int turn = 0; turn < q->edge_count && tried < STARTS_MAX; turn++) {
        if (!diff_near(first, face_point(c->bsp[1], q, turn), c->options->distance))
            continue;
        int i = 1;
        tried++;
        while (i < p->edge_count && diff_near(face_point(c->bsp[0], p, i),
                                              face_point(c->bsp[1], q, (turn + i) % q->edge_count),
                                              c->options->distance))
            i++;
        if (i == p->edge_count)
            return turn;
    }
    return -1;
}

static double face_cost(const void *context, int a, int b)
{
    const struct face_lists *lists = context;
    const struct diff_polygon *p = &lists->polygons[0][a], *q = &lists->polygons[1][b];
    if (!same_outline(lists->c, p, q))
        return -1;
    bool turned = diff_face_turn(lists->c, &lists->faces[0][a], &lists->faces[1][b]) < 0;
    return (p->material != q->material ? 2 : 0) + (turned ? 1 : 0);
}

/* Faces of different models never match. */
static void set_kinds(const struct comparison *c, int side, struct diff_point *points)
{
    const struct bsp *bsp = c->bsp[side];
    for (int i = 0; i < arrlen(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        int own = side ? c->models.to[1][i] : i;
        if (bsp->engine->geometry.has_surfaces) /* these are not faces */
            break;
        for (int k = 0; k < model->face_count; k++)
            points[model->first_face + k].kind = own < 0 ? UINT64_MAX : 1 + (uint64_t)own;
    }
}

static void match_faces(struct face_lists *lists, bool by_model, struct diff_match *match)
{
    const struct comparison *c = lists->c;
    struct diff_point *points[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < arrlen(lists->polygons[side]); i++)
            arrput(points[side], ((struct diff_point){lists->polygons[side][i].centre, 0}));
        if (by_model)
            set_kinds(c, side, points[side]);
    }
    diff_match_init(match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], 2 * c->options->distance, face_cost, lists, match);
    arrfree(points[0]);
    arrfree(points[1]);
}

void diff_need_faces(struct comparison *c)
{
    if (c->done & DIFF_DONE_FACES)
        return;
    c->done |= DIFF_DONE_FACES;
    diff_need_models(c);
    struct face_lists lists = {.c = c};
    for (int side = 0; side < 2; side++) {
        lists.faces[side] = c->bsp[side]->faces;
        lists.polygons[side] = c->polygons[side] = polygons_of(c->bsp[side], lists.faces[side]);
    }
    match_faces(&lists, true, &c->faces);
}

static const char *describe_polygon(struct comparison *c, const char *what, int index,
                                    const struct diff_polygon *polygon, const char *material)
{
    return arena_printf(&c->scratch, "%s %d at %s, facing %s, area %.6g, %s", what, index,
                        diff_point_text(c, polygon->centre), diff_point_text(c, polygon->normal),
                        polygon->area, material);
}

const char *diff_describe_face(struct comparison *c, int side, int index)
{
    const struct bsp *bsp = c->bsp[side];
    return describe_polygon(c, "face", index, &c->polygons[side][index],
                            diff_material_name(c, side, bsp->faces[index].texinfo));
}

struct material_area {
    uint64_t material;
    double area[2];
    const char *name;
};

static int by_material(const void *a, const void *b)
{
    const struct material_area *p = a, *q = b;
    return (p->material > q->material) - (p->material < q->material);
}

/* One per material, sorted. */
static struct material_area *areas_by_material(struct comparison *c)
{
    struct material_area *areas = NULL;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < arrlen(c->polygons[side]); i++) {
            const struct diff_polygon *polygon = &c->polygons[side][i];
            struct material_area area = {.material = polygon->material};
            area.name = diff_material_name(c, side, c->bsp[side]->faces[i].texinfo);
            area.area[side] = polygon->area;
            arrput(areas, area);
        }
    }
    size_t count = arrlenu(areas), last = 0;
    if (!count)
        return NULL;
    qsort(areas, count, sizeof *areas, by_material);
    for (size_t i = 1; i < count; i++) {
        if (areas[i].material != areas[last].material)
            areas[++last] = areas[i];
        else
            for (int side = 0; side < 2; side++)
                areas[last].area[side] += areas[i].area[side];
    }
    arrsetlen(areas, last + 1);
    return areas;
}

/* Total areas are more informative than single faces when two compilers have cut them in different
 * ways. */
static void compare_areas(struct comparison *c)
{
    struct material_area *areas = areas_by_material(c);
    double differing = 0, all[2] = {0, 0};
    size_t materials = 0;
    for (int i = 0; i < arrlen(areas); i++) {
        const double *area = areas[i].area;
        double more = fabs(area[0] - area[1]);
        all[0] += area[0];
        all[1] += area[1];
        if (more <= AREA_SHARE * portable_fmax(area[0], area[1]) + 1)
            continue;
        differing += more;
        materials++;
        DIFF_EXAMPLE(c, "area of %s: %.8g in A, %.8g in B", areas[i].name, area[0], area[1]);
    }
    diff_figure(c, "materials_with_different_area", (double)materials);
    diff_figure(c, "area_differing", differing);
    if (differing > 0)
        diff_figure(c, "area_differing_percent", 100 * differing / portable_fmax(all[0], all[1]));
    arrfree(areas);
}

void diff_faces(struct comparison *c)
{
    size_t materials = 0, vertices = 0;
    diff_need_faces(c);
    diff_count(c, arrlenu(c->faces.to[0]), arrlenu(c->faces.to[1]));
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        if (b < 0)
            continue;
        const struct bsp_face *p = &c->bsp[0]->faces[i], *q = &c->bsp[1]->faces[b];
        if (c->polygons[0][i].material != c->polygons[1][b].material) {
            materials++;
            DIFF_EXAMPLE(c, "%s: %s in B", diff_describe_face(c, 0, i),
                         diff_material_name(c, 1, q->texinfo));
        }
        if (diff_face_turn(c, p, q) < 0) {
            vertices++;
            DIFF_EXAMPLE(c, "%s: same outline with %d vertices in A, %d in B",
                         diff_describe_face(c, 0, i), p->edge_count, q->edge_count);
        }
    }
    diff_differ(c, "different_material", materials);
    diff_differ(c, "different_vertices", vertices);
    diff_unmatched(c, &c->faces, diff_describe_face);
    compare_areas(c);
}

/* Their texinfo is stale. */
static const char *describe_original(struct comparison *c, int side, int index)
{
    const struct diff_polygon polygon =
        polygon_of(c->bsp[side], &c->bsp[side]->original_faces[index]);
    return arena_printf(&c->scratch, "original face %d at %s, facing %s, area %.6g", index,
                        diff_point_text(c, polygon.centre), diff_point_text(c, polygon.normal),
                        polygon.area);
}

void diff_original_faces(struct comparison *c)
{
    struct face_lists lists = {.c = c};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++) {
        lists.faces[side] = c->bsp[side]->original_faces;
        lists.polygons[side] = polygons_of(c->bsp[side], lists.faces[side]);
        for (int i = 0; i < arrlen(lists.polygons[side]); i++)
            lists.polygons[side][i].material = 0;
    }
    diff_count(c, arrlenu(lists.polygons[0]), arrlenu(lists.polygons[1]));
    match_faces(&lists, false, &match);
    diff_unmatched(c, &match, describe_original);
    diff_match_free(&match);
    arrfree(lists.polygons[0]);
    arrfree(lists.polygons[1]);
}

/* Compares properties of a face other than its shape, for faces that both maps have. */

enum face_field {
    FIELD_TEXINFO,
    FIELD_LIGHTMAP,
    FIELD_SMOOTHING,
    FIELD_SHADOWS,
    FIELD_ON_NODE,
    FIELD_FOG,
    FIELD_DISPLACEMENT,
    FIELD_ID,
    FIELD_MACRO,
    FIELD_BRUSHES,
    FACE_FIELDS
};

static const char *const field_names[FACE_FIELDS] = {
    [FIELD_TEXINFO] = "texture_axes",      [FIELD_LIGHTMAP] = "lightmap_grid",
    [FIELD_SMOOTHING] = "smoothing",       [FIELD_SHADOWS] = "dynamic_shadows",
    [FIELD_ON_NODE] = "on_node",           [FIELD_FOG] = "fog_volume",
    [FIELD_DISPLACEMENT] = "displacement", [FIELD_ID] = "editor_id",
    [FIELD_MACRO] = "macro_texture",       [FIELD_BRUSHES] = "brushes",
};

/* Lists that only newer tools write are compared when both maps have them. */
static bool same_beside(const struct comparison *c, enum face_field field, int a, int b)
{
    const struct bsp *p = c->bsp[0], *q = c->bsp[1];
    switch (field) {
    case FIELD_ID:
        return !p->face_ids || !q->face_ids || p->face_ids[a] == q->face_ids[b];
    case FIELD_MACRO:
        return !p->face_macro_texture || !q->face_macro_texture ||
               p->face_macro_texture[a] == q->face_macro_texture[b];
    default:
        return a >= arrlen(p->face_brushes) || b >= arrlen(q->face_brushes) ||
               p->face_brushes[a].count == q->face_brushes[b].count;
    }
}

static bool same_field(const struct comparison *c, enum face_field field, int a, int b)
{
    const struct bsp_face *p = &c->bsp[0]->faces[a], *q = &c->bsp[1]->faces[b];
    switch (field) {
    case FIELD_TEXINFO:
        return diff_same_texinfo(c, p->texinfo, q->texinfo);
    case FIELD_LIGHTMAP:
        return memcmp(p->lightmap_mins, q->lightmap_mins, sizeof p->lightmap_mins) == 0 &&
               memcmp(p->lightmap_size, q->lightmap_size, sizeof p->lightmap_size) == 0;
    case FIELD_SMOOTHING:
        return p->smoothing_groups == q->smoothing_groups;
    case FIELD_SHADOWS:
        return p->no_dynamic_shadows == q->no_dynamic_shadows;
    case FIELD_ON_NODE:
        return p->on_node == q->on_node;
    case FIELD_FOG:
        return (p->fog_volume < 0) == (q->fog_volume < 0);
    case FIELD_DISPLACEMENT:
        return (p->dispinfo < 0) == (q->dispinfo < 0);
    default:
        return same_beside(c, field, a, b);
    }
}

void diff_face_records(struct comparison *c)
{
    size_t counts[FACE_FIELDS] = {0}, changed = 0;
    diff_need_faces(c);
    diff_count(c, arrlenu(c->faces.to[0]), arrlenu(c->faces.to[1]));
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        bool same = true;
        for (int field = 0; field < FACE_FIELDS && b >= 0; field++) {
            if (same_field(c, (enum face_field)field, i, b))
                continue;
            same = false;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s, face %d of B: %s differs", diff_describe_face(c, 0, i), b,
                         field_names[field]);
        }
        changed += !same;
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < FACE_FIELDS; field++)
        diff_figure(c, field_names[field], (double)counts[field]);
}

/* Vertices of primitives are relative to the face's own, so these must be in the same order. */
static bool same_primitives(const struct comparison *c, const struct bsp_face *p,
                            const struct bsp_face *q)
{
    const struct bsp *a = c->bsp[0], *b = c->bsp[1];
    if (p->primitive_count != q->primitive_count)
        return false;
    bool turned = diff_face_turn(c, p, q) != 0;
    for (int i = 0; i < p->primitive_count; i++) {
        const struct bsp_primitive *x = &a->primitives[p->first_primitive + i];
        const struct bsp_primitive *y = &b->primitives[q->first_primitive + i];
        if (x->type != y->type || x->index_count != y->index_count ||
            x->vertex_count != y->vertex_count)
            return false;
        if (!turned && x->index_count &&
            memcmp(a->primitive_indices + x->first_index, b->primitive_indices + y->first_index,
                   (size_t)x->index_count * sizeof *a->primitive_indices) != 0)
            return false;
        for (int k = 0; k < x->vertex_count; k++)
            if (!diff_near(vec3_from_floats(a->primitive_vertices[x->first_vertex + k].p),
                           vec3_from_floats(b->primitive_vertices[y->first_vertex + k].p),
                           c->options->distance))
                return false;
    }
    return true;
}

void diff_primitives(struct comparison *c)
{
    size_t changed = 0;
    diff_count(c, arrlenu(c->bsp[0]->primitives), arrlenu(c->bsp[1]->primitives));
    diff_need_faces(c);
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        if (b < 0 || same_primitives(c, &c->bsp[0]->faces[i], &c->bsp[1]->faces[b]))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s: primitives differ, %d in A, %d in B", diff_describe_face(c, 0, i),
                     c->bsp[0]->faces[i].primitive_count, c->bsp[1]->faces[b].primitive_count);
    }
    diff_differ(c, "faces_changed", changed);
}

/* The normals of the vertices of all faces are consecutive: returns the offset of each face's, or
 * NULL when the number does not match. */
static int64_t *normals_of_faces(struct comparison *c, int side)
{
    const struct bsp *bsp = c->bsp[side];
    int64_t *first = ARENA_ARRAY(&c->scratch, int64_t, arrlenu(bsp->faces) + 1), sum = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        first[i] = sum;
        sum += bsp->faces[i].edge_count;
    }
    return sum == arrlen(bsp->vertex_normal_indices) ? first : NULL;
}

static bool same_normals(const struct comparison *c, int a, int b, const int64_t *const first[2])
{
    const struct bsp *p = c->bsp[0], *q = c->bsp[1];
    int count = p->faces[a].edge_count;
    int turn = diff_face_turn(c, &p->faces[a], &q->faces[b]);
    for (int i = 0; i < count && turn >= 0; i++) {
        int32_t x = p->vertex_normal_indices[first[0][a] + i];
        int32_t y = q->vertex_normal_indices[first[1][b] + (i + turn) % count];
        if (!diff_near(vec3_from_floats(p->vertex_normals[x].p),
                       vec3_from_floats(q->vertex_normals[y].p), 1e-3))
            return false;
    }
    return true;
}

void diff_normals(struct comparison *c)
{
    const int64_t *first[2] = {normals_of_faces(c, 0), normals_of_faces(c, 1)};
    size_t changed = 0;
    diff_count(c, arrlenu(c->bsp[0]->vertex_normal_indices),
               arrlenu(c->bsp[1]->vertex_normal_indices));
    diff_need_faces(c);
    if (!first[0] || !first[1]) {
        diff_differ(c, "only_in_one", !first[0] != !first[1]);
        return;
    }
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        if (b < 0 || same_normals(c, i, b, first))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s: vertex normals differ", diff_describe_face(c, 0, i));
    }
    diff_differ(c, "faces_changed", changed);
}
