#include "vrad/scene/prop_view.h"

#include "common/core/array.h"

/* Maximum number of surfaces that a ray passes before it counts as blocked. */
enum { MAX_PASSED = 64 };

/* A ray continues this fraction of its distance, plus units, behind what it passes. */
#define STEP_SHARE 1e-5f
#define STEP       1e-3f

static bool passes(const struct scene *scene, const struct prop_viewer *viewer,
                   const struct trace_packet *packet, int lane, const struct trace_hit *hit)
{
    const struct scene_prop_triangle *triangle = &scene->prop_triangles[hit->triangle];
    if (viewer->no_self_shadow && triangle->prop == viewer->prop)
        return true;
    float along = 0;
    for (int k = 0; k < 3; k++)
        along += triangle->normal[k] * packet->direction[k][lane];
    return triangle->is_hull && along >= 0;
}

static float length_of(const struct trace_packet *packet, int lane)
{
    float square = 0;
    for (int k = 0; k < 3; k++)
        square += packet->direction[k][lane] * packet->direction[k][lane];
    return sqrtf(square);
}

/* Lanes that a prop blocks before `far`; and the hits on it, unless `blockers` is NULL. After too
 * many surfaces there is none: its distance is negative. */
static uint32_t behind_props(const struct scene *scene, const struct prop_viewer *viewer,
                             const struct trace_packet *packet, uint32_t valid,
                             struct trace_hit *blockers)
{
    for (int lane = 0; lane < TRACE_PACKET && blockers; lane++)
        blockers[lane].distance = -1;
    if (!arrlen(scene->prop_triangles))
        return 0;
    struct trace_packet rest = *packet;
    uint32_t open = valid, blocked = 0;
    for (int pass = 0; open && pass < MAX_PASSED; pass++) {
        struct trace_hit hits[TRACE_PACKET];
        trace_closest16(scene->trace, TRACE_PROP, &rest, open, true, hits);
        for (int lane = 0; lane < TRACE_PACKET; lane++) {
            uint32_t bit = 1u << lane;
            if (!(open & bit))
                continue;
            const struct trace_hit *hit = &hits[lane];
            bool unblocked = hit->distance < 0;
            if (!unblocked && !passes(scene, viewer, packet, lane, hit)) {
                blocked |= bit;
                if (blockers)
                    blockers[lane] = *hit;
            } else if (!unblocked)
                rest.near[lane] = hit->distance * (1 + STEP_SHARE) + STEP / length_of(packet, lane);
            if (unblocked || blocked & bit || !(rest.near[lane] < rest.far[lane]))
                open &= ~bit;
        }
    }
    return blocked | open;
}

uint32_t prop_view_blocked16(const struct scene *scene, const struct prop_viewer *viewer,
                             const struct trace_packet *packet, uint32_t valid)
{
    uint32_t blocked = trace_occluded16(scene->trace, TRACE_SOLID, packet, valid, true);
    return blocked | behind_props(scene, viewer, packet, valid & ~blocked, NULL);
}

/* Lanes of `sky` that something in the 3D skybox hides. */
static uint32_t behind_skybox(const struct scene *scene, const struct prop_viewer *viewer,
                              const struct trace_packet *packet, uint32_t sky)
{
    const struct scene_skybox *room = &scene->skybox;
    if (!sky || !room->present || viewer->area == room->area)
        return 0;
    struct trace_packet far_away = scene_into_skybox(scene, packet);
    return sky & ~scene_sky16(scene, &far_away, sky, true, room->area);
}

/* Returns the lanes whose first hit is a prop that they pass, which need another trace. The others
 * have their hits. */
static uint32_t trace_straight(const struct scene *scene, const struct prop_viewer *viewer,
                               const struct trace_packet *packet, uint32_t valid,
                               struct scene_hit hits[TRACE_PACKET])
{
    struct trace_hit found[TRACE_PACKET];
    uint32_t passing = 0;
    uint32_t mask = TRACE_FACE | TRACE_SKY | (scene->blocking & TRACE_PROP);
    trace_closest16(scene->trace, mask, packet, valid, true, found);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(valid >> i & 1))
            continue;
        if (found[i].distance < 0 || found[i].class != TRACE_PROP)
            hits[i] = scene_hit_of(scene, packet, i, &found[i], SCENE_INSIDE);
        else if (passes(scene, viewer, packet, i, &found[i]))
            passing |= 1u << i;
        else
            hits[i] = scene_hit_of(scene, packet, i, &found[i], SCENE_BLANK);
    }
    return passing;
}

static void trace_past_props(const struct scene *scene, const struct prop_viewer *viewer,
                             const struct trace_packet *packet, uint32_t valid,
                             struct scene_hit hits[TRACE_PACKET])
{
    struct trace_hit found[TRACE_PACKET];
    struct trace_packet nearer = *packet;
    trace_closest16(scene->trace, TRACE_FACE | TRACE_SKY, packet, valid, true, found);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(valid >> i & 1))
            continue;
        hits[i] = scene_hit_of(scene, packet, i, &found[i], SCENE_INSIDE);
        if (found[i].distance >= 0)
            nearer.far[i] = found[i].distance;
    }
    struct trace_hit blockers[TRACE_PACKET];
    uint32_t hidden = behind_props(scene, viewer, &nearer, valid, blockers);
    for (int i = 0; i < TRACE_PACKET; i++) {
        if (!(hidden >> i & 1))
            continue;
        hits[i].face = SCENE_BLANK;
        if (blockers[i].distance >= 0)
            hits[i] = scene_hit_of(scene, packet, i, &blockers[i], SCENE_BLANK);
    }
}

void prop_view_trace16(const struct scene *scene, const struct prop_viewer *viewer,
                       const struct trace_packet *packet, uint32_t valid,
                       struct scene_hit hits[TRACE_PACKET])
{
    uint32_t sky = 0, passing = trace_straight(scene, viewer, packet, valid, hits);
    if (passing)
        trace_past_props(scene, viewer, packet, passing, hits);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1 && hits[i].face == SCENE_SKY)
            sky |= 1u << i;
    uint32_t hidden = behind_skybox(scene, viewer, packet, sky);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (hidden >> i & 1)
            hits[i].face = SCENE_BLANK;
}

/* The first prop that a ray from the point leaves without having entered it, or -1. */
static int first_left(const struct scene *scene, const struct trace_ray *from)
{
    struct trace_ray ray = *from;
    int entered = 0;
    for (int pass = 0; pass < MAX_PASSED; pass++) {
        struct trace_hit hit = trace_closest(scene->trace, TRACE_PROP, &ray);
        if (hit.distance < 0)
            return -1;
        const struct scene_prop_triangle *triangle = &scene->prop_triangles[hit.triangle];
        float along = 0;
        for (int k = 0; k < 3; k++)
            along += triangle->normal[k] * ray.direction[k];
        entered += along > 0 ? -1 : 1;
        if (entered < 0)
            return triangle->prop;
        ray.near = hit.distance * (1 + STEP_SHARE) + STEP;
    }
    return -1;
}

int prop_view_inside(const struct scene *scene, struct vec3 point)
{
    /* Several directions, since a mesh may be open towards one of them. */
    static const float ways[3][3] = {
        {0.48f, 0.6f, 0.64f}, {-0.64f, 0.48f, -0.6f}, {0.6f, -0.64f, -0.48f}};
    int inside = -1;
    for (int i = 0; i < 3 && arrlen(scene->prop_triangles); i++) {
        struct trace_ray ray = {.far = INFINITY};
        for (int k = 0; k < 3; k++) {
            ray.origin[k] = (float)point.e[k];
            ray.direction[k] = ways[i][k];
        }
        inside = first_left(scene, &ray);
        if (inside < 0)
            return -1;
    }
    return inside;
}
