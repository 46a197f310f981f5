/* for RTLD_DEFAULT */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/trace/trace.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "common/core/array.h"

#if BRUSHWORK_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

enum { MASKS = 1 << TRACE_CLASSES };

/* Less than this is no memory to work with. */
#define SPARE ((size_t)64 << 20)

struct class_mesh {
    float *positions; /* stb_ds array; 9 per triangle */
    uint32_t *user;   /* stb_ds array; one per triangle */
};

struct trace_scene {
    RTCDevice device;
    RTCScene scenes[MASKS]; /* by mask; NULL unless built */
    struct class_mesh classes[TRACE_CLASSES];
};

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

/* Embree is C++, where an allocation that fails in the wrong place aborts the process: the
 * language's own hook is called first. */
static void handle_failing_new(void)
{
    typedef void handler(void);
    handler *(*set_handler)(handler *);
    void *symbol = dlsym(RTLD_DEFAULT, "_ZSt15set_new_handlerPFvvE");
    memcpy(&set_handler, &symbol, sizeof symbol);
    if (symbol)
        (void)set_handler(end_without_memory);
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

struct trace_scene *trace_new(void)
{
    handle_failing_new();
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
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

static RTCGeometry build_geometry(RTCDevice device, const struct class_mesh *mesh)
{
    size_t triangles = arrlenu(mesh->user);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                              RTC_FORMAT_FLOAT3, 3 * sizeof(float), triangles * 3);
    unsigned *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0,
                                                RTC_FORMAT_UINT3, 3 * sizeof(unsigned), triangles);
    if (vertices && indices) {
        memcpy(vertices, mesh->positions, triangles * 9 * sizeof(float));
        for (size_t i = 0; i < triangles * 3; i++)
            indices[i] = (unsigned)i;
    }
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
static void occluded16(const int *valid, RTCScene scene, struct RTCRay16 *rays, bool coherent)
{
    struct RTCOccludedArguments arguments;
    rtcInitOccludedArguments(&arguments);
    arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    rtcOccluded16(valid, scene, rays, &arguments);
}

static void intersect16(const int *valid, RTCScene scene, struct RTCRayHit16 *rays, bool coherent)
{
    struct RTCIntersectArguments arguments;
    rtcInitIntersectArguments(&arguments);
    arguments.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    rtcIntersect16(valid, scene, rays, &arguments);
}
#else
static struct RTCIntersectContext query_context(bool coherent)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags =
        coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    return context;
}

static void occluded16(const int *valid, RTCScene scene, struct RTCRay16 *rays, bool coherent)
{
    struct RTCIntersectContext context = query_context(coherent);
    rtcOccluded16(valid, scene, &context, rays);
}

static void intersect16(const int *valid, RTCScene scene, struct RTCRayHit16 *rays, bool coherent)
{
    struct RTCIntersectContext context = query_context(coherent);
    rtcIntersect16(valid, scene, &context, rays);
}
#endif

/* Larger numbers are not from a map; the ray library aborts on them. */
#define SOUND_LIMIT 1e18f

/* Returns the lanes of `valid` with finite rays. */
static uint32_t load_lanes(int lanes[TRACE_PACKET], const struct trace_packet *p, uint32_t valid)
{
    uint32_t sound = 0;
    for (int i = 0; i < TRACE_PACKET; i++) {
        float sum = fabsf(p->origin[0][i]) + fabsf(p->origin[1][i]) + fabsf(p->origin[2][i]) +
                    fabsf(p->direction[0][i]) + fabsf(p->direction[1][i]) +
                    fabsf(p->direction[2][i]) + fabsf(p->near[i]);
        lanes[i] = -(sum < SOUND_LIMIT && p->far[i] > p->near[i]);
    }
    for (int i = 0; i < TRACE_PACKET; i++) {
        lanes[i] &= -(int)(valid >> i & 1);
        sound |= (uint32_t)(lanes[i] & 1) << i;
    }
    return sound;
}

static void load_rays(struct RTCRay16 *rays, const struct trace_packet *packet)
{
    memcpy(rays->org_x, packet->origin[0], sizeof rays->org_x);
    memcpy(rays->org_y, packet->origin[1], sizeof rays->org_y);
    memcpy(rays->org_z, packet->origin[2], sizeof rays->org_z);
    memcpy(rays->tnear, packet->near, sizeof rays->tnear);
    memcpy(rays->dir_x, packet->direction[0], sizeof rays->dir_x);
    memcpy(rays->dir_y, packet->direction[1], sizeof rays->dir_y);
    memcpy(rays->dir_z, packet->direction[2], sizeof rays->dir_z);
    memcpy(rays->tfar, packet->far, sizeof rays->tfar);
    memset(rays->time, 0, sizeof rays->time);
    memset(rays->mask, 0xff, sizeof rays->mask);
    memset(rays->id, 0, sizeof rays->id);
    memset(rays->flags, 0, sizeof rays->flags);
}

uint32_t trace_occluded16(const struct trace_scene *scene, uint32_t mask,
                          const struct trace_packet *packet, uint32_t valid, bool coherent)
{
    _Alignas(64) int lanes[TRACE_PACKET];
    struct RTCRay16 rays;
    valid = load_lanes(lanes, packet, valid);
    if (!valid)
        return 0;
    load_rays(&rays, packet);
    occluded16(lanes, scene->scenes[mask], &rays, coherent);
    uint32_t blocked = 0;
    for (int i = 0; i < TRACE_PACKET; i++)
        blocked |= (uint32_t)(rays.tfar[i] < 0) << i;
    return blocked & valid;
}

static struct trace_hit read_hit(const struct trace_scene *scene, const struct RTCRayHit16 *rays,
                                 int lane)
{
    unsigned geometry = rays->hit.geomID[lane];
    struct trace_hit hit = {.distance = -1};
    if (geometry == RTC_INVALID_GEOMETRY_ID)
        return hit;
    hit.distance = rays->ray.tfar[lane];
    hit.u = rays->hit.u[lane];
    hit.v = rays->hit.v[lane];
    hit.triangle = scene->classes[geometry].user[rays->hit.primID[lane]];
    hit.class = 1u << geometry;
    return hit;
}

void trace_closest16(const struct trace_scene *scene, uint32_t mask,
                     const struct trace_packet *packet, uint32_t valid, bool coherent,
                     struct trace_hit hits[TRACE_PACKET])
{
    _Alignas(64) int lanes[TRACE_PACKET];
    struct RTCRayHit16 rays;
    uint32_t sound = load_lanes(lanes, packet, valid);
    load_rays(&rays.ray, packet);
    memset(rays.hit.geomID, 0xff, sizeof rays.hit.geomID);
    memset(rays.hit.instID, 0xff, sizeof rays.hit.instID);
    if (sound)
        intersect16(lanes, scene->scenes[mask], &rays, coherent);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1)
            hits[i] = read_hit(scene, &rays, i);
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
