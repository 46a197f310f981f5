#include "vvis/graph/tree_portals.h"

#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/codes/clusters.def"
#include "common/diag/codes/portal_files.def"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"

/* --- orientation --- */

/* More than compilers round or weld, less than the thickness of most brushes. */
#define STEP 0.25

/* With fewer portals, more than half of them may be slivers. */
enum { PORTALS_MIN = 8 };

enum {
    CHUNK = 64,   /* portals per work item: one is too little */
    SAMPLE = 512, /* portals tested first; enough if nearly all agree */
};

struct orientation_counts {
    int correct, reversed, neither;
};

struct orientation_job {
    const struct bsp *bsp;
    const struct prt *prt;
    size_t step; /* test every step-th portal */
    size_t count;
    struct orientation_counts *orientations; /* one per thread */
};

static int cluster_at(const struct bsp *bsp, struct vec3 point)
{
    return bsp->leaves[bsp_leaf_at(bsp, 0, point)].cluster;
}

static void test_portal(const struct prt_portal *portal, const struct bsp *bsp,
                        struct orientation_counts *orientations)
{
    struct plane plane;
    const int *clusters = portal->clusters;
    if (!winding_plane(portal->winding, &plane))
        return;
    struct vec3 center = winding_center(portal->winding);
    int before = cluster_at(bsp, vec3_mad(center, plane.normal, STEP));
    int behind = cluster_at(bsp, vec3_mad(center, plane.normal, -STEP));
    if (before == clusters[0] && behind == clusters[1])
        orientations->correct++;
    else if (before == clusters[1] && behind == clusters[0])
        orientations->reversed++;
    else
        orientations->neither++;
}

static void test_chunk(void *context, size_t chunk, int thread)
{
    struct orientation_job *job = context;
    size_t end = (chunk + 1) * CHUNK;
    for (size_t i = chunk * CHUNK; i < end && i < job->count; i++)
        test_portal(&job->prt->portals[i * job->step], job->bsp, &job->orientations[thread]);
}

static struct orientation_counts test_portals(int threads, const struct bsp *bsp,
                                              const struct prt *prt, size_t step)
{
    struct orientation_counts sum = {0};
    struct orientation_job job = {bsp, prt, step, arrlenu(prt->portals) / step,
                                  memory_zalloc((size_t)threads, sizeof *job.orientations)};
    parallel_for(threads, (job.count + CHUNK - 1) / CHUNK, test_chunk, &job);
    for (int i = 0; i < threads; i++) {
        sum.correct += job.orientations[i].correct;
        sum.reversed += job.orientations[i].reversed;
        sum.neither += job.orientations[i].neither;
    }
    memory_free(job.orientations);
    return sum;
}

static bool mostly_correct(struct orientation_counts orientations)
{
    return orientations.correct > 7 * (orientations.reversed + orientations.neither);
}

enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt)
{
    if (!arrlenu(bsp->leaves) || !arrlenu(bsp->nodes))
        return STATUS_OK;
    size_t step = arrlenu(prt->portals) / SAMPLE;
    if (step > 1 && mostly_correct(test_portals(env->threads, bsp, prt, step)))
        return STATUS_OK;
    struct orientation_counts orientations = test_portals(env->threads, bsp, prt, 1);
    int sound = orientations.correct + orientations.reversed;
    if (orientations.neither > sound && arrlen(prt->portals) >= PORTALS_MIN)
        return diag_report(env->diag, DIAG_VIS_CLUSTERS, NULL,
                           "%d of %d portals are not between the clusters that they name",
                           orientations.neither, orientations.neither + sound);
    for (size_t i = 0; orientations.reversed > orientations.correct && i < arrlenu(prt->portals);
         i++) {
        int *clusters = prt->portals[i].clusters, first = clusters[0];
        clusters[0] = clusters[1];
        clusters[1] = first;
    }
    return STATUS_OK;
}

/* --- portals of the tree --- */

/* Of the box around the world in which portals are made: where nothing closes a map at the limit of
 * the world, those of vbsp go as far. */
#define MARGIN 16.0

/* The room of a child of a node: the number of its cluster where it is all of one, or one of
 * these. */
enum {
    ROOM_OPAQUE = -1,
    ROOM_SEVERAL = -2,
    ROOM_DETAIL = -3, /* solid, but only of detail, which belongs to the cluster around it */
};

/* A node above, and the side of it that is looked at. */
struct above {
    struct plane plane;
    int side;
};

struct portal_maker {
    const struct bsp *bsp;
    int *rooms;          /* of each node */
    struct above *above; /* stb_ds array: from the root down */
    struct bounds bounds;
    struct prt *prt;
    bool too_many; /* portals, or corners of one */
};

/* A part of a node's plane that borders on one room. */
struct piece {
    int cluster;
    struct winding *winding;
};

int tree_cluster_count(const struct bsp *bsp)
{
    int clusters = 0;
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= clusters)
            clusters = bsp->leaves[i].cluster + 1;
    return clusters;
}

bool tree_has_clusters_of(const struct bsp *bsp, const struct prt *prt)
{
    return !arrlen(bsp->leaves) || tree_cluster_count(bsp) == prt->cluster_count;
}

/* ---- rooms ---- */

/* Returns whether all solid brushes of a leaf are of detail, and there is one. */
static bool is_solid_of_detail(const struct bsp *bsp, const struct bsp_leaf *leaf)
{
    bool found = false;
    for (int i = 0; i < leaf->brush_count; i++) {
        int contents = bsp->brushes[bsp->leaf_brushes[leaf->first_brush + i]].contents;
        if (!(contents & CONTENTS_SOLID))
            continue;
        if (!(contents & CONTENTS_DETAIL))
            return false;
        found = true;
    }
    return found;
}

static int room_of_leaf(const struct bsp *bsp, int number)
{
    const struct bsp_leaf *leaf = &bsp->leaves[number];
    if (leaf->cluster >= 0 && number > 0)
        return leaf->cluster;
    return is_solid_of_detail(bsp, leaf) ? ROOM_DETAIL : ROOM_OPAQUE;
}

static int room_of(const struct portal_maker *maker, int child)
{
    return child < 0 ? room_of_leaf(maker->bsp, -1 - child) : maker->rooms[child];
}

static int room_of_both(int a, int b)
{
    if (a == b || b == ROOM_DETAIL)
        return a;
    return a == ROOM_DETAIL ? b : ROOM_SEVERAL;
}

static void find_rooms(struct portal_maker *maker, int child)
{
    if (child < 0)
        return;
    const struct bsp_node *node = &maker->bsp->nodes[child];
    for (int side = 0; side < 2; side++)
        find_rooms(maker, node->children[side]);
    maker->rooms[child] =
        room_of_both(room_of(maker, node->children[0]), room_of(maker, node->children[1]));
}

/* ---- windings ---- */

static struct winding *cut_by_box(struct arena *arena, const struct bounds *bounds,
                                  struct winding *winding)
{
    for (int i = 0; i < 6 && winding; i++) {
        struct plane plane = {vec3(0, 0, 0), i % 2 ? bounds->maxs.e[i / 2] : bounds->mins.e[i / 2]};
        plane.normal.e[i / 2] = 1;
        winding = winding_clip_side(arena, winding, &plane, EPSILON_PORTAL, i % 2);
    }
    return winding;
}

/* The part of a node's plane that is in the node. */
static struct winding *node_winding(const struct portal_maker *maker, const struct plane *plane)
{
    struct arena *arena = &maker->prt->arena;
    struct arena_mark mark = arena_mark(arena);
    struct winding *winding = winding_from_plane(arena, plane);
    winding = cut_by_box(arena, &maker->bounds, winding);
    for (size_t i = arrlenu(maker->above); i-- > 0 && winding;)
        winding = winding_clip_side(arena, winding, &maker->above[i].plane, EPSILON_PORTAL,
                                    maker->above[i].side);
    return winding_keep(arena, mark, winding);
}

/* ---- pieces ---- */

/* Adds the parts of a winding that border on rooms of a child, on whose side of the winding
 * `towards` points. */
static void add_pieces(const struct portal_maker *maker, int child, struct winding *winding,
                       struct vec3 towards, struct piece **pieces)
{
    int room = room_of(maker, child);
    if (room != ROOM_SEVERAL) {
        const struct piece piece = {room, winding};
        if (room >= 0)
            arrput(*pieces, piece);
        return;
    }
    struct plane plane = bsp_plane_at(maker->bsp, maker->bsp->nodes[child].plane);
    struct winding *parts[2];
    winding_clip(&maker->prt->arena, winding, &plane, EPSILON_PORTAL, &parts[0], &parts[1]);
    if (!parts[0] && !parts[1]) /* it lies on this plane too */
        parts[vec3_dot(plane.normal, towards) < 0] = winding;
    for (int side = 0; side < 2; side++)
        if (parts[side] && (parts[side] == winding || !winding_is_tiny(parts[side])))
            add_pieces(maker, maker->bsp->nodes[child].children[side], parts[side], towards,
                       pieces);
}

static void add_portal(struct portal_maker *maker, int front, int back, struct winding *winding)
{
    const struct prt_portal portal = {{front, back}, winding};
    if (front == back)
        return;
    maker->too_many |=
        winding->count > PRT_POINTS_MAX || arrlen(maker->prt->portals) == PRT_PORTALS_MAX;
    if (!maker->too_many)
        arrput(maker->prt->portals, portal);
}

static void add_portals(struct portal_maker *maker, const struct bsp_node *node,
                        const struct plane *plane, struct winding *winding)
{
    struct piece *fronts = NULL, *backs = NULL;
    add_pieces(maker, node->children[0], winding, plane->normal, &fronts);
    for (size_t i = 0; i < arrlenu(fronts); i++) {
        arrsetlen(backs, 0);
        add_pieces(maker, node->children[1], fronts[i].winding, vec3_neg(plane->normal), &backs);
        for (size_t k = 0; k < arrlenu(backs); k++)
            add_portal(maker, fronts[i].cluster, backs[k].cluster, backs[k].winding);
    }
    arrfree(fronts);
    arrfree(backs);
}

static void make_portals(struct portal_maker *maker, int child)
{
    if (room_of(maker, child) != ROOM_SEVERAL || maker->too_many)
        return;
    const struct bsp_node *node = &maker->bsp->nodes[child];
    struct plane plane = bsp_plane_at(maker->bsp, node->plane);
    struct winding *winding = node_winding(maker, &plane);
    if (winding && !winding_is_tiny(winding))
        add_portals(maker, node, &plane, winding);
    for (int side = 0; side < 2; side++) {
        const struct above above = {plane, side};
        arrput(maker->above, above);
        make_portals(maker, node->children[side]);
        arrpop(maker->above);
    }
}

enum status tree_portals_make(const struct env *env, const struct bsp *bsp, struct prt *out)
{
    *out = (struct prt){.cluster_count = tree_cluster_count(bsp)};
    if (!arrlen(bsp->models) || !arrlen(bsp->nodes))
        return STATUS_OK;
    struct portal_maker maker = {.bsp = bsp, .prt = out};
    const struct bsp_model *world = &bsp->models[0];
    maker.rooms = memory_zalloc(arrlenu(bsp->nodes), sizeof *maker.rooms);
    const struct vec3 margin = vec3(MARGIN, MARGIN, MARGIN);
    maker.bounds.mins = vec3_sub(vec3_from_floats(world->mins), margin);
    maker.bounds.maxs = vec3_add(vec3_from_floats(world->maxs), margin);
    find_rooms(&maker, world->head_node);
    make_portals(&maker, world->head_node);
    memory_free(maker.rooms);
    arrfree(maker.above);
    if (!maker.too_many)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_PRT_RANGE, NULL,
                       "more than %d portals between the leaves, or more than %d corners of one",
                       PRT_PORTALS_MAX, PRT_POINTS_MAX);
}
