#include "vrad/scene/scene.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/internal.def"
#include "vrad/scene/prop_shadows.h"
#include "vrad/scene/scene_solids.h"

static uint32_t surface_mask(const struct scene *scene)
{
    return TRACE_FACE | TRACE_SKY | (scene->blocking & TRACE_PROP);
}

/* Units of _minlight. */
#define MIN_LIGHT_SCALE 128.0

/* Reads the keys of a brush entity, or of the world, for its model. Where one is without faces that
 * casts no shadows, a trigger, makes no difference. */
static void read_model(struct scene *scene, const struct entity *entity, size_t model,
                       unsigned char *casts)
{
    double min = entity_number(entity, "_minlight", 0) * MIN_LIGHT_SCALE;
    scene->model_min_light[model] = min > 0 && min < 1e6 ? (float)min : 0;
    casts[model] = entity_number(entity, "vrad_brush_cast_shadows", 0) != 0;
    if (model > 0 && (casts[model] || scene->bsp->models[model].face_count))
        entity_vector(entity, "origin", &scene->model_origins[model]);
}

static void read_sky_camera(struct scene *scene, const struct entity *entity)
{
    struct vec3 origin;
    double scale = entity_number(entity, "scale", 16);
    if (!entity_vector(entity, "origin", &origin) || !(scale >= 1))
        return;
    scene->skybox.present = true;
    scene->skybox.scale = scale;
    for (int k = 0; k < 3; k++)
        scene->skybox.origin[k] = origin.e[k];
    scene->skybox.area = scene->bsp->leaves[leaf_tree_at(&scene->tree, origin)].area;
}

static void read_sky_cameras(struct scene *scene, const struct entity_view *entities)
{
    const struct entity_filter sky_camera = {.key = "classname", .value = "sky_camera"};
    const struct entity_query query = entity_query_of(&sky_camera);
    const struct entity *entity = entity_view_world(entities);
    while (entity && (entity = entity_view_next(entities, query, entity)))
        if (entity_model_number(entity, arrlenu(scene->bsp->models)) < 0)
            read_sky_camera(scene, entity);
}

/* Reads the origins of models, and which of them cast shadows (one byte each, on the heap). */
static unsigned char *read_entities(struct scene *scene, const struct entity_view *entities,
                                    bool skybox)
{
    size_t models = arrlenu(scene->bsp->models);
    unsigned char *casts = memory_zalloc(models + 1, 1);
    const struct entity *entity = entity_view_world(entities);
    if (entity)
        read_model(scene, entity, 0, casts);
    while (entity && (entity = entity_view_next(entities, entity_query_models, entity))) {
        int64_t model = entity_model_number(entity, models);
        if (model >= 0)
            read_model(scene, entity, (size_t)model, casts);
    }
    if (skybox)
        read_sky_cameras(scene, entities);
    return casts;
}

static bool leaf_has_sky(const struct bsp *bsp, const struct bsp_leaf *leaf)
{
    for (int i = 0; i < leaf->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[bsp->leaf_faces[leaf->first_face + i]];
        if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & (SURFACE_SKY | SURFACE_SKY2D))
            return true;
    }
    return false;
}

static unsigned char *sky_leaves(const struct bsp *bsp)
{
    unsigned char *sky = memory_zalloc(arrlenu(bsp->leaves) + 1, 1);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        sky[i] = leaf_has_sky(bsp, &bsp->leaves[i]);
    return sky;
}

static void find_sky_clusters(struct scene *scene, const unsigned char *sky_leaf)
{
    const struct bsp *bsp = scene->bsp;
    scene->clusters = bsp_vis_clusters(bsp);
    scene->sealed = scene->clusters > 0;
    size_t bytes = ((size_t)scene->clusters + 7) / 8;
    scene->sky_clusters = memory_zalloc((size_t)scene->clusters + 1, 1);
    unsigned char *sky = memory_zalloc(bytes + 1, 1), *row = memory_zalloc(bytes + 1, 1);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        int cluster = bsp->leaves[i].cluster;
        if (cluster >= 0 && cluster < scene->clusters && sky_leaf[i])
            sky[cluster / 8] |= (unsigned char)(1u << cluster % 8);
    }
    for (int c = 0; c < scene->clusters; c++) {
        bsp_vis_row(bsp, c, false, row);
        for (size_t k = 0; k < bytes; k++)
            if (row[k] & sky[k])
                scene->sky_clusters[c] = 1;
    }
    memory_free(sky);
    memory_free(row);
}

/* Classes that the tree of the world does not hold. */
static uint32_t loose_classes(const struct scene *scene)
{
    return TRACE_LOOSE_FACE | (scene->blocking & TRACE_PROP);
}

static uint32_t loose_solids(const struct scene *scene)
{
    return TRACE_LOOSE_SOLID | (scene->blocking & TRACE_PROP);
}

/* Rays from props pass the hull that they start in (see prop_view.h), so there solids and props are
 * classes of their own. The loose class is used only where the tree has the rest. */
static bool build_trace(const struct scene *scene)
{
    const uint32_t masks[] = {TRACE_SOLID,         TRACE_SKY,           TRACE_FACE | TRACE_SKY,
                              TRACE_ALPHA_SHADOW,  TRACE_PROP,          scene->blocking,
                              surface_mask(scene), loose_solids(scene), loose_classes(scene),
                              TRACE_LOOSE_SOLID};
    return trace_build(scene->trace, masks, scene_tree_is_empty(&scene->world) ? 7 : 10);
}

enum status scene_build(const struct env *env, const struct bsp *bsp,
                        const struct entity_view *entities, bool skybox,
                        const struct scene_extras *extras, struct scene *out)
{
    struct scene scene;
    TRY(scene_begin(env, bsp, &scene));
    unsigned char *casts = read_entities(&scene, entities, skybox);
    scene_add_solids(&scene, casts, env, extras->alpha_shadows);
    memory_free(casts);
    if (extras->props)
        prop_shadows_add(extras->props, &scene);
    if (arrlen(scene.prop_triangles))
        scene.blocking |= TRACE_PROP;
    unsigned char *sky = sky_leaves(bsp);
    *out = scene;
    enum status status = scene_finish(env, out, sky);
    memory_free(sky);
    return status;
}

enum status scene_begin(const struct env *env, const struct bsp *bsp, struct scene *out)
{
    size_t models = arrlenu(bsp->models);
    *out = (struct scene){.bsp = bsp, .trace = trace_new(), .blocking = TRACE_SOLID};
    if (!out->trace)
        return diag_report(env->diag, DIAG_INTERNAL, NULL, "cannot initialise Embree");
    leaf_tree_make(bsp, 0, &out->tree);
    out->brush_numbers = memory_alloc((arrlenu(bsp->brushes) + 1) * sizeof(int));
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++)
        out->brush_numbers[i] = -1;
    out->model_origins = memory_zalloc(models + 1, sizeof *out->model_origins);
    out->model_min_light = memory_zalloc(models + 1, sizeof *out->model_min_light);
    return STATUS_OK;
}

/* Lists occluding brushes by leaf. Boxes are rounded outwards to single precision. */
static void list_leaf_brushes(struct scene *scene)
{
    const struct bsp *bsp = scene->bsp;
    size_t leaves = arrlenu(bsp->leaves);
    scene->first_leaf_brush = memory_alloc((leaves + 1) * sizeof *scene->first_leaf_brush);
    for (size_t i = 0; i < leaves; i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        scene->first_leaf_brush[i] = (int)arrlen(scene->leaf_brushes);
        for (int k = 0; k < leaf->brush_count; k++) {
            int number = scene->brush_numbers[bsp->leaf_brushes[leaf->first_brush + k]];
            if (number < 0)
                continue;
            struct scene_leaf_brush entry = {.brush = number};
            const struct bounds *box = &scene->brushes[number].bounds;
            for (int axis = 0; axis < 3; axis++) {
                entry.mins[axis] = (float)box->mins.e[axis];
                entry.maxs[axis] = (float)box->maxs.e[axis];
            }
            arrput(scene->leaf_brushes, entry);
        }
    }
    scene->first_leaf_brush[leaves] = (int)arrlen(scene->leaf_brushes);
}

/* Marks the bounds of triangles that the tree of the world does not hold. */
static void add_loose(struct scene *scene, enum trace_class class)
{
    size_t count;
    const float *positions = trace_positions(scene->trace, class, &count);
    for (size_t i = 0; i < count; i++) {
        struct bounds box = bounds_empty();
        for (size_t k = 0; k < 3; k++)
            bounds_add_point(&box, vec3_from_floats(positions + 9 * i + 3 * k));
        scene_tree_add_loose(&scene->world, &box);
    }
}

enum status scene_finish(const struct env *env, struct scene *scene, const unsigned char *sky_leaf)
{
    find_sky_clusters(scene, sky_leaf);
    list_leaf_brushes(scene);
    add_loose(scene, TRACE_LOOSE_SOLID);
    add_loose(scene, TRACE_LOOSE_FACE);
    add_loose(scene, TRACE_PROP);
    scene_tree_finish(&scene->world);
    if (!build_trace(scene)) {
        scene_free(scene);
        return diag_report(env->diag, DIAG_INTERNAL, NULL, "Embree failed");
    }
    return STATUS_OK;
}

void scene_free(struct scene *scene)
{
    trace_free(scene->trace);
    scene_tree_free(&scene->world);
    alpha_shadows_free(&scene->alpha_shadows);
    leaf_tree_free(&scene->tree);
    arrfree(scene->triangles);
    arrfree(scene->one_sided);
    arrfree(scene->curves);
    arrfree(scene->prop_triangles);
    prop_charts_free(&scene->prop_charts);
    arrfree(scene->brushes);
    arrfree(scene->leaf_brushes);
    memory_free(scene->first_leaf_brush);
    arrfree(scene->planes);
    memory_free(scene->brush_numbers);
    memory_free(scene->model_origins);
    memory_free(scene->model_min_light);
    memory_free(scene->sky_clusters);
    memset(scene, 0, sizeof *scene);
}

static uint32_t blocked16(const struct scene *scene, const struct trace_packet *packet,
                          uint32_t valid, bool coherent)
{
    if (scene_tree_is_empty(&scene->world))
        return trace_occluded16(scene->trace, scene->blocking, packet, valid, coherent);
    struct solid_lanes lanes = scene->world.walks->blocked(&scene->world.solids, packet, valid);
    uint32_t blocked = lanes.met, loose = lanes.loose & ~(lanes.met | lanes.unsure);
    if (lanes.unsure)
        blocked |= trace_occluded16(scene->trace, scene->blocking, packet, lanes.unsure, coherent);
    if (loose)
        blocked |= trace_occluded16(scene->trace, loose_solids(scene), packet, loose, coherent);
    return blocked;
}

uint32_t scene_blocked16(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid)
{
    return blocked16(scene, packet, valid, true);
}

/* The sky has few triangles and the solids have many: finding the sky first leaves an occlusion
 * test for the solids before it, which is cheaper than their nearest hit. */
static uint32_t first_is_sky_of_triangles(const struct scene *scene,
                                          const struct trace_packet *packet, uint32_t valid,
                                          bool coherent)
{
    if (!scene->has_sky)
        return valid & ~trace_occluded16(scene->trace, scene->blocking, packet, valid, coherent);
    struct trace_hit hits[TRACE_PACKET];
    trace_closest16(scene->trace, TRACE_SKY, packet, valid, coherent, hits);
    struct trace_packet nearer = *packet;
    uint32_t sky = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (valid >> i & 1 && hits[i].distance >= 0) {
            nearer.far[i] = hits[i].distance;
            sky |= 1u << i;
        }
    }
    uint32_t left = scene->sealed ? sky : valid;
    return left & ~trace_occluded16(scene->trace, scene->blocking, &nearer, left, coherent);
}

static uint32_t first_is_sky(const struct scene *scene, const struct trace_packet *packet,
                             uint32_t valid, bool coherent)
{
    if (scene_tree_is_empty(&scene->world))
        return first_is_sky_of_triangles(scene, packet, valid, coherent);
    struct trace_packet nearer = *packet;
    uint32_t sky, loose, known = scene_tree_sky16(&scene->world, &nearer, valid, &sky, &loose);
    if (sky & loose)
        sky &= ~trace_occluded16(scene->trace, loose_solids(scene), &nearer, sky & loose, coherent);
    if (valid & ~known)
        sky |= first_is_sky_of_triangles(scene, packet, valid & ~known, coherent);
    return sky;
}

struct trace_packet scene_into_skybox(const struct scene *scene, const struct trace_packet *packet)
{
    const struct scene_skybox *room = &scene->skybox;
    struct trace_packet moved = *packet;
    for (int i = 0; i < TRACE_PACKET; i++)
        for (int k = 0; k < 3; k++)
            moved.origin[k][i] =
                (float)(room->origin[k] + (double)packet->origin[k][i] / room->scale);
    return moved;
}

uint32_t scene_sky16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                     bool coherent, int area)
{
    const struct scene_skybox *room = &scene->skybox;
    uint32_t sky = first_is_sky(scene, packet, valid, coherent);
    if (!room->present || area == room->area || !sky)
        return sky;
    struct trace_packet far_away = scene_into_skybox(scene, packet);
    return first_is_sky(scene, &far_away, sky, coherent);
}

struct scene_hit scene_hit_of(const struct scene *scene, const struct trace_packet *packet,
                              int lane, const struct trace_hit *hit, int back)
{
    if (hit->distance < 0)
        return (struct scene_hit){.face = SCENE_SKY, .distance = INFINITY};
    if (hit->class == TRACE_PROP && scene->prop_charts.surfaces)
        return scene_triangle_hit(&scene->prop_charts.surfaces[hit->triangle], packet, lane, hit,
                                  SCENE_BLANK);
    if (hit->class == TRACE_SKY || hit->class == TRACE_PROP)
        return (struct scene_hit){.face = hit->class == TRACE_SKY ? SCENE_SKY : SCENE_BLANK,
                                  .distance = hit->distance};
    return scene_triangle_hit(&scene->triangles[hit->triangle], packet, lane, hit, back);
}

void scene_stop_at_alpha(const struct scene *scene, const struct trace_packet *packet,
                         uint32_t valid, int prop, struct scene_hit hits[TRACE_PACKET])
{
    struct trace_packet nearer = *packet;
    struct trace_hit stops[TRACE_PACKET];
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1 && hits[i].distance < nearer.far[i])
            nearer.far[i] = hits[i].distance;
    uint32_t stopped =
        valid & ~alpha_stochastic_except16(scene, &nearer, valid, false, prop, stops);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(stopped >> i & 1))
            continue;
        const struct alpha_triangle *triangle = &scene->alpha_shadows.triangles[stops[i].triangle];
        hits[i] = scene_triangle_hit(&triangle->surface, packet, i, &stops[i], SCENE_BLANK);
    }
}

static void hit_triangles16(const struct scene *scene, uint32_t mask,
                            const struct trace_packet *packet, uint32_t valid, bool coherent,
                            struct scene_hit hits[TRACE_PACKET])
{
    struct trace_hit found[TRACE_PACKET];
    trace_closest16(scene->trace, mask, packet, valid, coherent, found);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1)
            hits[i] = scene_hit_of(scene, packet, i, &found[i], SCENE_BLANK);
}

/* Hits of what is not in the tree and lies before its hits. */
static void hit_loose16(const struct scene *scene, const struct trace_packet *packet,
                        uint32_t valid, bool coherent, struct scene_hit hits[TRACE_PACKET])
{
    struct trace_packet nearer = *packet;
    struct scene_hit found[TRACE_PACKET];
    for (uint32_t left = valid; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        nearer.far[i] = hits[i].distance;
    }
    hit_triangles16(scene, loose_classes(scene), &nearer, valid, coherent, found);
    for (uint32_t left = valid; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (found[i].distance < hits[i].distance)
            hits[i] = found[i];
    }
}

/* Completes hits where `known` are the lanes that the tree has resolved; `loose` as from the
 * tree. */
static void finish_hits(const struct scene *scene, const struct trace_packet *packet,
                        uint32_t valid, uint32_t known, uint32_t loose, bool coherent,
                        struct scene_hit hits[TRACE_PACKET])
{
    if (loose)
        hit_loose16(scene, packet, loose, coherent, hits);
    if (valid & ~known)
        hit_triangles16(scene, surface_mask(scene), packet, valid & ~known, coherent, hits);
    if (scene->alpha_shadows.triangles)
        scene_stop_at_alpha(scene, packet, valid, -1, hits);
}

void scene_hit16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                 bool coherent, struct scene_hit hits[TRACE_PACKET])
{
    uint32_t known = 0, loose = 0;
    if (!scene_tree_is_empty(&scene->world))
        known = scene_tree_hit16(&scene->world, packet, valid, &loose, hits);
    finish_hits(scene, packet, valid, known, loose, coherent, hits);
}

void scene_hit_pair16(const struct scene *scene, const struct trace_packet packets[2],
                      uint32_t valid, bool coherent, struct scene_hit hits[2 * TRACE_PACKET])
{
    uint32_t known = 0, loose = 0;
    if (!scene_tree_is_empty(&scene->world))
        known = scene_tree_hit_pair16(&scene->world, packets, valid, &loose, hits);
    for (int i = 0; i < 2; i++) {
        int first = i * TRACE_PACKET;
        finish_hits(scene, &packets[i], valid >> first & 0xffff, known >> first & 0xffff,
                    loose >> first & 0xffff, coherent, hits + first);
    }
}

void scene_hit_many(const struct scene *scene, const struct trace_ray *rays, size_t count,
                    bool coherent, struct scene_hit *hits)
{
    struct trace_packet packet = {0};
    struct scene_hit found[TRACE_PACKET];
    for (size_t first = 0; first < count; first += TRACE_PACKET) {
        size_t lanes = count - first < TRACE_PACKET ? count - first : TRACE_PACKET;
        for (size_t i = 0; i < lanes; i++) {
            const struct trace_ray *ray = &rays[first + i];
            for (int k = 0; k < 3; k++) {
                packet.origin[k][i] = ray->origin[k];
                packet.direction[k][i] = ray->direction[k];
            }
            packet.near[i] = ray->near;
            packet.far[i] = ray->far;
        }
        scene_hit16(scene, &packet, (uint32_t)((1u << lanes) - 1), coherent, found);
        memcpy(hits + first, found, lanes * sizeof *hits);
    }
}

uint32_t scene_through_alpha16(const struct scene *scene, const struct trace_packet *packet,
                               uint32_t valid, bool to_sky)
{
    return valid && scene->alpha_shadows.triangles
               ? alpha_stochastic16(scene, packet, valid, to_sky, NULL)
               : valid;
}

bool scene_solid_at(const struct scene *scene, int leaf, struct vec3 point)
{
    const float at[3] = {(float)point.x, (float)point.y, (float)point.z};
    for (int i = scene->first_leaf_brush[leaf]; i < scene->first_leaf_brush[leaf + 1]; i++) {
        const struct scene_leaf_brush *box = &scene->leaf_brushes[i];
        if (at[0] < box->mins[0] || at[0] > box->maxs[0] || at[1] < box->mins[1] ||
            at[1] > box->maxs[1] || at[2] < box->mins[2] || at[2] > box->maxs[2])
            continue;
        const struct scene_brush *brush = &scene->brushes[box->brush];
        bool inside = bounds_contains(&brush->bounds, point);
        for (int k = 0; k < brush->plane_count && inside; k++)
            inside = plane_distance(&scene->planes[brush->first_plane + k], point) < 0;
        if (inside)
            return true;
    }
    return false;
}

bool scene_sees_sky(const struct scene *scene, int cluster)
{
    return cluster < 0 || cluster >= scene->clusters || scene->sky_clusters[cluster];
}
