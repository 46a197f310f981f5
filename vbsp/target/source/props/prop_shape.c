#include "vbsp/target/source/props/prop_internal.h"

#include "common/core/array.h"

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
