/* Makes one model of a group of props: its vertices are theirs where they stand. */
#include <math.h>
#include <string.h>

#include "common/assets/models/static_model.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/target/source/combine/combine_internal.h"
#include "vbsp/target/source/physics/physics_hull.h"

struct joining {
    struct combining *job;
    const struct prop_group *group;
    struct vec3 origin; /* of the new prop */
    struct static_model model;
    int32_t base; /* of the mesh that is written: vertices that it has already */
};

static void to_floats(struct vec3 value, float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)value.e[k];
}

/* --- vertices and triangles --- */

static void add_vertices(struct joining *joining, size_t prop, const struct mdl_mesh *mesh)
{
    const struct vvd *vvd = &combining_source(joining->job, prop)->files.vvd;
    const struct transform *to = &joining->job->transforms[prop];
    for (int32_t i = mesh->first_vertex; i < mesh->first_vertex + mesh->vertex_count[0]; i++) {
        struct model_vertex vertex = vvd->vertices[i];
        struct model_tangent tangent = vvd->tangents[i];
        struct vec3 at = transform_point(to, vec3_from_floats(vertex.p));
        to_floats(vec3_sub(at, joining->origin), vertex.p);
        to_floats(transform_normal(to, vec3_from_floats(vertex.normal)), vertex.normal);
        to_floats(transform_normal(to, vec3_from_floats(tangent.p)), tangent.p);
        arrput(joining->model.vertices, vertex);
        arrput(joining->model.tangents, tangent);
    }
}

static void add_triangles(struct joining *joining, const struct model *files, int32_t mesh,
                          const struct vtx *from, struct static_lod *to)
{
    for (size_t i = 0; i < arrlenu(from->triangles); i++) {
        const struct model_triangle *corners = &from->triangles[i];
        struct static_triangle triangle;
        if (corners->mesh != mesh)
            continue;
        for (int k = 0; k < 3; k++)
            triangle.vertices[k] = (uint16_t)(joining->base + corners->vertices[k] -
                                              files->mdl.meshes[mesh].first_vertex);
        arrput(to->triangles, triangle);
    }
}

/* All members have as many levels of detail. The coarser ones are drawn from the largest distance
 * that a member has. */
static void add_lods(struct joining *joining, const struct source_model *source, int32_t mesh)
{
    struct static_lod *lods = joining->model.lods;
    add_triangles(joining, &source->files, mesh, &source->files.vtx, &lods[0]);
    for (size_t i = 0; i < arrlenu(source->coarser); i++) {
        const struct vtx *from = &source->coarser[i];
        add_triangles(joining, &source->files, mesh, from, &lods[i + 1]);
        lods[i + 1].switch_point = portable_fmaxf(lods[i + 1].switch_point, from->switch_point);
    }
}

/* All of the group that shows the material is one mesh. */
static void add_mesh(struct joining *joining, const char *material)
{
    struct static_model *model = &joining->model;
    struct static_mesh mesh = {.material = (int32_t)arrlen(model->materials),
                               .first_vertex = (int32_t)arrlen(model->vertices)};
    for (size_t i = 0; i < arrlenu(joining->group->props); i++) {
        size_t prop = joining->group->props[i];
        const struct source_model *source = combining_source(joining->job, prop);
        for (int32_t k = 0; k < source->files.mdl.mesh_count; k++) {
            if (!source->materials[k] || strcmp(source->materials[k], material) != 0)
                continue;
            joining->base = (int32_t)arrlen(model->vertices) - mesh.first_vertex;
            add_vertices(joining, prop, &source->files.mdl.meshes[k]);
            add_lods(joining, source, k);
        }
    }
    mesh.vertex_count = (int32_t)arrlen(model->vertices) - mesh.first_vertex;
    for (size_t i = 0; i < arrlenu(model->lods); i++)
        arrput(model->lods[i].ends, arrlenu(model->lods[i].triangles));
    arrput(model->materials, material);
    arrput(model->meshes, mesh);
}

static bool has_material(const struct static_model *model, const char *material)
{
    for (size_t i = 0; i < arrlenu(model->materials); i++)
        if (strcmp(model->materials[i], material) == 0)
            return true;
    return false;
}

/* The materials of all members are those of the first. */
static void add_meshes(struct joining *joining)
{
    const struct source_model *first = combining_source(joining->job, joining->group->props[0]);
    arrput(joining->model.lods, ((struct static_lod){0}));
    for (size_t i = 0; i < arrlenu(first->coarser); i++)
        arrput(joining->model.lods,
               (struct static_lod){.switch_point = first->coarser[i].switch_point});
    for (int32_t i = 0; i < first->files.mdl.mesh_count; i++)
        if (first->materials[i] && !has_material(&joining->model, first->materials[i]))
            add_mesh(joining, first->materials[i]);
}

/* --- collision --- */

/* False when a hull has no volume once it is turned. */
static bool add_hulls(const struct joining *joining, size_t prop, struct hull_set *set)
{
    const struct hull_points *hulls = &combining_source(joining->job, prop)->files.collision;
    struct arena scratch = {0};
    bool added = true;
    for (size_t i = 0; i < hull_points_count(hulls) && added; i++) {
        struct vec3 *points = NULL;
        for (size_t k = hulls->starts[i]; k < hulls->starts[i + 1]; k++)
            arrput(points,
                   vec3_sub(transform_point(&joining->job->transforms[prop], hulls->points[k]),
                            joining->origin));
        const struct hull_face corners = {.winding =
                                              winding_new(&scratch, (int)arrlen(points), points)};
        added = arrlen(points) > 0 && hull_set_has_room(set) && hull_set_add(set, &corners, 1, 0);
        arrfree(points);
    }
    arena_free(&scratch);
    return added;
}

/* The PHY, or nothing when the props are not solid. Collision data has the axes of the map; those
 * of a model's are the same. */
static bool collision_of(const struct joining *joining, uint32_t checksum, struct bytes *out)
{
    const struct prop_group *group = joining->group;
    const struct static_prop *first = &joining->job->placed->props.props[group->props[0]];
    const struct source_model *source = combining_source(joining->job, group->props[0]);
    struct diag *diag = joining->job->compile->env->diag;
    struct hull_set set = {0};
    struct bytes solid = {0};
    if (first->solid != STATIC_PROP_SOLID_MODEL)
        return true;
    bool joined = true;
    for (size_t i = 0; i < arrlenu(group->props) && joined; i++)
        joined = add_hulls(joining, group->props[i], &set);
    if (joined) {
        hull_set_finish(&set);
        joined = physics_solid_encode(&set.solid, NULL, diag, &solid) == STATUS_OK;
    }
    if (joined)
        static_model_phy(&(struct static_phy){.name = "combined",
                                              .surface_prop = source->files.mdl.surface_prop,
                                              .volume = set.volume},
                         checksum, &solid, out);
    bytes_free(&solid);
    hull_set_free(&set);
    return joined;
}

/* --- the model and its prop --- */

static struct bounds bounds_of(const struct combining *job, const struct prop_group *group)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(group->props); i++) {
        const struct bounds *box = &combining_source(job, group->props[i])->bounds;
        for (int k = 0; k < 8; k++)
            bounds_add_point(&bounds, transform_point(&job->transforms[group->props[i]],
                                                      vec3(k & 1 ? box->maxs.x : box->mins.x,
                                                           k & 2 ? box->maxs.y : box->mins.y,
                                                           k & 4 ? box->maxs.z : box->mins.z)));
    }
    return bounds;
}

/* The point where a member takes its light: of the one whose point is nearest to their mean. */
static struct vec3 illumination_of(const struct combining *job, const struct prop_group *group)
{
    struct vec3 *points = NULL, mean = vec3(0, 0, 0), nearest = mean;
    for (size_t i = 0; i < arrlenu(group->props); i++) {
        size_t prop = group->props[i];
        const struct vec3 *at = &combining_source(job, prop)->files.mdl.illumination;
        arrput(points, transform_point(&job->transforms[prop], *at));
        mean = vec3_mad(mean, points[i], 1 / (double)arrlen(group->props));
    }
    for (size_t i = 0; i < arrlenu(points); i++)
        if (i == 0 || vec3_distance(points[i], mean) < vec3_distance(nearest, mean))
            nearest = points[i];
    arrfree(points);
    return nearest;
}

static void pack(const struct joining *joining, const char *extension, struct bytes *file)
{
    const char *path =
        arena_printf(&joining->job->arena, "models/%s%s", joining->model.name, extension);
    pakfile_put(&joining->job->compile->pakfile, path, file->data, file->size);
    bytes_free(file);
}

static bool write_files(struct joining *joining)
{
    const struct source_model *first = combining_source(joining->job, joining->group->props[0]);
    const struct static_model *model = &joining->model;
    uint32_t checksum = static_model_checksum(model);
    struct bytes mdl = {0}, vvd = {0}, vtx = {0}, phy = {0};
    if (!collision_of(joining, checksum, &phy))
        return false;
    static_model_mdl(model, checksum, &first->mdl_file, &mdl);
    static_model_vvd(model, checksum, &vvd);
    static_model_vtx(model, checksum, first->files.mdl.version, &vtx);
    pack(joining, ".mdl", &mdl);
    pack(joining, ".vvd", &vvd);
    pack(joining, ".dx90.vtx", &vtx);
    if (phy.size)
        pack(joining, ".phy", &phy);
    return true;
}

/* Of flags in which they may differ it has those that all of them have. */
static struct static_prop prop_at(const struct combining *job, const struct prop_group *group,
                                  struct vec3 origin)
{
    struct prop_flags ignored = combining_ignored_flags(job);
    struct static_prop prop = job->placed->props.props[group->props[0]];
    for (size_t i = 0; i < arrlenu(group->props); i++) {
        const struct static_prop *member = &job->placed->props.props[group->props[i]];
        prop.flags &= member->flags | ~ignored.flags;
        prop.flags2 &= member->flags2 | ~ignored.flags2;
    }
    to_floats(origin, prop.origin);
    for (int k = 0; k < 3; k++) {
        prop.angles[k] = 0;
        prop.scale[k] = 1;
    }
    prop.skin = 0;
    return prop;
}

/* An origin of whole units is exact in the floats of a prop. */
bool combining_add_model(struct combining *job, const struct prop_group *group,
                         struct combined_prop *out)
{
    struct bounds bounds = bounds_of(job, group);
    struct joining joining = {.job = job, .group = group};
    for (int k = 0; k < 3; k++)
        joining.origin.e[k] = floor((bounds.mins.e[k] + bounds.maxs.e[k]) / 2);
    struct static_model *model = &joining.model;
    model->name = arena_printf(&job->arena, "%s/combined_%d", job->folder, job->combined_models);
    model->illumination = vec3_sub(illumination_of(job, group), joining.origin);
    model->hull.mins = vec3_sub(bounds.mins, joining.origin);
    model->hull.maxs = vec3_sub(bounds.maxs, joining.origin);
    add_meshes(&joining);
    bool written = write_files(&joining);
    if (written) {
        job->combined_models++;
        out->prop = prop_at(job, group, joining.origin);
        out->model = arena_printf(&job->arena, "models/%s.mdl", model->name);
        out->meshes = (int32_t)arrlen(model->meshes);
    }
    static_model_free(model);
    return written;
}
