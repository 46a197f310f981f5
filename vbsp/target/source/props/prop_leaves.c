#include "vbsp/target/source/props/prop_internal.h"

#include <stdlib.h>

#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/plane.h"
#include "vbsp/target/source/props/convex_distance.h"

/* --- prop shape --- */

static void start(struct hull_points *out)
{
    if (!arrlen(out->starts))
        arrput(out->starts, 0);
}

/* All vertices of the mesh's finest LOD, used by a triangle or not. */
static void add_mesh(const struct model *model, const struct mdl_mesh *mesh,
                     struct hull_points *out)
{
    int64_t end = (int64_t)mesh->first_vertex + mesh->vertex_count[0];
    if (mesh->vertex_count[0] == 0 || end > model->vvd.count)
        return;
    for (int64_t i = mesh->first_vertex; i < end; i++) {
        const float *p = model->vvd.vertices[i].p;
        arrput(out->points, vec3((double)p[0], (double)p[1], (double)p[2]));
    }
    arrput(out->starts, arrlenu(out->points));
}

static void add_hulls(const struct hull_points *hulls, struct hull_points *out)
{
    size_t base = arrlenu(out->points);
    for (size_t i = 0; i < arrlenu(hulls->points); i++)
        arrput(out->points, hulls->points[i]);
    for (size_t i = 1; i < arrlenu(hulls->starts); i++)
        arrput(out->starts, base + hulls->starts[i]);
}

void prop_shape_box(const struct bounds *box, struct hull_points *out)
{
    start(out);
    for (int i = 0; i < 8; i++)
        arrput(out->points,
               vec3(i & 1 ? box->maxs.x : box->mins.x, i & 2 ? box->maxs.y : box->mins.y,
                    i & 4 ? box->maxs.z : box->mins.z));
    arrput(out->starts, arrlenu(out->points));
}

void prop_shape_of(const struct model *model, struct hull_points *out)
{
    start(out);
    for (int32_t i = 0; i < model->mdl.mesh_count; i++)
        if (model_shows_mesh(&model->mdl, i))
            add_mesh(model, &model->mdl.meshes[i], out);
    if (!arrlen(out->points))
        add_hulls(&model->collision, out);
    if (!arrlen(out->points))
        prop_shape_box(&model->mdl.hull, out);
}

/* --- prop leaves --- */

/* Planes on the way to a leaf that cut the body; with more of them the result is correct but less
 * tight. */
enum { CUTS = 24, BOX = 6 };

/* Tolerance for corners on their own planes. */
#define EPSILON_CORNER 1e-6

struct search {
    const struct bsp *bsp;
    const struct vec3 *points;
    size_t count;
    double slack;                    /* tolerance of the distance to a leaf */
    struct plane planes[BOX + CUTS]; /* planes that bound the cell */
    int plane_count;
    int32_t **leaves;
};

static bool in_cell(const struct search *search, struct vec3 point)
{
    for (int i = 0; i < search->plane_count; i++)
        if (plane_distance(&search->planes[i], point) < -EPSILON_CORNER)
            return false;
    return true;
}

/* Corners of the cell clipped to the body's bounds. */
static struct vec3 *cell_corners(const struct search *search)
{
    struct vec3 *corners = NULL, point;
    const struct plane *planes = search->planes;
    for (int i = 0; i < search->plane_count; i++)
        for (int j = i + 1; j < search->plane_count; j++)
            for (int k = j + 1; k < search->plane_count; k++)
                if (plane_intersection(&planes[i], &planes[j], &planes[k], &point) &&
                    in_cell(search, point))
                    arrput(corners, point);
    return corners;
}

static bool reaches(const struct search *search)
{
    /* A plane that cuts the body leaves parts of it on both sides. */
    if (search->plane_count <= BOX + 1)
        return true;
    struct vec3 *corners = cell_corners(search);
    bool meets = corners && convex_distance(search->points, search->count, corners,
                                            arrlenu(corners)) <= search->slack;
    arrfree(corners);
    return meets;
}

static void add_leaf(const struct search *search, int32_t leaf)
{
    if (search->bsp->leaves[leaf].contents & CONTENTS_SOLID || !reaches(search))
        return;
    arrput(*search->leaves, leaf);
}

static void descend(struct search *search, int32_t number)
{
    while (number >= 0) {
        const struct bsp_node *node = &search->bsp->nodes[number];
        const struct bsp_plane *from = &search->bsp->planes[node->plane];
        struct plane plane = {
            vec3((double)from->normal[0], (double)from->normal[1], (double)from->normal[2]),
            (double)from->dist};
        double min = DBL_MAX, max = -DBL_MAX;
        for (size_t i = 0; i < search->count; i++) {
            double distance = plane_distance(&plane, search->points[i]);
            min = portable_fmin(min, distance);
            max = portable_fmax(max, distance);
        }
        if (min >= -search->slack || max <= search->slack) {
            number = node->children[max + min < 0];
            continue;
        }
        bool cuts = search->plane_count < BOX + CUTS;
        search->planes[search->plane_count] = plane;
        search->plane_count += cuts;
        descend(search, node->children[0]);
        if (cuts)
            search->planes[search->plane_count - 1] = plane_flip(&plane);
        number = node->children[1];
        descend(search, number);
        search->plane_count -= cuts;
        return;
    }
    add_leaf(search, -1 - number);
}

static void box_planes(struct search *search)
{
    struct bounds box = bounds_empty();
    for (size_t i = 0; i < search->count; i++)
        bounds_add_point(&box, search->points[i]);
    for (int i = 0; i < 3; i++) {
        struct vec3 axis = vec3(i == 0, i == 1, i == 2);
        search->planes[search->plane_count++] = (struct plane){axis, box.mins.e[i] - 1};
        search->planes[search->plane_count++] = (struct plane){vec3_neg(axis), -box.maxs.e[i] - 1};
    }
}

static int descending(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
    return (first < second) - (first > second);
}

void prop_leaves_add(const struct bsp *bsp, const struct vec3 *points, size_t count,
                     int32_t **leaves)
{
    struct search search = {.bsp = bsp, .points = points, .count = count, .leaves = leaves};
    if (!count || !arrlen(bsp->models))
        return;
    box_planes(&search);
    descend(&search, bsp->models[0].head_node);
    if (!arrlen(*leaves))
        return;
    qsort(*leaves, arrlenu(*leaves), sizeof **leaves, descending);
    size_t kept = 1;
    for (size_t i = 1; i < arrlenu(*leaves); i++)
        if ((*leaves)[i] != (*leaves)[kept - 1])
            (*leaves)[kept++] = (*leaves)[i];
    arrsetlen(*leaves, kept);
}
