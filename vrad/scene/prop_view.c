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
    if (scene_tree_is_empty(&scene->world)) {
        uint32_t blocked = trace_occluded16(scene->trace, TRACE_SOLID, packet, valid, true);
        return blocked | behind_props(scene, viewer, packet, valid & ~blocked, NULL);
    }
    struct solid_lanes lanes = scene->world.walks->blocked(&scene->world.solids, packet, valid);
    uint32_t blocked = lanes.met, loose = lanes.loose & ~(lanes.met | lanes.unsure);
    if (lanes.unsure)
        blocked |= trace_occluded16(scene->trace, TRACE_SOLID, packet, lanes.unsure, true);
    if (loose)
        blocked |= trace_occluded16(scene->trace, TRACE_LOOSE_SOLID, packet, loose, true);
    uint32_t left = (loose | lanes.unsure) & ~blocked;
    return blocked | (left ? behind_props(scene, viewer, packet, left, NULL) : 0);
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

/* Finds hits of the lanes of `valid` on triangles of the classes. Lanes that hit none keep theirs
 * if `keeps`. Returns the lanes whose first hit is a prop that they pass, which need another
 * trace. */
static uint32_t trace_classes(const struct scene *scene, const struct prop_viewer *viewer,
                              uint32_t classes, const struct trace_packet *packet, uint32_t valid,
                              bool keeps, struct scene_hit hits[TRACE_PACKET])
{
    struct trace_hit found[TRACE_PACKET];
    uint32_t passing = 0;
    trace_closest16(scene->trace, classes | (scene->blocking & TRACE_PROP), packet, valid, true,
                    found);
    for (; valid; valid &= valid - 1) {
        int i = __builtin_ctz(valid);
        if (keeps && found[i].distance < 0)
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

/* The same for all that is there. */
static uint32_t trace_straight(const struct scene *scene, const struct prop_viewer *viewer,
                               const struct trace_packet *packet, uint32_t valid,
                               struct scene_hit hits[TRACE_PACKET])
{
    uint32_t known = 0, loose = 0, passing = 0;
    if (!scene_tree_is_empty(&scene->world))
        known = scene_tree_hit16(&scene->world, packet, valid, &loose, hits);
    if (valid & ~known)
        passing = trace_classes(scene, viewer, TRACE_FACE | TRACE_SKY, packet, valid & ~known,
                                false, hits);
    if (!loose)
        return passing;
    struct trace_packet nearer = *packet;
    for (uint32_t left = loose; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        nearer.far[i] = hits[i].distance;
    }
    return passing | trace_classes(scene, viewer, TRACE_LOOSE_FACE, &nearer, loose, true, hits);
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

/* Rays that look for a prop around a point: several, since a mesh may be open towards one of
 * them. */
enum { INSIDE_RAYS = 3, INSIDE_LANES = (1 << INSIDE_RAYS) - 1 };

static void aim_around(struct vec3 point, struct trace_packet *out)
{
    static const float ways[INSIDE_RAYS][3] = {
        {0.48f, 0.6f, 0.64f}, {-0.64f, 0.48f, -0.6f}, {0.6f, -0.64f, -0.48f}};
    for (int i = 0; i < INSIDE_RAYS; i++) {
        out->near[i] = 0;
        out->far[i] = INFINITY;
        for (int k = 0; k < 3; k++) {
            out->origin[k][i] = (float)point.e[k];
            out->direction[k][i] = ways[i][k];
        }
    }
}

/* The last of the props that each ray leaves without having entered them, or -1 if there is a ray
 * that leaves none. */
int prop_view_inside(const struct scene *scene, struct vec3 point)
{
    struct trace_packet rays = {.near = {0}};
    struct trace_hit hits[TRACE_PACKET];
    int inside[INSIDE_RAYS] = {-1, -1, -1}, entered[INSIDE_RAYS] = {0};
    uint32_t open = arrlen(scene->prop_triangles) ? INSIDE_LANES : 0;
    aim_around(point, &rays);
    for (int pass = 0; pass < MAX_PASSED && open; pass++) {
        trace_closest16(scene->trace, TRACE_PROP, &rays, open, false, hits);
        for (uint32_t left = open; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            if (hits[i].distance < 0)
                return -1;
            const struct scene_prop_triangle *triangle = &scene->prop_triangles[hits[i].triangle];
            float along = 0;
            for (int k = 0; k < 3; k++)
                along += triangle->normal[k] * rays.direction[k][i];
            entered[i] += along > 0 ? -1 : 1;
            rays.near[i] = hits[i].distance * (1 + STEP_SHARE) + STEP;
            if (entered[i] >= 0)
                continue;
            inside[i] = triangle->prop;
            open &= ~(1u << i);
        }
    }
    for (int i = 0; i < INSIDE_RAYS; i++)
        if (inside[i] < 0)
            return -1;
    return inside[INSIDE_RAYS - 1];
}
