#include "common/trace/trace.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/trace/failing_new.h"
#include "common/trace/triangle.h"

#if BRUSHWORK_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

enum { MASKS = 1 << TRACE_CLASSES };

/* Less than this is no memory to work with. */
#define SPARE ((size_t)64 << 20)

/* Share of the largest coordinate by which the bounds of triangles are larger for the ray library
 * than they are: more than its numbers of 24 bits are off. */
#define MARGIN_SHARE 0x1p-17

struct class_mesh {
    float *positions;              /* stb_ds array; 9 per triangle */
    uint32_t *user;                /* stb_ds array; one per triangle */
    double margin;                 /* of the bounds */
    struct triangle_shape *shapes; /* one per triangle, once built */
};

struct trace_scene {
    RTCDevice device;
    RTCScene scenes[MASKS]; /* by mask; NULL unless built */
    struct class_mesh classes[TRACE_CLASSES];
};

SIMD_TABLES(triangle_tests)

/* ---- memory ---- */

/* Counts what Embree allocates. */
static bool count_memory(void *context, ssize_t bytes, bool is_done)
{
    (void)context, (void)is_done;
    memory_count(bytes);
    return true;
}

_Noreturn static void end_without_memory(void)
{
    memory_refused(0);
}

static bool succeeded(RTCDevice device)
{
    enum RTCError error = rtcGetDeviceError(device);
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        memory_refused(0);
    /* A thread or a mapping that it cannot have is an unknown error. */
    if (error != RTC_ERROR_NONE)
        memory_require(SPARE);
    return error == RTC_ERROR_NONE;
}

#define DEVICE "threads=1,set_affinity=0"

/* The library chooses its code by processor, unless the level is capped. */
static const char *device_config(void)
{
    static const char *const capped[SIMD_LEVELS] = {DEVICE ",isa=sse2", DEVICE ",isa=avx2", DEVICE};
    return simd_is_capped() ? capped[simd_best()] : DEVICE;
}

struct trace_scene *trace_new(void)
{
    failing_new_ends(end_without_memory);
    RTCDevice device = rtcNewDevice(device_config());
    if (!device)
        (void)succeeded(NULL);
    if (!device)
        return NULL;
    rtcSetDeviceMemoryMonitorFunction(device, count_memory, NULL);
    struct trace_scene *scene = memory_zalloc(1, sizeof *scene);
    scene->device = device;
    return scene;
}

void trace_free(struct trace_scene *scene)
{
    if (!scene)
        return;
    for (int mask = 0; mask < MASKS; mask++)
        if (scene->scenes[mask])
            rtcReleaseScene(scene->scenes[mask]);
    for (int i = 0; i < TRACE_CLASSES; i++) {
        arrfree(scene->classes[i].positions);
        arrfree(scene->classes[i].user);
        memory_free(scene->classes[i].shapes);
    }
    rtcReleaseDevice(scene->device);
    memory_free(scene);
}

static int class_index(uint32_t class)
{
    int index = 0;
    while (class > 1u << index)
        index++;
    return index;
}

void trace_add(struct trace_scene *scene, enum trace_class class, const float *positions,
               const uint32_t *user, size_t count)
{
    if (count == 0)
        return;
    struct class_mesh *mesh = &scene->classes[class_index(class)];
    size_t first = arrlenu(mesh->user), floats = 9 * count;
    memcpy(arraddnptr(mesh->positions, floats), positions, floats * sizeof(float));
    uint32_t *numbers = arraddnptr(mesh->user, count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = user ? user[i] : (uint32_t)(first + i);
}

const float *trace_positions(const struct trace_scene *scene, enum trace_class class, size_t *count)
{
    const struct class_mesh *mesh = &scene->classes[class_index(class)];
    *count = arrlenu(mesh->user);
    return mesh->positions;
}

/* ---- queries ----
 *
 * The ray library names the triangles whose bounds a ray meets; whether it meets the triangle is
 * computed here. The library chooses its code by processor, and each release may round otherwise:
 * bounds have a margin for that, so that no triangle is missed, and results are the same. */

#if BRUSHWORK_EMBREE >= 4
typedef struct RTCRayQueryContext library_context;
#else
typedef struct RTCIntersectContext library_context;
#endif

/* The library asks about 1 to 16 rays at a time, member by member: so many before these. */
enum { RAY_FAR = 8, RAY_ID = 10 };

static unsigned ray_id(const void *rays, unsigned count, unsigned ray)
{
    return ((const unsigned *)rays)[RAY_ID * count + ray] % TRACE_PACKET;
}

static void set_ray_far(void *rays, unsigned count, unsigned ray, float far)
{
    ((float *)rays)[RAY_FAR * count + ray] = far;
}

/* The next float after a distance, which is at least 0, or -0. */
static float float_after(double distance)
{
    float near = distance > 0 ? (float)distance : 0;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    bits += near < INFINITY;
    memcpy(&near, &bits, sizeof near);
    return near;
}

/* A packet while it is traced. Lanes are known by the numbers of their rays. */
struct query {
    library_context context; /* first: the library passes it on */
    const struct triangle_tests *tests;
    uint32_t blocked; /* lanes of trace_occluded16 */
    uint32_t hit;     /* lanes of trace_closest16, with the nearest hit so far: */
    unsigned class[TRACE_PACKET], triangle[TRACE_PACKET];
    struct triangle_hits hits;
    struct triangle_rays rays; /* `far` is that of the nearest hit */
};

static const unsigned lane_bits[TRACE_PACKET] = {
    1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
};

/* Returns the lanes of the packet that the library asks about: mostly they are in order, which a
 * loop without branches finds. */
static uint32_t asked_lanes(const int *valid, const void *rays, unsigned count)
{
    const unsigned *ids = (const unsigned *)rays + (size_t)RAY_ID * count;
    unsigned first = ids[0], other = first & ~(TRACE_PACKET - 1u), places = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned asked = (unsigned)valid[i];
        other |= asked & (ids[i] ^ (first + i));
        places |= asked & lane_bits[i];
    }
    if (!other)
        return places << first;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < count; i++)
        lanes |= (uint32_t)(valid[i] & 1) << ray_id(rays, count, i);
    return lanes;
}

/* Returns the place of a lane among the rays that the library asks about: mostly they are in order.
 * The numbers of those that are not valid may be anything. */
static unsigned place_of(const int *valid, const void *rays, unsigned count, unsigned lane)
{
    unsigned place = lane - ray_id(rays, count, 0);
    if (place < count && valid[place] && ray_id(rays, count, place) == lane)
        return place;
    for (place = 0; !valid[place] || ray_id(rays, count, place) != lane;)
        place++;
    return place;
}

static bool comes_before(const struct query *query, unsigned lane, unsigned class,
                         unsigned triangle)
{
    if (query->class[lane] != class)
        return class < query->class[lane];
    return triangle < query->triangle[lane];
}

static void keep_hit(struct query *query, const struct triangle_hits *hits, unsigned lane,
                     unsigned class, unsigned triangle)
{
    bool has_hit = query->hit >> lane & 1;
    if (has_hit && hits->distance[lane] == query->hits.distance[lane] &&
        !comes_before(query, lane, class, triangle))
        return;
    query->hit |= 1u << lane;
    query->class[lane] = class;
    query->triangle[lane] = triangle;
    query->hits.distance[lane] = query->rays.far[lane] = hits->distance[lane];
    query->rays.floats.far[lane] = float_after(hits->distance[lane]);
}

static void intersect_triangle(const struct RTCIntersectFunctionNArguments *call)
{
    struct query *query = (struct query *)(void *)call->context;
    const struct class_mesh *mesh = call->geometryUserPtr;
    void *rays = call->rayhit; /* begins with the rays */
    struct triangle_hits hits;
    uint32_t met = query->tests->closest(mesh->positions + (size_t)9 * call->primID,
                                         &mesh->shapes[call->primID], &query->rays,
                                         asked_lanes(call->valid, rays, call->N), &hits);
    for (; met; met &= met - 1) {
        unsigned lane = (unsigned)__builtin_ctz(met);
        keep_hit(query, &hits, lane, call->geomID, call->primID);
        set_ray_far(rays, call->N, place_of(call->valid, rays, call->N, lane),
                    query->rays.floats.far[lane]);
    }
}

static void block_by_triangle(const struct RTCOccludedFunctionNArguments *call)
{
    struct query *query = (struct query *)(void *)call->context;
    const struct class_mesh *mesh = call->geometryUserPtr;
    uint32_t met = query->tests->blocked(mesh->positions + (size_t)9 * call->primID,
                                         &mesh->shapes[call->primID], &query->rays,
                                         asked_lanes(call->valid, call->ray, call->N));
    query->blocked |= met;
    for (; met; met &= met - 1)
        set_ray_far(call->ray, call->N,
                    place_of(call->valid, call->ray, call->N, (unsigned)__builtin_ctz(met)),
                    -INFINITY);
}

/* ---- building ---- */

static void bound_triangle(const struct RTCBoundsFunctionArguments *call)
{
    const struct class_mesh *mesh = call->geometryUserPtr;
    const float *a = mesh->positions + (size_t)9 * call->primID, *b = a + 3, *c = a + 6;
    float margin = (float)mesh->margin;
    float *const low = &call->bounds_o->lower_x, *const high = &call->bounds_o->upper_x;
    for (int k = 0; k < 3; k++) {
        low[k] = portable_fminf(a[k], portable_fminf(b[k], c[k])) - margin;
        high[k] = portable_fmaxf(a[k], portable_fmaxf(b[k], c[k])) + margin;
    }
}

static double margin_of(const struct trace_scene *scene)
{
    float largest = 1;
    for (int i = 0; i < TRACE_CLASSES; i++)
        for (size_t k = 0; k < arrlenu(scene->classes[i].positions); k++)
            largest = portable_fmaxf(largest, fabsf(scene->classes[i].positions[k]));
    return (double)largest * MARGIN_SHARE;
}

/* Hits may be half as far outside of the bounds as these are larger for the ray library. */
static void make_shapes(struct class_mesh *mesh)
{
    size_t count = arrlenu(mesh->user);
    mesh->shapes = memory_alloc(count * sizeof *mesh->shapes);
    for (size_t i = 0; i < count; i++)
        triangle_shape_make(mesh->positions + 9 * i, mesh->margin / 2, &mesh->shapes[i]);
}

static RTCGeometry build_geometry(RTCDevice device, struct class_mesh *mesh)
{
    make_shapes(mesh);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, (unsigned)arrlenu(mesh->user));
    rtcSetGeometryUserData(geometry, mesh);
    rtcSetGeometryBoundsFunction(geometry, bound_triangle, NULL);
    rtcSetGeometryIntersectFunction(geometry, intersect_triangle);
    rtcSetGeometryOccludedFunction(geometry, block_by_triangle);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
    rtcCommitGeometry(geometry);
    return geometry;
}

static RTCScene build_scene(RTCDevice device, const RTCGeometry geometries[TRACE_CLASSES],
                            uint32_t mask)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
    /* Light must not leak where two triangles of a side meet. */
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    for (int i = 0; i < TRACE_CLASSES; i++)
        if (geometries[i] && mask >> i & 1)
            rtcAttachGeometryByID(scene, geometries[i], (unsigned)i);
    rtcCommitScene(scene);
    return scene;
}

bool trace_build(struct trace_scene *scene, const uint32_t *masks, size_t mask_count)
{
    RTCGeometry geometries[TRACE_CLASSES] = {0};
    double margin = margin_of(scene);
    for (int i = 0; i < TRACE_CLASSES; i++)
        scene->classes[i].margin = margin;
    for (int i = 0; i < TRACE_CLASSES; i++)
        if (arrlenu(scene->classes[i].user) > 0)
            geometries[i] = build_geometry(scene->device, &scene->classes[i]);
    for (size_t i = 0; i < mask_count; i++) {
        RTCScene *built = &scene->scenes[masks[i] & (MASKS - 1)];
        if (!*built)
            *built = build_scene(scene->device, geometries, masks[i]);
    }
    for (int i = 0; i < TRACE_CLASSES; i++)
        if (geometries[i])
            rtcReleaseGeometry(geometries[i]);
    return succeeded(scene->device);
}

/* The two versions differ in how flags are passed to a query. */
#if BRUSHWORK_EMBREE >= 4
static void occluded16(const int *valid, RTCScene scene, struct query *query, struct RTCRay16 *rays,
                       bool coherent)
{
    struct RTCOccludedArguments arguments;
    rtcInitOccludedArguments(&arguments);
    rtcInitRayQueryContext(&query->context);
    arguments.context = &query->context;
    arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    rtcOccluded16(valid, scene, rays, &arguments);
}

static void intersect16(const int *valid, RTCScene scene, struct query *query,
                        struct RTCRayHit16 *rays, bool coherent)
{
    struct RTCIntersectArguments arguments;
    rtcInitIntersectArguments(&arguments);
    rtcInitRayQueryContext(&query->context);
    arguments.context = &query->context;
    arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    rtcIntersect16(valid, scene, rays, &arguments);
}
#else
static void set_flags(struct query *query, bool coherent)
{
    rtcInitIntersectContext(&query->context);
    query->context.flags =
        coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
}

static void occluded16(const int *valid, RTCScene scene, struct query *query, struct RTCRay16 *rays,
                       bool coherent)
{
    set_flags(query, coherent);
    rtcOccluded16(valid, scene, &query->context, rays);
}

static void intersect16(const int *valid, RTCScene scene, struct query *query,
                        struct RTCRayHit16 *rays, bool coherent)
{
    set_flags(query, coherent);
    rtcIntersect16(valid, scene, &query->context, rays);
}
#endif

/* Larger numbers are not from a map; the ray library aborts on them. */
#define SOUND_LIMIT 1e18f

/* Returns the lanes of `valid` with finite rays. The loop is without branches. */
static uint32_t load_lanes(int lanes[TRACE_PACKET], const struct trace_packet *p, uint32_t valid)
{
    uint32_t all = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        float sum = fabsf(p->origin[0][i]) + fabsf(p->origin[1][i]) + fabsf(p->origin[2][i]) +
                    fabsf(p->direction[0][i]) + fabsf(p->direction[1][i]) +
                    fabsf(p->direction[2][i]) + fabsf(p->near[i]);
        int sound = -(sum < SOUND_LIMIT) & -(p->near[i] >= 0) & -(p->far[i] > p->near[i]) &
                    -((valid & lane_bits[i]) != 0);
        lanes[i] = sound;
        all |= (unsigned)sound & lane_bits[i];
    }
    return all;
}

/* The library looks at all lanes, and aborts on some numbers: a lane that is not valid gets a ray
 * without length. */
static void clear_lanes(struct RTCRay16 *rays, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        rays->org_x[i] = rays->org_y[i] = rays->org_z[i] = rays->tnear[i] = rays->tfar[i] = 0;
        rays->dir_x[i] = rays->dir_y[i] = rays->dir_z[i] = 1;
    }
}

static void load_rays(struct RTCRay16 *rays, const struct trace_packet *packet, uint32_t valid)
{
    memcpy(rays->org_x, packet->origin[0], sizeof rays->org_x);
    memcpy(rays->org_y, packet->origin[1], sizeof rays->org_y);
    memcpy(rays->org_z, packet->origin[2], sizeof rays->org_z);
    memcpy(rays->tnear, packet->near, sizeof rays->tnear);
    memcpy(rays->dir_x, packet->direction[0], sizeof rays->dir_x);
    memcpy(rays->dir_y, packet->direction[1], sizeof rays->dir_y);
    memcpy(rays->dir_z, packet->direction[2], sizeof rays->dir_z);
    memcpy(rays->tfar, packet->far, sizeof rays->tfar);
    clear_lanes(rays, ~valid & ((1u << TRACE_PACKET) - 1));
    memset(rays->time, 0, sizeof rays->time);
    memset(rays->mask, 0xff, sizeof rays->mask);
    memset(rays->flags, 0, sizeof rays->flags);
    for (unsigned i = 0; i < TRACE_PACKET; i++)
        rays->id[i] = i;
}

static void begin_query(struct query *query, const struct trace_packet *packet)
{
    query->tests = triangle_tests_of(simd_best());
    query->blocked = query->hit = 0;
    triangle_rays_load(packet, &query->rays);
}

uint32_t trace_occluded16(const struct trace_scene *scene, uint32_t mask,
                          const struct trace_packet *packet, uint32_t valid, bool coherent)
{
    _Alignas(64) int lanes[TRACE_PACKET];
    struct RTCRayHit16 rays; /* Embree 4 without AVX-512 writes hits behind the rays here too */
    struct query query;
    valid = load_lanes(lanes, packet, valid);
    if (!valid)
        return 0;
    load_rays(&rays.ray, packet, valid);
    begin_query(&query, packet);
    occluded16(lanes, scene->scenes[mask], &query, &rays.ray, coherent);
    return query.blocked & valid;
}

static void read_hits(const struct trace_scene *scene, const struct query *query, uint32_t valid,
                      struct trace_hit hits[TRACE_PACKET])
{
    const float *corners[TRACE_PACKET];
    struct triangle_weights weights;
    for (uint32_t left = query->hit; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        corners[i] = scene->classes[query->class[i]].positions + (size_t)9 * query->triangle[i];
    }
    query->tests->weigh(corners, &query->rays, query->hit, &weights);
    for (uint32_t left = valid; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        hits[i] = (struct trace_hit){.distance = -1};
        if (!(query->hit >> i & 1))
            continue;
        hits[i].distance = (float)query->hits.distance[i];
        hits[i].u = (float)weights.u[i];
        hits[i].v = (float)weights.v[i];
        hits[i].triangle = scene->classes[query->class[i]].user[query->triangle[i]];
        hits[i].class = 1u << query->class[i];
    }
}

void trace_closest16(const struct trace_scene *scene, uint32_t mask,
                     const struct trace_packet *packet, uint32_t valid, bool coherent,
                     struct trace_hit hits[TRACE_PACKET])
{
    _Alignas(64) int lanes[TRACE_PACKET];
    struct RTCRayHit16 rays;
    struct query query;
    uint32_t sound = load_lanes(lanes, packet, valid);
    load_rays(&rays.ray, packet, sound);
    memset(rays.hit.geomID, 0xff, sizeof rays.hit.geomID);
    memset(rays.hit.instID, 0xff, sizeof rays.hit.instID);
    begin_query(&query, packet);
    if (sound)
        intersect16(lanes, scene->scenes[mask], &query, &rays, coherent);
    read_hits(scene, &query, valid, hits);
}

static uint32_t pack(struct trace_packet *packet, const struct trace_ray *rays, size_t count)
{
    size_t lanes = count < TRACE_PACKET ? count : TRACE_PACKET;
    for (size_t i = 0; i < lanes; i++) {
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = rays[i].origin[k];
            packet->direction[k][i] = rays[i].direction[k];
        }
        packet->near[i] = rays[i].near;
        packet->far[i] = rays[i].far;
    }
    return (uint32_t)((1u << lanes) - 1);
}

void trace_occluded_many(const struct trace_scene *scene, uint32_t mask,
                         const struct trace_ray *rays, size_t count, bool coherent,
                         uint8_t *occluded)
{
    struct trace_packet packet = {0};
    for (size_t first = 0; first < count; first += TRACE_PACKET) {
        uint32_t valid = pack(&packet, rays + first, count - first);
        uint32_t blocked = trace_occluded16(scene, mask, &packet, valid, coherent);
        for (size_t i = 0; valid >> i & 1; i++)
            occluded[first + i] = blocked >> i & 1;
    }
}

void trace_closest_many(const struct trace_scene *scene, uint32_t mask,
                        const struct trace_ray *rays, size_t count, bool coherent,
                        struct trace_hit *hits)
{
    struct trace_packet packet = {0};
    struct trace_hit found[TRACE_PACKET];
    for (size_t first = 0; first < count; first += TRACE_PACKET) {
        uint32_t valid = pack(&packet, rays + first, count - first);
        trace_closest16(scene, mask, &packet, valid, coherent, found);
        for (size_t i = 0; valid >> i & 1; i++)
            hits[first + i] = found[i];
    }
}

bool trace_occluded(const struct trace_scene *scene, uint32_t mask, const struct trace_ray *ray)
{
    uint8_t occluded;
    trace_occluded_many(scene, mask, ray, 1, false, &occluded);
    return occluded;
}

struct trace_hit trace_closest(const struct trace_scene *scene, uint32_t mask,
                               const struct trace_ray *ray)
{
    struct trace_hit hit;
    trace_closest_many(scene, mask, ray, 1, false, &hit);
    return hit;
}
