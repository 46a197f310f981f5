#include "vrad/reference/emitters.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"

struct maker {
    const struct scene *scene;
    const struct luxel_map *map;
    bool *in_scene; /* one per face */
    struct emitters *out;
};

static void add_triangle(struct maker *maker, struct emitter *emitter, struct vec3 a, struct vec3 b,
                         struct vec3 c)
{
    struct vec3 across = vec3_cross(vec3_sub(c, a), vec3_sub(b, a));
    double twice = vec3_length(across);
    if (!(twice > 0))
        return;
    emitter->area += twice / 2;
    emitter->count++;
    bounds_add_point(&emitter->bounds, a);
    bounds_add_point(&emitter->bounds, b);
    bounds_add_point(&emitter->bounds, c);
    struct emitter_triangle triangle = {.corners = {a, b, c},
                                        .normal = vec3_scale(across, 1 / twice),
                                        .area_so_far = emitter->area};
    arrput(maker->out->triangles, triangle);
}

static int model_of_face(const struct bsp *bsp, int face)
{
    for (int i = 0; i < (int)arrlen(bsp->models); i++)
        if (face >= bsp->models[i].first_face &&
            face < bsp->models[i].first_face + bsp->models[i].face_count)
            return i;
    return 0;
}

static void add_polygon(struct maker *maker, struct emitter *emitter, struct vec3 normal)
{
    const struct bsp *bsp = maker->scene->bsp;
    const struct bsp_face *face = &bsp->faces[emitter->face];
    struct vec3 offset = maker->scene->model_origins[model_of_face(bsp, emitter->face)];
    struct vec3 first = vec3(0, 0, 0), last = first;
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 point = vec3_add(bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)), offset);
        if (i == 0)
            first = point;
        else if (i > 1)
            add_triangle(maker, emitter, first, last, point);
        last = point;
    }
    for (int i = emitter->first; i < emitter->first + emitter->count; i++)
        maker->out->triangles[i].normal = normal;
}

static void add_mesh(struct maker *maker, struct emitter *emitter, const struct disp_mesh *mesh)
{
    int corners[3];
    for (int i = 0; i < disp_mesh_triangles(mesh); i++) {
        disp_mesh_triangle(mesh, i, corners);
        add_triangle(maker, emitter, mesh->points[corners[0]], mesh->points[corners[1]],
                     mesh->points[corners[2]]);
    }
}

static void add_displacement(struct maker *maker, struct emitter *emitter)
{
    const struct bsp *bsp = maker->scene->bsp;
    struct arena arena = {0};
    struct disp_mesh mesh;
    if (disp_mesh_build(bsp, &bsp->faces[emitter->face], &arena, &mesh))
        add_mesh(maker, emitter, &mesh);
    arena_free(&arena);
}

/* Adds the emitter of the light's face, unless it has one. */
static void find_emitter(struct maker *maker, const struct light *light)
{
    struct emitters *out = maker->out;
    const bool is_flat = maker->scene->bsp->faces[light->face].dispinfo < 0;
    if (out->of_face[light->face] >= 0)
        return;
    struct emitter emitter = {.face = light->face,
                              .first = (int)arrlen(out->triangles),
                              .bounds = bounds_empty(),
                              .is_hit = is_flat && maker->in_scene[light->face]};
    if (is_flat)
        add_polygon(maker, &emitter, light->normal);
    else
        add_displacement(maker, &emitter);
    out->any_unhit |= !emitter.is_hit && emitter.area > 0;
    out->of_face[light->face] = (int)arrlen(out->list);
    arrput(out->list, emitter);
}

/* The light E of a patch of area A is I cos cos / d^2, which is that of a radiosity of PI I / A:
 * the patches of a face share one. */
static void add_light(struct maker *maker, const struct light *light, bool *replaces)
{
    find_emitter(maker, light);
    struct emitter *emitter = &maker->out->list[maker->out->of_face[light->face]];
    *replaces = emitter->area > 0;
    for (int k = 0; k < 3 && *replaces; k++)
        emitter->radiosity[k] += PI * light->intensity.e[k] / emitter->area;
}

void emitters_make(const struct scene *scene, const struct light_set *lights,
                   const struct luxel_map *map, struct emitters *out)
{
    size_t faces = (size_t)map->face_count, count = arrlenu(lights->lights);
    struct maker maker = {.scene = scene, .map = map, .out = out};
    *out = (struct emitters){.of_face = memory_alloc((faces + 1) * sizeof(int)),
                             .replaces = memory_zalloc(count + 1, sizeof(bool))};
    maker.in_scene = memory_zalloc(faces + 1, sizeof(bool));
    for (size_t i = 0; i < faces; i++)
        out->of_face[i] = -1;
    for (ptrdiff_t i = 0; i < arrlen(scene->triangles); i++)
        if (scene->triangles[i].face >= 0 && scene->triangles[i].face < map->face_count)
            maker.in_scene[scene->triangles[i].face] = true;
    for (size_t i = 0; i < count; i++) {
        const struct light *light = &lights->lights[i];
        if (light->type == WORLDLIGHT_SURFACE && light->style == 0 && light->face >= 0 &&
            light->face < map->face_count)
            add_light(&maker, light, &out->replaces[i]);
    }
    memory_free(maker.in_scene);
}

void emitters_free(struct emitters *emitters)
{
    arrfree(emitters->list);
    arrfree(emitters->triangles);
    memory_free(emitters->of_face);
    memory_free(emitters->replaces);
    *emitters = (struct emitters){0};
}

/* ---- samples ---- */

/* Its power over the square of its distance, at least that of its size. */
static double weight_of(const struct emitter *emitter, struct vec3 start)
{
    if (emitter->is_hit || !(emitter->area > 0))
        return 0;
    struct vec3 away = vec3_sub(bounds_center(&emitter->bounds), start);
    double power = emitter->radiosity[0] + emitter->radiosity[1] + emitter->radiosity[2];
    return power * emitter->area / (vec3_dot(away, away) + emitter->area);
}

static struct vec3 point_of(const struct emitter_triangle *triangle, double u, double v)
{
    double root = sqrt(u);
    struct vec3 point = vec3_scale(triangle->corners[0], 1 - root);
    point = vec3_mad(point, triangle->corners[1], root * (1 - v));
    return vec3_mad(point, triangle->corners[2], root * v);
}

static void sample_point(const struct emitters *emitters, const struct emitter *emitter,
                         struct vec3 start, const double random[3], double probability,
                         struct emitter_sample *out)
{
    int at = emitter->first, last = at + emitter->count - 1;
    while (at < last && emitters->triangles[at].area_so_far < random[0] * emitter->area)
        at++;
    const struct emitter_triangle *triangle = &emitters->triangles[at];
    struct vec3 way = vec3_sub(point_of(triangle, random[1], random[2]), start);
    double distance = vec3_length(way), facing = -vec3_dot(way, triangle->normal);
    if (!(distance > 0 && facing > 0))
        return;
    out->emitter = emitter;
    out->direction = vec3_scale(way, 1 / distance);
    out->way = vec3_scale(way, portable_fmax(1 - LIGHT_GAP / distance, 0));
    out->scale = facing / distance / (distance * distance) * emitter->area / PI / probability;
}

void emitters_sample(const struct emitters *emitters, struct vec3 start, const double random[3],
                     struct emitter_sample *out)
{
    double total = 0, sum = 0;
    const struct emitter *chosen = NULL;
    *out = (struct emitter_sample){0};
    for (ptrdiff_t i = 0; i < arrlen(emitters->list); i++)
        total += weight_of(&emitters->list[i], start);
    if (!(total > 0))
        return;
    double wanted = random[0] * total, weight = 0;
    for (ptrdiff_t i = 0; i < arrlen(emitters->list) && (!chosen || sum <= wanted); i++) {
        double next = weight_of(&emitters->list[i], start);
        if (!(next > 0))
            continue;
        chosen = &emitters->list[i];
        weight = next;
        sum += next;
    }
    /* The rest of the number within its interval is random again. */
    double rest = (wanted - (sum - weight)) / weight;
    const double inside[3] = {portable_fmin(portable_fmax(rest, 0), 1), random[1], random[2]};
    sample_point(emitters, chosen, start, inside, weight / total, out);
}
