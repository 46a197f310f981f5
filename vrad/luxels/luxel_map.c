#include "common/bsp/face_records.h"
#include "vrad/luxels/luxel.h"

#include <string.h>

#include "common/bsp/lightmap_extent.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/lightmaps.def"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_border.h"
#include "vrad/luxels/luxel_hidden.h"
#include "vrad/luxels/luxel_pack.h"
#include "vrad/luxels/luxel_place.h"
#include "vrad/luxels/subluxels.h"
#include "vrad/scene/reflectivity.h"

enum {
    MAX_LUXELS = 1 << 26,           /* of a map: sixteen times what engines support */
    MAX_LUXELS_A_SIDE = 1024,       /* far above what any engine branch supports */
    MANY_LUXELS = 1 << 16,          /* of a map whose light may be narrow */
    MAX_CORNERS = SHAPE_POINTS - 8, /* of the polygon of a face */
};

/* Valid range of a luxel's side, in units. */
#define MIN_LUXEL     1e-3
#define LARGEST_LUXEL 1e6

/* Area of a luxel in units squared below which there are many for each point of bounced light. */
#define SMALL_LUXEL 64.0

/* Of border points, in units. At the very corner of a face, where it meets another, the light may
 * be unlike any that is seen; q3map2's border luxels have it nevertheless. */
#define BORDER_INSET 2.0
#define EDGE_INSET   0.1

static bool is_lit(const struct bsp *bsp, const struct bsp_face *face)
{
    return face->texinfo >= 0 && face->edge_count >= 3 &&
           !(bsp->texinfo[face->texinfo].flags & (SURFACE_SKY | SURFACE_NOLIGHT));
}

static void list_leaves(struct luxel_layout *layout, const struct bsp *bsp, struct arena *arena)
{
    size_t faces = arrlenu(bsp->faces);
    layout->first_leaf = ARENA_ARRAY(arena, int, faces + 2);
    int *count = layout->first_leaf + 1;
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        for (int k = 0; k < bsp->leaves[i].face_count; k++)
            count[1 + bsp->leaf_faces[bsp->leaves[i].first_face + k]]++;
    for (size_t i = 0; i < faces; i++)
        count[i + 1] += count[i];
    layout->leaves = ARENA_ARRAY(arena, int, (size_t)count[faces] + 1);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        for (int k = 0; k < bsp->leaves[i].face_count; k++)
            layout->leaves[count[bsp->leaf_faces[bsp->leaves[i].first_face + k]]++] = (int)i;
}

/* Inverts {lightmap s, lightmap t, plane}; false when they are not independent. */
static bool invert_axes(const struct scene *scene, struct face_light *face)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->face->texinfo];
    struct vec3 row[2];
    double offset[2];
    for (int i = 0; i < 2; i++) {
        const float *v = texinfo->lightmap[i];
        row[i] = vec3((double)v[0], (double)v[1], (double)v[2]);
        offset[i] = face->face->lightmap_mins[i] + face->border - (double)v[3];
    }
    double determinant = vec3_dot(row[0], vec3_cross(row[1], face->normal));
    if (!isfinite(determinant) || fabs(determinant) < 1e-12)
        return false;
    face->axis[0] = vec3_scale(vec3_cross(row[1], face->normal), 1 / determinant);
    face->axis[1] = vec3_scale(vec3_cross(face->normal, row[0]), 1 / determinant);
    struct vec3 up = vec3_scale(vec3_cross(row[0], row[1]), 1 / determinant);
    face->origin = vec3_scale(up, (double)bsp->planes[face->face->plane].dist);
    face->origin = vec3_mad(face->origin, face->axis[0], offset[0]);
    face->origin = vec3_mad(face->origin, face->axis[1], offset[1]);
    face->origin = vec3_add(face->origin, scene->model_origins[face->model]);
    for (int i = 0; i < 2; i++) {
        double units = vec3_length(face->axis[i]);
        if (!(units > MIN_LUXEL && units < LARGEST_LUXEL))
            return false;
    }
    return vec3_is_finite(face->origin);
}

/* The face's polygon in luxel coordinates. If it has too many corners, every n-th is used. */
static void flat_polygon(const struct bsp *bsp, struct face_light *face, struct arena *arena)
{
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->face->texinfo];
    int step = 1 + (face->face->edge_count - 1) / MAX_CORNERS;
    face->corners = (face->face->edge_count + step - 1) / step;
    face->polygon = ARENA_ARRAY(arena, struct point2, (size_t)face->corners);
    for (int i = 0; i < face->corners; i++) {
        struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face->face, i * step));
        double at[2];
        for (int k = 0; k < 2; k++) {
            const float *v = texinfo->lightmap[k];
            at[k] = p.x * (double)v[0] + p.y * (double)v[1] + p.z * (double)v[2] + (double)v[3] -
                    (face->face->lightmap_mins[k] + face->border);
        }
        face->polygon[i] = (struct point2){at[0], at[1]};
    }
}

static void displacement_polygon(struct face_light *face, struct arena *arena)
{
    double w = face->width - 1, h = face->height - 1;
    const struct point2 corners[4] = {{0, 0}, {0, h}, {w, h}, {w, 0}};
    face->corners = 4;
    face->polygon = ARENA_ARRAY(arena, struct point2, 4);
    memcpy(face->polygon, corners, sizeof corners);
}

static void set_reflectivity(const struct bsp *bsp, struct face_light *face)
{
    int texdata = bsp->texinfo[face->face->texinfo].texdata;
    for (int k = 0; k < 3 && texdata >= 0; k++)
        face->reflectivity[k] = reflectivity_within(bsp->texdata[texdata].reflectivity[k]);
}

/* Room for the normals of luxels where they can differ. */
static void allocate_normals(struct luxel_map *map, struct face_light *face)
{
    vec3_to_floats(face->normal, face->plane_normal);
    if (face->mesh || map->normals.phong[face - map->faces])
        face->normals = arena_alloc(&map->arena, (size_t)face->count, sizeof *face->normals);
}

/* Prepares a face except for its luxels. Serial, since it allocates. */
static enum status begin_face(const struct env *env, struct luxel_layout *layout,
                              struct face_light *face)
{
    const struct bsp *bsp = layout->scene->bsp;
    const struct bsp_face *source = face->face;
    struct arena *arena = &layout->map->arena;
    if (!is_lit(bsp, source))
        return STATUS_OK;
    for (int k = 0; k < 2; k++)
        if (source->lightmap_size[k] < 0 || source->lightmap_size[k] >= MAX_LUXELS_A_SIDE)
            return diag_report(env->diag, DIAG_LIGHTMAP_SHAPE, NULL, "face %td has %d x %d luxels",
                               source - bsp->faces, source->lightmap_size[0],
                               source->lightmap_size[1]);
    const struct lightmap_extent extent = lightmap_extent_of(bsp, source);
    face->normal = bsp_face_normal(bsp, source);
    face->border = extent.border;
    face->width = extent.size[0] + 1;
    face->height = extent.size[1] + 1;
    if (source->dispinfo >= 0) {
        face->mesh = ARENA_NEW(arena, struct disp_mesh);
        if (!disp_mesh_build(bsp, source, arena, face->mesh))
            return diag_report(env->diag, DIAG_LIGHTMAP_SHAPE, NULL,
                               "face %td has a corrupt displacement", source - bsp->faces);
        displacement_polygon(face, arena);
    } else if (invert_axes(layout->scene, face)) {
        flat_polygon(bsp, face, arena);
    } else {
        return diag_report(env->diag, DIAG_LIGHTMAP_SHAPE, NULL,
                           "the lightmap axes of face %td are not parallel to it",
                           source - bsp->faces);
    }
    face->count = face->width * face->height;
    if (layout->map->luxel_count + (size_t)face->count > MAX_LUXELS)
        return diag_report(env->diag, DIAG_LIGHTMAP_BYTES, NULL,
                           "the first %td faces have %zu luxels", source - bsp->faces + 1,
                           layout->map->luxel_count + (size_t)face->count);
    face->slots = bsp->texinfo[source->texinfo].flags & SURFACE_BUMPLIGHT ? LUXEL_SLOTS : 1;
    set_reflectivity(bsp, face);
    layout->map->luxel_count += (size_t)face->count;
    progress_size(env->progress, "luxels", (int64_t)layout->map->luxel_count);
    allocate_normals(layout->map, face);
    return STATUS_OK;
}

static void add_cluster(struct face_light *face, int cluster)
{
    if (cluster < 0)
        return;
    for (ptrdiff_t i = 0; i < arrlen(face->clusters); i++)
        if (face->clusters[i] == cluster)
            return;
    arrput(face->clusters, cluster);
}

/* Those of the leaves that list the face, then of its luxels. */
static void list_clusters(const struct luxel_layout *layout, struct face_light *face,
                          const int *clusters)
{
    ptrdiff_t number = face - layout->map->faces;
    for (int i = layout->first_leaf[number]; i < layout->first_leaf[number + 1]; i++)
        add_cluster(face, layout->scene->bsp->leaves[layout->leaves[i]].cluster);
    for (int i = 0; i < face->count; i++)
        add_cluster(face, clusters[i]);
}

static void place_face(void *context, size_t index, int thread)
{
    const struct luxel_layout *layout = context;
    struct face_light *face = &layout->map->faces[index];
    (void)thread;
    if (!face->count)
        return;
    face->luxels = memory_zalloc((size_t)face->count, sizeof *face->luxels);
    int *clusters = memory_alloc((size_t)face->count * sizeof *clusters);
    luxel_place_face(layout, face, clusters);
    list_clusters(layout, face, clusters);
    memory_free(clusters);
    if (layout->map->narrow)
        luxel_pack_face(face);
}

static void blend_meshes(struct luxel_map *map)
{
    struct disp_mesh **meshes = NULL;
    for (int i = 0; i < map->face_count; i++)
        if (map->faces[i].mesh)
            arrput(meshes, map->faces[i].mesh);
    disp_mesh_blend(meshes, arrlenu(meshes));
    arrfree(meshes);
}

/* A ranks_pack. */
static void pack_face(void *context, size_t index, struct bytes *out)
{
    const struct luxel_layout *layout = context;
    const struct face_light *face = &layout->map->faces[index];
    if (!face->count)
        return;
    bytes_i32(out, face->area);
    bytes_u32(out, (uint32_t)arrlenu(face->clusters));
    bytes_append(out, face->clusters, arrlenu(face->clusters) * sizeof *face->clusters);
    if (face->normals)
        bytes_append(out, face->normals, (size_t)face->count * sizeof *face->normals);
    luxel_pack_append(face, out);
}

/* The clusters of a face are those of leaves. */
static void take_clusters(struct byte_reader *from, const struct bsp *bsp, struct face_light *face)
{
    size_t count = read_u32(from), leaves = arrlenu(bsp->leaves);
    if (count > leaves || !rank_has(from, count, sizeof *face->clusters)) {
        from->failed = true;
        return;
    }
    arrsetlen(face->clusters, count);
    read_into(from, face->clusters, count * sizeof *face->clusters);
    for (size_t i = 0; i < count; i++)
        if (face->clusters[i] < 0 || (size_t)face->clusters[i] >= leaves)
            from->failed = true;
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t index, struct byte_reader *from)
{
    const struct luxel_layout *layout = context;
    struct face_light *face = &layout->map->faces[index];
    if (!face->count)
        return;
    luxel_measure_face(face);
    face->area = read_i32(from);
    take_clusters(from, layout->scene->bsp, face);
    if (face->normals)
        rank_floats(from, &face->normals[0][0],
                    (size_t)face->count * sizeof *face->normals / sizeof(float));
    luxel_pack_take(from, face);
    if (!layout->map->narrow)
        luxel_unpack_face(face);
}

static void place_luxels(const struct env *env, struct luxel_layout *layout)
{
    struct luxel_map *map = layout->map;
    map->backface_directions = luxel_backface_directions(&map->arena);
    env_loop(env, &(struct ranks_loop){.count = (size_t)map->face_count,
                                       .item = place_face,
                                       .context = layout,
                                       .pack = pack_face,
                                       .unpack = unpack_face});
}

/* Returns true if most luxels are small, and are many. */
static bool is_narrow(const struct luxel_map *map)
{
    size_t small = 0;
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        if (!face->mesh && vec3_length(vec3_cross(face->axis[0], face->axis[1])) < SMALL_LUXEL)
            small += (size_t)face->count;
    }
    return map->luxel_count >= MANY_LUXELS && small > map->luxel_count / 2;
}

enum status luxel_map_build(const struct env *env, const struct scene *scene, double smooth_degrees,
                            struct luxel_map *out)
{
    const struct bsp *bsp = scene->bsp;
    size_t count = arrlenu(bsp->faces);
    *out = (struct luxel_map){.face_count = (int)count, .scene = scene};
    struct luxel_layout layout = {.scene = scene, .map = out, .border_inset = BORDER_INSET};
    progress_size(env->progress, "faces", (int64_t)count);
    out->faces = memory_zalloc(count + 1, sizeof *out->faces);
    vertex_normals_build(bsp, smooth_degrees, &out->arena, &out->normals);
    list_leaves(&layout, bsp, &out->arena);
    for (ptrdiff_t m = 0; m < arrlen(bsp->models); m++)
        for (int i = 0; i < bsp->models[m].face_count; i++)
            out->faces[bsp->models[m].first_face + i].model = (int)m;
    for (size_t i = 0; i < count; i++) {
        out->faces[i].face = &bsp->faces[i];
        enum status status = begin_face(env, &layout, &out->faces[i]);
        if (status != STATUS_OK) {
            luxel_map_free(out);
            return status;
        }
    }
    out->narrow = is_narrow(out);
    blend_meshes(out);
    place_luxels(env, &layout);
    return STATUS_OK;
}

/* Collects the leaves of receivers into one list. */
static void gather_leaves(struct luxel_layout *layout, const struct luxel_receiver *receivers,
                          size_t count)
{
    struct arena *arena = &layout->map->arena;
    layout->first_leaf = ARENA_ARRAY(arena, int, count + 1);
    for (size_t i = 0; i < count; i++)
        layout->first_leaf[i + 1] = layout->first_leaf[i] + receivers[i].leaf_count;
    layout->leaves = ARENA_ARRAY(arena, int, (size_t)layout->first_leaf[count] + 1);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < receivers[i].leaf_count; k++)
            layout->leaves[layout->first_leaf[i] + k] = receivers[i].leaves[k];
}

static void begin_receiver(struct luxel_map *map, const struct luxel_receiver *from,
                           struct face_light *face)
{
    face->width = from->width;
    face->height = from->height;
    face->count = face->width * face->height;
    face->slots = from->bumped ? LUXEL_SLOTS : 1;
    face->normal = from->normal;
    face->origin = from->origin;
    face->axis[0] = from->axis[0];
    face->axis[1] = from->axis[1];
    face->mesh = from->mesh;
    face->polygon = from->polygon;
    face->corners = from->corners;
    face->model = from->model;
    face->no_occlusion = from->no_occlusion;
    face->no_shadows = from->no_shadows;
    memcpy(face->reflectivity, from->reflectivity, sizeof face->reflectivity);
    if (face->mesh)
        displacement_polygon(face, &map->arena);
    allocate_normals(map, face);
    map->luxel_count += (size_t)face->count;
}

enum status luxel_map_of_receivers(const struct env *env, const struct scene *scene,
                                   const struct luxel_receiver *receivers, size_t count,
                                   struct luxel_map *out)
{
    *out = (struct luxel_map){.face_count = (int)count, .scene = scene};
    struct luxel_layout layout = {.scene = scene, .map = out, .border_inset = EDGE_INSET};
    progress_size(env->progress, "surfaces", (int64_t)count);
    out->faces = memory_zalloc(count + 1, sizeof *out->faces);
    out->normals.phong = ARENA_ARRAY(&out->arena, unsigned char, count + 1);
    gather_leaves(&layout, receivers, count);
    for (size_t i = 0; i < count; i++) {
        size_t luxels = (size_t)receivers[i].width * (size_t)receivers[i].height;
        if (out->luxel_count + luxels > MAX_LUXELS) {
            luxel_map_free(out);
            return diag_report(env->diag, DIAG_LIGHTMAP_BYTES, NULL,
                               "the first %zu surfaces have more than %d luxels", i + 1,
                               MAX_LUXELS);
        }
        progress_size(env->progress, "luxels", (int64_t)(out->luxel_count + luxels));
        begin_receiver(out, &receivers[i], &out->faces[i]);
    }
    place_luxels(env, &layout);
    return STATUS_OK;
}

void luxel_map_clear(struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *face = &map->faces[i];
        for (int s = 0; s < face->style_count; s++)
            memory_free(face->direct[s]);
        memset(face->direct, 0, sizeof face->direct);
        face->style_count = 0;
        bounced_free(face);
        border_light_free(face);
    }
    subluxels_free(map->subluxels);
    map->subluxels = NULL;
}

void luxel_map_free(struct luxel_map *map)
{
    luxel_map_clear(map);
    for (int i = 0; i < map->face_count; i++) {
        arrfree(map->faces[i].clusters);
        memory_free(map->faces[i].luxels);
        memory_free(map->faces[i].pack);
    }
    memory_free(map->faces);
    prop_radiosity_free(map->props);
    arena_free(&map->arena);
    memset(map, 0, sizeof *map);
}
