#include "vbsp/portals/clusters.h"

#include "common/core/array.h"
#include "common/diag/codes/solid_entities.def"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/level/entity_class.h"

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

void viscluster_find(const struct compile *compile, struct tree *tree)
{
    struct viscluster_job job = {.compile = compile};
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].use == USE_VISCLUSTER)
            assign_viscluster(&job, tree, i);
    report_idle(&job);
    hmfree(job.best);
    arena_free(&job.arena);
}
