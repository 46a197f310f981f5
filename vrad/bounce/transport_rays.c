#include "vrad/bounce/bounce_solve.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"

enum { NARROW_LUXELS = 4 };

/* Gain, of 255, that is worth a shadow ray to secondary lights for transport points. */
#define WORTH_A_RAY 1

bool transport_face_is_narrow(const struct face_light *light)
{
    return light->width <= NARROW_LUXELS || light->height <= NARROW_LUXELS;
}

void transport_rays_init(struct radiosity *radiosity, const struct secondary_lights *secondary,
                         struct culled_lights *views, double spacing, bool inset,
                         struct transport_rays *out)
{
    size_t faces = (size_t)radiosity->map->face_count;
    *out = (struct transport_rays){.radiosity = radiosity,
                                   .secondary = secondary,
                                   .views = views,
                                   .of_face = memory_zalloc(faces + 1, sizeof *out->of_face),
                                   .spacing = spacing,
                                   .inset = inset};
}

void transport_place_face(const struct transport_rays *transport, int face)
{
    const struct face_light *light = &transport->radiosity->map->faces[face];
    struct irradiance_grid *grid = &transport->of_face[face].grid;
    if (light->width <= 0)
        return;
    if (transport->inset)
        irradiance_grid_build_inset(light, transport->spacing, grid);
    else
        irradiance_grid_build(light, transport->spacing, grid);
}

static void place_face(void *context, size_t face, int thread)
{
    (void)thread;
    transport_place_face(context, (int)face);
}

void transport_rays_place(const struct env *env, struct transport_rays *transport)
{
    size_t faces = (size_t)transport->radiosity->map->face_count;
    parallel_for(env->threads, faces, place_face, transport);
    for (size_t i = 0; i < faces; i++)
        transport->points += irradiance_grid_points(&transport->of_face[i].grid);
}

const struct culled_lights *transport_view(const struct transport_rays *transport, int face)
{
    struct culled_lights *view = &transport->views[face];
    if (!view->secondary)
        culled_lights_of_face(transport->secondary, face, view);
    return view;
}

static void trace_points(const struct transport_rays *transport, int face,
                         struct face_transport *traced)
{
    const struct face_light *light = &transport->radiosity->map->faces[face];
    const struct culled_lights *view = transport_view(transport, face);
    struct light_cells cells;
    int total = irradiance_grid_points(&traced->grid);
    double finer = (double)GATHER_PARTS / transport->table->rays; /* like the rays of a small map */
    light_cells_open(view, face, &cells);
    for (int first = 0; first < total; first += GATHER_POINTS) {
        struct gather_point points[GATHER_POINTS];
        int count = total - first < GATHER_POINTS ? total - first : GATHER_POINTS;
        for (int i = 0; i < count; i++) {
            int luxel = irradiance_grid_luxel(light, &traced->grid, first + i);
            points[i] = gather_point_at(transport->radiosity, face, luxel, view);
            points[i].slots = 1;
            points[i].min = portable_fmax(points[i].min, WORTH_A_RAY) * finer;
            traced->secondary_rays += gather_secondary(&points[i], light_cells_at(&cells, luxel),
                                                       traced->secondary + 3 * (size_t)(first + i));
        }
        gather_trace(transport->radiosity, transport->table, points, count,
                     traced->seen + (size_t)first * (size_t)transport->table->rays);
    }
    light_cells_free(&cells);
}

static void trace_face(void *context, size_t face, int thread)
{
    (void)thread;
    const struct transport_rays *transport = context;
    struct face_transport *traced = &transport->of_face[face];
    size_t points = (size_t)irradiance_grid_points(&traced->grid);
    if (!points)
        return;
    traced->seen = memory_alloc(points * (size_t)transport->table->rays * sizeof *traced->seen);
    traced->secondary = memory_zalloc(points * 3, sizeof *traced->secondary);
    trace_points(transport, (int)face, traced);
}

/* A ranks_pack. The hits stay with the rank that goes on with them. */
static void pack_face(void *context, size_t face, struct bytes *out)
{
    const struct transport_rays *transport = context;
    bytes_u64(out, (uint64_t)transport->of_face[face].secondary_rays);
}

/* A ranks_unpack. */
static void unpack_face(void *context, size_t face, struct byte_reader *from)
{
    struct transport_rays *transport = context;
    transport->of_face[face].secondary_rays = rank_count(from);
}

static size_t rays_of(const struct transport_rays *transport, size_t face)
{
    return (size_t)irradiance_grid_points(&transport->of_face[face].grid) *
           (size_t)transport->table->rays;
}

/* For another run, with the hits. */
static void keep_face(void *context, size_t face, struct bytes *out)
{
    const struct transport_rays *transport = context;
    const struct face_transport *traced = &transport->of_face[face];
    const size_t points = (size_t)irradiance_grid_points(&traced->grid);
    pack_face(context, face, out);
    bytes_append(out, traced->seen, rays_of(transport, face) * sizeof *traced->seen);
    bytes_append(out, traced->secondary, 3 * points * sizeof *traced->secondary);
}

static bool is_seen(const struct transport_rays *transport, uint32_t seen)
{
    size_t luxel = seen & ~GATHER_CLAMPED;
    return seen & GATHER_CLAMPED ? luxel < radiosity_count(transport->radiosity) &&
                                       secondary_is_marked(transport->secondary, luxel)
                                 : luxel < radiosity_count(transport->radiosity);
}

static void take_face(void *context, size_t face, struct byte_reader *from)
{
    struct transport_rays *transport = context;
    struct face_transport *traced = &transport->of_face[face];
    const size_t points = (size_t)irradiance_grid_points(&traced->grid);
    const size_t rays = rays_of(transport, face);
    unpack_face(context, face, from);
    if (!points || !rank_has(from, rays, sizeof *traced->seen))
        return;
    traced->seen = memory_alloc(rays * sizeof *traced->seen);
    traced->secondary = memory_alloc(3 * points * sizeof *traced->secondary);
    read_into(from, traced->seen, rays * sizeof *traced->seen);
    rank_floats(from, traced->secondary, 3 * points);
    for (size_t i = 0; i < rays && !from->failed; i++)
        from->failed = !is_seen(transport, traced->seen[i]);
    if (!from->failed)
        return;
    memory_free(traced->seen);
    memory_free(traced->secondary);
    traced->seen = NULL;
    traced->secondary = NULL;
}

void transport_rays_trace(const struct env *env, struct transport_rays *transport,
                          const struct gather_table *table)
{
    transport->table = table;
    env_loop(env, &(struct ranks_loop){.count = (size_t)transport->radiosity->map->face_count,
                                       .item = trace_face,
                                       .context = transport,
                                       .pack = pack_face,
                                       .unpack = unpack_face,
                                       .keep = keep_face,
                                       .take = take_face});
}

void transport_rays_free(struct transport_rays *transport)
{
    for (int i = 0; i < transport->radiosity->map->face_count; i++) {
        struct face_transport *traced = &transport->of_face[i];
        memory_free(traced->seen);
        memory_free(traced->secondary);
    }
    memory_free(transport->of_face);
    *transport = (struct transport_rays){0};
}
