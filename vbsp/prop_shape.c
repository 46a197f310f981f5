#include "vbsp/prop_shape.h"

#include "common/core/array.h"

#define DEGREE 0.017453292519943295

static void start(struct hull_points *out)
{
    if (!arrlen(out->starts))
        arrput(out->starts, 0);
}

/* All vertices of the mesh's finest level, used by a triangle or not. */
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

struct prop_place prop_place(struct vec3 origin, struct vec3 angles, double scale)
{
    double sp = sin(angles.x * DEGREE), cp = cos(angles.x * DEGREE);
    double sy = sin(angles.y * DEGREE), cy = cos(angles.y * DEGREE);
    double sr = sin(angles.z * DEGREE), cr = cos(angles.z * DEGREE);
    struct prop_place place = {.origin = origin};
    place.axes[0] = vec3(cp * cy, cp * sy, -sp);
    place.axes[1] = vec3(sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp);
    place.axes[2] = vec3(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp);
    for (int i = 0; i < 3; i++)
        place.axes[i] = vec3_scale(place.axes[i], scale);
    return place;
}

struct vec3 prop_place_point(const struct prop_place *place, struct vec3 point)
{
    struct vec3 at = place->origin;
    for (int i = 0; i < 3; i++)
        at = vec3_mad(at, place->axes[i], point.e[i]);
    return at;
}
