#include "vbsp/portals/clusters.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/areas.def"
#include "common/diag/codes/solid_entities.def"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/level/entity_class.h"

/* --- viscluster --- */

/* The fraction of a leaf that must be inside a func_viscluster. */
#define MIN_SHARE 0.1

struct share {
    struct node *key;
    double value; /* fraction of its volume */
};

struct viscluster_job {
    const struct compile *compile;
    struct arena arena;
    struct share *own;  /* hash map: of the current func_viscluster */
    struct share *best; /* hash map: of the earlier ones */
};

/* Sums the pyramids from one point to all portals. */
static double leaf_volume(const struct plane_set *planes, const struct node *leaf)
{
    struct vec3 middle = bounds_center(&leaf->bounds);
    double volume = 0;
    for (const struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        double distance = plane_distance(&planes->planes[portal->plane], middle);
        double height = portal_side(portal, leaf) ? -distance : distance;
        volume += winding_area(portal->winding) * height / 3;
    }
    return volume;
}

static void filter_fragment(struct viscluster_job *job, struct node *node, struct brush *fragment)
{
    const struct plane_set *planes = &job->compile->planes;
    while (node->plane != PLANE_LEAF) {
        struct brush *front, *back;
        brush_fragment_cut(&job->arena, planes, fragment, node->plane, &front, &back);
        if (!front && !back)
            return;
        if (front && back)
            filter_fragment(job, node->children[1], back);
        fragment = front ? front : back;
        node = node->children[!front];
    }
    double whole = leaf_is_open(node) ? leaf_volume(planes, node) : 0;
    if (whole <= 0)
        return;
    ptrdiff_t at = hmgeti(job->own, node);
    double before = at < 0 ? 0 : job->own[at].value;
    hmput(job->own, node, before + brush_fragment_volume(planes, fragment) / whole);
}

static struct brush *make_fragments(struct viscluster_job *job, const struct compile_entity *entity)
{
    struct brush *fragments = NULL;
    for (size_t i = 0; i < arrlenu(entity->brushes); i++) {
        const struct map_brush *brush = job->compile->brushes[entity->brushes[i]];
        struct brush *fragment = brush_fragment_new(&job->arena, brush, true);
        fragment->next = fragments;
        fragments = fragment;
    }
    return csg_chop(&job->arena, &job->compile->planes, fragments);
}

static void assign_viscluster(struct viscluster_job *job, struct tree *tree, int entity)
{
    struct brush *fragments = make_fragments(job, &job->compile->entities[entity]);
    for (struct brush *fragment = fragments, *next; fragment; fragment = next) {
        next = fragment->next;
        filter_fragment(job, tree->root, fragment);
    }
    for (ptrdiff_t i = 0; i < hmlen(job->own); i++) {
        struct node *leaf = job->own[i].key;
        double share = job->own[i].value;
        ptrdiff_t at = hmgeti(job->best, leaf);
        if (share <= MIN_SHARE || (at >= 0 && job->best[at].value >= share))
            continue;
        leaf->viscluster = entity;
        hmput(job->best, leaf, share);
    }
    hmfree(job->own);
    job->own = NULL;
    arena_reset(&job->arena);
}

static void report_idle(const struct viscluster_job *job)
{
    const struct compile *compile = job->compile;
    bool *used = NULL;
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        arrput(used, false);
    for (ptrdiff_t i = 0; i < hmlen(job->best); i++)
        used[job->best[i].key->viscluster] = true;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (used[i] || compile->entities[i].use != USE_VISCLUSTER)
            continue;
        struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
        diag_report(compile->env->diag, DIAG_VISCLUSTER, &where,
                    "it contains no more than a tenth of any visleaf");
    }
    arrfree(used);
}

/* Func_viscluster, by which mappers join leaves into one cluster to speed up
 * visibility. Sets node->viscluster of each open leaf of which more than a tenth of the volume is
 * inside func_visclusters: to the one that holds most of it, the first of equals. Reports those
 * without a leaf. The portals of the tree must exist. */
static void viscluster_find(const struct compile *compile, struct tree *tree)
{
    struct viscluster_job job = {.compile = compile};
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].use == USE_VISCLUSTER)
            assign_viscluster(&job, tree, i);
    report_idle(&job);
    hmfree(job.best);
    arena_free(&job.arena);
}

/* --- clusters --- */

/* The area of the leaf that contains the entity's origin, or 0. */
static int area_of(const struct compile *compile, const struct tree *tree,
                   const struct entity *keys)
{
    struct vec3 origin;
    if (!entity_vector(keys, "origin", &origin))
        return 0;
    const struct node *leaf = tree_leaf_at(tree, compile->planes.planes, origin);
    return leaf_is_open(leaf) ? leaf->area : 0;
}

/* All leaves of a 3D sky share one cluster: playable areas must not be among them. */
static void check_players(const struct compile *compile, const struct tree *tree, const bool *sky)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!str_starts_nocase(entity_value(&map_entity->keys, "classname"), "info_player_"))
            continue;
        size_t area = (size_t)area_of(compile, tree, &map_entity->keys);
        if (area >= arrlenu(sky) || !sky[area])
            continue;
        struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
        diag_report(compile->env->diag, DIAG_SKY_CAMERA_PLAYABLE, &where,
                    "this %s is in the same area; all visleafs of the area become one cluster, so "
                    "nothing in it is culled",
                    entity_value(&map_entity->keys, "classname"));
        return;
    }
}

/* The areas that contain a sky_camera, as flags by number. */
static bool *sky_areas(const struct compile *compile, const struct tree *tree)
{
    bool *sky = NULL;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!entity_is(&map_entity->keys, "sky_camera"))
            continue;
        int area = area_of(compile, tree, &map_entity->keys);
        while (arrlen(sky) <= area)
            arrput(sky, false);
        sky[area] = area > 0;
        struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
        if (!area)
            diag_report(compile->env->diag, DIAG_SKY_CAMERA_SOLID, &where,
                        "the map gets no 3D skybox");
    }
    if (arrlen(sky))
        check_players(compile, tree, sky);
    return sky;
}

struct cluster_job {
    const struct compile *compile;
    const bool *sky;
    int sky_cluster;
    int *visclusters; /* stb_ds array: the cluster of each entity's leaves, or -1 */
    struct prt *prt;
    struct portal **written; /* stb_ds array: the tree's portals, one per portal of prt */
};

static void number_leaves(struct cluster_job *job, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        number_leaves(job, node->children[0]);
        number_leaves(job, node->children[1]);
        return;
    }
    node->cluster = -1;
    if (!leaf_is_open(node))
        return;
    size_t area = (size_t)node->area;
    bool sky = area < arrlenu(job->sky) && job->sky[area];
    int *shared = node->viscluster ? &job->visclusters[node->viscluster]
                  : sky            ? &job->sky_cluster
                                   : NULL;
    if (shared && *shared >= 0) {
        node->cluster = *shared;
        return;
    }
    node->cluster = job->prt->cluster_count++;
    if (shared)
        *shared = node->cluster;
}

/* Vis passes between leaves of the same visible contents, and through translucent or detail
 * contents. */
static bool vis_passes(const struct portal *portal)
{
    if (!portal->on_node)
        return false;
    int contents[2];
    for (int i = 0; i < 2; i++)
        contents[i] = portal->nodes[i]->contents;
    if (!contents_visible(contents[0] ^ contents[1]))
        return !((contents[0] | contents[1]) & CONTENTS_SOLID);
    for (int i = 0; i < 2; i++)
        if (contents[i] & (CONTENTS_TRANSLUCENT | CONTENTS_DETAIL))
            contents[i] = 0;
    if ((contents[0] | contents[1]) & CONTENTS_SOLID)
        return false;
    return !contents_visible(contents[0] ^ contents[1]);
}

static void write_portals(struct cluster_job *job, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        write_portals(job, node->children[0]);
        write_portals(job, node->children[1]);
        return;
    }
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        if (portal->nodes[0] != node || !vis_passes(portal))
            continue;
        int front = portal->nodes[0]->cluster, back = portal->nodes[1]->cluster;
        if (front == back || front < 0 || back < 0)
            continue;
        struct prt_portal written = {{front, back}, NULL};
        written.winding = winding_copy(&job->prt->arena, portal->winding);
        /* Readers of the file derive the sides from the winding, whose normal rounding may have
         * flipped. */
        struct plane turned;
        const struct plane *plane = &job->compile->planes.planes[portal->plane];
        if (winding_plane(written.winding, &turned) &&
            vec3_dot(turned.normal, plane->normal) < 0.99) {
            written.clusters[0] = back;
            written.clusters[1] = front;
        }
        arrput(job->prt->portals, written);
        arrput(job->written, portal);
    }
}

struct portal **clusters_number(const struct compile *compile, struct tree *tree, struct prt *prt)
{
    bool *sky = sky_areas(compile, tree);
    if (compile->options->force_sky_vis || compile->options->of_2007)
        arrsetlen(sky, 0);
    struct cluster_job job = {.compile = compile, .sky = sky, .sky_cluster = -1, .prt = prt};
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        arrput(job.visclusters, -1);
    viscluster_find(compile, tree);
    number_leaves(&job, tree->root);
    write_portals(&job, tree->root);
    arrfree(job.visclusters);
    arrfree(sky);
    return job.written;
}

void clusters_give_up(struct node *node)
{
    if (node->plane == PLANE_LEAF) {
        node->cluster = leaf_is_open(node) ? 0 : -1;
        return;
    }
    clusters_give_up(node->children[0]);
    clusters_give_up(node->children[1]);
}
