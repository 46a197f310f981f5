/* Finds props that can be one. Groups are grown from the first free prop, in the order of the map,
 * by the nearest that fits. */
#include <stdlib.h>
#include <string.h>

#include "common/bsp/leaf_tree.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/target/source/combine/combine_internal.h"
#include "vbsp/target/source/combine/combine_options.h"

struct prop_flags combining_ignored_flags(const struct combining *job)
{
    static const struct {
        uint32_t flags, flags2;
        bool is_later; /* of Left 4 Dead and the branches that follow it */
    } of[COMBINE_IGNORED] = {
        [COMBINE_FAST_REFLECTION] = {STATIC_PROP_FAST_REFLECTION, 0, true},
        [COMBINE_NORMALS] = {STATIC_PROP_IGNORE_NORMALS, 0, false},
        [COMBINE_SHADOWS] = {STATIC_PROP_NO_SHADOW, 0, false},
        [COMBINE_VERTEX_LIGHTING] = {STATIC_PROP_NO_VERTEX_LIGHTING, 0, false},
        [COMBINE_FLASHLIGHT] = {STATIC_PROP_NO_FLASHLIGHT, 0, true},
        [COMBINE_SELF_SHADOWING] = {STATIC_PROP_NO_SELF_SHADOWING, 0, false},
        [COMBINE_SHADOW_DEPTH] = {0, STATIC_PROP_NO_SHADOW_DEPTH, true},
    };
    bool is_later = static_prop_form_info(job->placed->form)->is_later;
    struct prop_flags ignored = {0, 0};
    for (int i = 0; i < COMBINE_IGNORED; i++) {
        if (!job->compile->options->combine->ignore[i] || (of[i].is_later && !is_later))
            continue;
        ignored.flags |= of[i].flags;
        ignored.flags2 |= of[i].flags2;
    }
    return ignored;
}

/* A group that grows. */
struct growing {
    const struct combining *job;
    const struct leaf_tree *tree; /* of the world */
    const struct combine_rule *rule;
    size_t seed;
    struct vec3 centre; /* of the seed */
    int32_t vertices;   /* so far */
    size_t hulls;       /* so far */
    int32_t *clusters;  /* stb_ds array: of the members' leaves */
};

enum { HULLS_MAX = 256 }; /* of a new model: the engine tests each of them */

/* All that the new prop has from one of them. */
static bool same_record(const struct combining *job, const struct static_prop *a,
                        const struct static_prop *b)
{
    struct prop_flags ignored = combining_ignored_flags(job);
    return a->solid == b->solid && ((a->flags ^ b->flags) & ~ignored.flags) == 0 &&
           ((a->flags2 ^ b->flags2) & ~ignored.flags2) == 0 &&
           prop_floats_equal(&a->fade_min, &b->fade_min, 1) &&
           prop_floats_equal(&a->fade_max, &b->fade_max, 1) &&
           prop_floats_equal(&a->forced_fade_scale, &b->forced_fade_scale, 1) &&
           prop_floats_equal(a->lighting_origin, b->lighting_origin, 3) && a->min_dx == b->min_dx &&
           a->max_dx == b->max_dx && a->min_cpu == b->min_cpu && a->max_cpu == b->max_cpu &&
           a->min_gpu == b->min_gpu && a->max_gpu == b->max_gpu &&
           a->disable_x360 == b->disable_x360 &&
           memcmp(a->colour, b->colour, sizeof a->colour) == 0;
}

static bool shows(const struct source_model *source, const char *material)
{
    for (int32_t i = 0; i < source->files.mdl.mesh_count; i++)
        if (source->materials[i] && strcmp(source->materials[i], material) == 0)
            return true;
    return false;
}

static bool shows_all_of(const struct source_model *source, const struct source_model *other)
{
    for (int32_t i = 0; i < other->files.mdl.mesh_count; i++)
        if (other->materials[i] && !shows(source, other->materials[i]))
            return false;
    return true;
}

/* As many, of which the same only cast shadows. */
static bool same_lods(const struct source_model *a, const struct source_model *b)
{
    if (arrlen(a->coarser) != arrlen(b->coarser))
        return false;
    for (size_t i = 0; i < arrlenu(a->coarser); i++)
        if ((a->coarser[i].switch_point < 0) != (b->coarser[i].switch_point < 0))
            return false;
    return true;
}

static bool same_source(const struct source_model *a, const struct source_model *b)
{
    return a == b || (a->rule == b->rule && a->files.mdl.flags == b->files.mdl.flags &&
                      str_equal_nocase(a->files.mdl.surface_prop, b->files.mdl.surface_prop) &&
                      same_lods(a, b) && shows_all_of(a, b) && shows_all_of(b, a));
}

static bool may_combine(const struct combining *job, size_t prop)
{
    const struct static_prop *record = &job->placed->props.props[prop];
    const struct source_model *source = combining_source(job, prop);
    bool is_uniform = prop_floats_equal(&record->scale[0], &record->scale[1], 1) &&
                      prop_floats_equal(&record->scale[0], &record->scale[2], 1);
    bool has_hulls = hull_points_count(&source->files.collision) > 0;
    return source->is_usable && source->rule && !source->rule->never && is_uniform &&
           record->scale[0] > 0 &&
           (record->solid == STATIC_PROP_NOT_SOLID ||
            (record->solid == STATIC_PROP_SOLID_MODEL && has_hulls)) &&
           record->lightmap_resolution[0] == 0 && record->lightmap_resolution[1] == 0;
}

static size_t hulls_of(const struct combining *job, size_t prop)
{
    return job->placed->props.props[prop].solid == STATIC_PROP_SOLID_MODEL
               ? hull_points_count(&combining_source(job, prop)->files.collision)
               : 0;
}

static struct vec3 centre_of(const struct combining *job, size_t prop)
{
    const struct bounds *bounds = &combining_source(job, prop)->bounds;
    return transform_point(&job->transforms[prop],
                           vec3_scale(vec3_add(bounds->mins, bounds->maxs), 0.5));
}

static int32_t cluster_at(const struct combining *job, const struct static_prop *prop, int32_t leaf)
{
    const int32_t number = job->placed->props.leaves[prop->first_leaf + leaf];
    return job->compile->bsp->leaves[number].cluster;
}

static bool has_cluster(const struct growing *group, int32_t cluster)
{
    for (size_t i = 0; i < arrlenu(group->clusters); i++)
        if (group->clusters[i] == cluster)
            return true;
    return false;
}

static bool shares_cluster(const struct growing *group, size_t prop)
{
    const struct static_prop *record = &group->job->placed->props.props[prop];
    for (int32_t i = 0; i < record->leaf_count; i++)
        if (has_cluster(group, cluster_at(group->job, record, i)))
            return true;
    return false;
}

/* True when no solid leaf is between the points. */
static bool is_clear(const struct growing *group, int node, struct vec3 a, struct vec3 b)
{
    while (node >= 0) {
        const struct leaf_tree_node *at = &group->tree->nodes[node];
        struct vec3 normal = vec3_from_floats(at->normal);
        double from = vec3_dot(normal, a) - (double)at->dist;
        double to = vec3_dot(normal, b) - (double)at->dist;
        if ((from < 0) != (to < 0)) {
            struct vec3 middle = vec3_mad(a, vec3_sub(b, a), from / (from - to));
            if (!is_clear(group, at->children[from < 0], a, middle))
                return false;
            a = middle;
        }
        node = at->children[to < 0];
    }
    return !(group->job->compile->bsp->leaves[-1 - node].contents & CONTENTS_SOLID);
}

/* Where no visibility is known yet. The centre of a prop may be in the ground. */
static bool is_seen(const struct growing *group, size_t prop)
{
    return shares_cluster(group, prop) ||
           is_clear(group, group->tree->root, group->centre, centre_of(group->job, prop));
}

static void join(struct growing *group, size_t prop, struct prop_group *out)
{
    const struct static_prop *record = &group->job->placed->props.props[prop];
    for (int32_t i = 0; i < record->leaf_count; i++) {
        int32_t cluster = cluster_at(group->job, record, i);
        if (!has_cluster(group, cluster))
            arrput(group->clusters, cluster);
    }
    group->vertices += combining_source(group->job, prop)->vertices;
    group->hulls += hulls_of(group->job, prop);
    arrput(out->props, prop);
}

struct near {
    double distance;
    size_t prop;
};

static int compare_near(const void *a, const void *b)
{
    const struct near *p = a, *q = b;
    if (p->distance < q->distance || p->distance > q->distance)
        return p->distance < q->distance ? -1 : 1;
    return p->prop < q->prop ? -1 : p->prop > q->prop;
}

/* Free props that are like the seed and within reach of it, nearest first: an stb_ds array. */
static struct near *candidates(const struct growing *group, const bool *taken)
{
    const struct combining *job = group->job;
    const struct static_prop *props = job->placed->props.props;
    struct near *found = NULL;
    for (size_t i = group->seed + 1; i < arrlenu(props); i++) {
        double distance = vec3_distance(group->centre, centre_of(job, i));
        if (!taken[i] && distance <= group->rule->distance &&
            same_record(job, &props[group->seed], &props[i]) && may_combine(job, i) &&
            same_source(combining_source(job, group->seed), combining_source(job, i))) {
            struct near near = {distance, i};
            arrput(found, near);
        }
    }
    if (found)
        qsort(found, arrlenu(found), sizeof *found, compare_near);
    return found;
}

static bool has_room(const struct growing *group, size_t prop)
{
    return group->vertices + combining_source(group->job, prop)->vertices <=
               group->rule->vertices &&
           group->hulls + hulls_of(group->job, prop) <= HULLS_MAX;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

static void grow(const struct combining *job, const struct leaf_tree *tree, size_t seed,
                 const bool *taken, struct prop_group *out)
{
    struct growing group = {.job = job,
                            .tree = tree,
                            .rule = combining_source(job, seed)->rule,
                            .seed = seed,
                            .centre = centre_of(job, seed)};
    if (!has_room(&group, seed))
        return;
    struct near *near = candidates(&group, taken);
    join(&group, seed, out);
    for (size_t i = 0; i < arrlenu(near); i++)
        if (has_room(&group, near[i].prop) && is_seen(&group, near[i].prop))
            join(&group, near[i].prop, out);
    qsort(out->props, arrlenu(out->props), sizeof *out->props, compare_sizes);
    arrfree(near);
    arrfree(group.clusters);
}

struct prop_group *combining_groups(const struct combining *job)
{
    size_t count = arrlenu(job->placed->props.props);
    bool *taken = memory_zalloc(count + 1, sizeof *taken);
    struct prop_group *groups = NULL;
    struct leaf_tree tree;
    leaf_tree_make(job->compile->bsp, 0, &tree);
    for (size_t i = 0; i < count; i++) {
        struct prop_group group = {0};
        if (!taken[i] && may_combine(job, i))
            grow(job, &tree, i, taken, &group);
        if (!group.props || arrlen(group.props) < combining_source(job, i)->rule->minimum) {
            arrfree(group.props);
            continue;
        }
        for (size_t k = 0; k < arrlenu(group.props); k++)
            taken[group.props[k]] = true;
        arrput(groups, group);
    }
    leaf_tree_free(&tree);
    memory_free(taken);
    return groups;
}

void prop_groups_free(struct prop_group *groups)
{
    for (size_t i = 0; i < arrlenu(groups); i++)
        arrfree(groups[i].props);
    arrfree(groups);
}
