/* Compares trees, leaves, areas, water, and sample points where trees divide space in different
 * ways. */
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/diff/diff_internal.h"

enum { POINTS_PER_TRY = 4 };

struct step {
    int child[2]; /* of A and B: a node, or -1 - leaf */
};

static void pair_leaves(struct diff_trees *trees, int a, int b)
{
    if (trees->leaves.to[0][a] < 0 && trees->leaves.to[1][b] < 0)
        diff_match_pair(&trees->leaves, a, b);
}

/* Descends both trees at once, as long as they have the same planes. */
static void walk(struct comparison *c, int a, int b)
{
    struct step *stack = NULL;
    arrput(stack, ((struct step){{a, b}}));
    while (arrlen(stack)) {
        struct step step = arrpop(stack);
        int p = step.child[0], q = step.child[1];
        if (p < 0 && q < 0)
            pair_leaves(&c->trees, -1 - p, -1 - q);
        if (p < 0 || q < 0 || c->trees.nodes.to[0][p] >= 0 || c->trees.nodes.to[1][q] >= 0)
            continue;
        const struct bsp_node *x = &c->bsp[0]->nodes[p], *y = &c->bsp[1]->nodes[q];
        enum diff_planes planes = diff_compare_planes(c, x->plane, y->plane);
        if (planes == DIFF_PLANES_OTHER)
            continue;
        diff_match_pair(&c->trees.nodes, p, q);
        for (int k = 0; k < 2; k++) {
            int other = planes == DIFF_PLANES_OPPOSITE ? !k : k;
            arrput(stack, ((struct step){{x->children[k], y->children[other]}}));
        }
    }
    arrfree(stack);
}

typedef int leaf_number(const struct bsp_leaf *leaf);

static int cluster_of(const struct bsp_leaf *leaf)
{
    return leaf->cluster;
}

static int area_of(const struct bsp_leaf *leaf)
{
    return leaf->area;
}

static int numbers(const struct bsp *bsp, leaf_number *number)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (number(&bsp->leaves[i]) >= count)
            count = number(&bsp->leaves[i]) + 1;
    return count;
}

/* Maps numbers of A to B by the paired leaves, if this is one to one and complete; else NULL. */
static int32_t *renumbering(const struct comparison *c, leaf_number *number)
{
    const struct bsp *a = c->bsp[0], *b = c->bsp[1];
    struct diff_match map = {0};
    int count = numbers(a, number);
    bool whole = count == numbers(b, number);
    diff_match_init(&map, (size_t)count, (size_t)numbers(b, number));
    for (int i = 0; i < arrlen(a->leaves) && whole; i++) {
        int k = c->trees.leaves.to[0][i];
        int p = number(&a->leaves[i]), q = k < 0 ? -1 : number(&b->leaves[k]);
        if (p < 0 || k < 0 || a->leaves[i].contents & CONTENTS_SOLID)
            continue;
        whole = q >= 0 && (map.to[0][p] < 0 || map.to[0][p] == q) &&
                (map.to[1][q] < 0 || map.to[1][q] == p);
        if (whole)
            diff_match_pair(&map, p, q);
    }
    for (int i = 0; i < count && whole; i++) {
        /* Numbers that only solid leaves have. */
        if (map.to[0][i] < 0 && map.to[1][i] < 0)
            diff_match_pair(&map, i, i);
        whole = map.to[0][i] >= 0;
    }
    if (!whole)
        arrfree(map.to[0]);
    arrfree(map.to[1]);
    return map.to[0];
}

/* Nodes and leaves that no node and no model refers to, by their numbers as children: damaged files
 * have them. stb_ds array. */
static int32_t *loose_ends(const struct bsp *bsp)
{
    int32_t *ends = NULL;
    ptrdiff_t nodes = arrlen(bsp->nodes), leaves = arrlen(bsp->leaves);
    unsigned char *named = memory_zalloc((size_t)(nodes + leaves) + 1, 1);
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < 2; k++)
            named[leaves + bsp->nodes[i].children[k]] = 1;
    for (int i = 0; i < arrlen(bsp->models); i++)
        named[leaves + bsp->models[i].head_node] = 1;
    for (ptrdiff_t i = 0; i < nodes + leaves; i++)
        if (!named[i])
            arrput(ends, (int32_t)(i - leaves));
    memory_free(named);
    return ends;
}

static void pair_loose_ends(struct comparison *c)
{
    int32_t *ends[2] = {loose_ends(c->bsp[0]), loose_ends(c->bsp[1])};
    for (int i = 0; i < arrlen(ends[0]) && i < arrlen(ends[1]); i++)
        walk(c, ends[0][i], ends[1][i]);
    arrfree(ends[0]);
    arrfree(ends[1]);
}

void diff_need_trees(struct comparison *c)
{
    struct diff_trees *trees = &c->trees;
    if (c->done & DIFF_DONE_TREES)
        return;
    c->done |= DIFF_DONE_TREES;
    diff_need_models(c);
    diff_match_init(&trees->leaves, arrlenu(c->bsp[0]->leaves), arrlenu(c->bsp[1]->leaves));
    diff_match_init(&trees->nodes, arrlenu(c->bsp[0]->nodes), arrlenu(c->bsp[1]->nodes));
    for (int i = 0; i < arrlen(c->models.to[0]); i++) {
        int k = c->models.to[0][i];
        if (k >= 0)
            walk(c, c->bsp[0]->models[i].head_node, c->bsp[1]->models[k].head_node);
    }
    pair_loose_ends(c);
    trees->clusters = renumbering(c, cluster_of);
    trees->areas = renumbering(c, area_of);
}

void diff_trees_free(struct diff_trees *trees)
{
    diff_match_free(&trees->leaves);
    diff_match_free(&trees->nodes);
    arrfree(trees->clusters);
    arrfree(trees->areas);
}

static struct vec3 centre_of(const int32_t mins[3], const int32_t maxs[3])
{
    return vec3_scale(vec3_add(vec3(mins[0], mins[1], mins[2]), vec3(maxs[0], maxs[1], maxs[2])),
                      0.5);
}

static const char *describe_node(struct comparison *c, int side, int index)
{
    const struct bsp_node *node = &c->bsp[side]->nodes[index];
    const struct bsp_plane *plane = &c->bsp[side]->planes[node->plane];
    return arena_printf(&c->scratch, "node %d near %s, split by %s at %.6g", index,
                        diff_point_text(c, centre_of(node->mins, node->maxs)),
                        diff_point_text(c, vec3_from_floats(plane->normal)), (double)plane->dist);
}

void diff_tree(struct comparison *c)
{
    diff_need_trees(c);
    diff_count(c, arrlenu(c->bsp[0]->nodes), arrlenu(c->bsp[1]->nodes));
    diff_unmatched(c, &c->trees.nodes, describe_node);
}

/* Returns a point in the box of a leaf, so that small leaves are sampled too, or anywhere in the
 * world. */
static struct vec3 sample_point(const struct comparison *c, int i)
{
    const struct bsp *bsp = c->bsp[i % 2];
    const struct bsp_model *world = &bsp->models[0];
    uint64_t item = hash_pair(c->options->seed, (uint64_t)i);
    struct vec3 mins = vec3_from_floats(world->mins), maxs = vec3_from_floats(world->maxs), point;
    if (i % POINTS_PER_TRY && arrlen(bsp->leaves)) {
        size_t number = (size_t)(random_unit(item, 3) * (double)arrlen(bsp->leaves));
        const struct bsp_leaf *leaf = &bsp->leaves[number];
        for (int k = 0; k < 3 && bsp_leaf_has_box(leaf); k++) {
            mins.e[k] = portable_fmax(mins.e[k], leaf->mins[k]);
            maxs.e[k] = portable_fmin(maxs.e[k], leaf->maxs[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        point.e[k] = mins.e[k] + random_unit(item, (uint64_t)k) * (maxs.e[k] - mins.e[k]);
    return point;
}

void diff_need_samples(struct comparison *c)
{
    if (c->done & DIFF_DONE_SAMPLES)
        return;
    c->done |= DIFF_DONE_SAMPLES;
    for (int i = 0; i < c->options->samples; i++) {
        struct diff_sample sample = {.at = sample_point(c, i)};
        for (int side = 0; side < 2; side++)
            sample.leaf[side] = bsp_leaf_at(c->bsp[side], 0, sample.at);
        arrput(c->samples, sample);
    }
}

/* Hashes a list of faces or brushes by their partners in B, in any order; *known is false when one
 * has no partner, which is reported elsewhere. */
static uint64_t list_hash(const int32_t *list, int first, int count, const int32_t *to, bool *known)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int number = list[first + i];
        if (to && to[number] < 0)
            *known = false;
        sum += hash_u64(1 + (uint64_t)(to ? to[number] : number));
    }
    return sum;
}

static bool same_brushes(const struct comparison *c, const struct bsp_leaf *p,
                         const struct bsp_leaf *q)
{
    bool known = true;
    if (p->brush_count != q->brush_count)
        return false;
    uint64_t a = list_hash(c->bsp[0]->leaf_brushes, p->first_brush, p->brush_count,
                           c->brushes.to[0], &known);
    uint64_t b = list_hash(c->bsp[1]->leaf_brushes, q->first_brush, q->brush_count, NULL, &known);
    return !known || a == b;
}

static bool same_faces(const struct comparison *c, const struct bsp_leaf *p,
                       const struct bsp_leaf *q)
{
    bool known = true;
    if (p->face_count != q->face_count)
        return false;
    const int32_t *to =
        c->bsp[0]->engine->geometry.has_surfaces ? c->surfaces.to[0] : c->faces.to[0];
    uint64_t a = list_hash(c->bsp[0]->leaf_faces, p->first_face, p->face_count, to, &known);
    uint64_t b = list_hash(c->bsp[1]->leaf_faces, q->first_face, q->face_count, NULL, &known);
    return !known || a == b;
}

static bool same_number(const int32_t *map, int a, int b)
{
    return map && a >= 0 && a < arrlen(map) ? map[a] == b : a == b;
}

static int water_distance(const struct bsp *bsp, int leaf)
{
    return leaf < arrlen(bsp->leaf_min_dist_to_water) ? bsp->leaf_min_dist_to_water[leaf] : 65535;
}

static bool same_water(const struct comparison *c, int a, int b)
{
    const struct bsp *p = c->bsp[0], *q = c->bsp[1];
    int x = p->leaves[a].water_data, y = q->leaves[b].water_data;
    if (x < 0 || y < 0)
        return x < 0 && y < 0;
    return diff_alike((double)p->leaf_water[x].surface_z, (double)q->leaf_water[y].surface_z);
}

enum leaf_field {
    LEAF_CONTENTS,
    LEAF_CLUSTER,
    LEAF_AREA,
    LEAF_FLAGS,
    LEAF_WATER,
    LEAF_DISTANCE,
    LEAF_BRUSHES,
    LEAF_FACES,
    LEAF_FIELDS
};

static const char *const leaf_fields[LEAF_FIELDS] = {
    [LEAF_CONTENTS] = "contents", [LEAF_CLUSTER] = "cluster", [LEAF_AREA] = "area",
    [LEAF_FLAGS] = "flags",       [LEAF_WATER] = "water",     [LEAF_DISTANCE] = "distance_to_water",
    [LEAF_BRUSHES] = "brushes",   [LEAF_FACES] = "faces"};

static bool same_field(const struct comparison *c, enum leaf_field field, int a, int b)
{
    const struct bsp_leaf *p = &c->bsp[0]->leaves[a], *q = &c->bsp[1]->leaves[b];
    switch (field) {
    case LEAF_CONTENTS:
        return p->contents == q->contents;
    case LEAF_CLUSTER:
        return p->contents & CONTENTS_SOLID ||
               same_number(c->trees.clusters, p->cluster, q->cluster);
    case LEAF_AREA:
        return same_number(c->trees.areas, p->area, q->area);
    case LEAF_FLAGS:
        return p->flags == q->flags;
    case LEAF_WATER:
        return same_water(c, a, b);
    case LEAF_DISTANCE:
        return water_distance(c->bsp[0], a) == water_distance(c->bsp[1], b);
    case LEAF_BRUSHES:
        return same_brushes(c, p, q);
    default:
        return same_faces(c, p, q);
    }
}

static const char *describe_leaf(struct comparison *c, int side, int index)
{
    const struct bsp_leaf *leaf = &c->bsp[side]->leaves[index];
    return arena_printf(&c->scratch, "leaf %d near %s, contents 0x%x, cluster %d", index,
                        diff_point_text(c, centre_of(leaf->mins, leaf->maxs)),
                        (unsigned)leaf->contents, leaf->cluster);
}

static void compare_leaves(struct comparison *c)
{
    const struct diff_match *match = &c->trees.leaves;
    size_t counts[LEAF_FIELDS] = {0}, changed = 0;
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        bool same = true;
        for (int field = 0; field < LEAF_FIELDS && b >= 0; field++) {
            if (same_field(c, (enum leaf_field)field, i, b))
                continue;
            same = false;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s, leaf %d of B: %s differs", describe_leaf(c, 0, i), b,
                         leaf_fields[field]);
        }
        changed += !same;
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < LEAF_FIELDS; field++)
        diff_figure(c, leaf_fields[field], (double)counts[field]);
}

static int contents_at(const struct bsp *bsp, int leaf, struct vec3 at)
{
    return bsp->leaves[leaf].contents | bsp_brush_contents_at(bsp, leaf, at);
}

/* Compares the contents at sample points, where the trees cannot be compared leaf by leaf. */
static void compare_contents(struct comparison *c)
{
    size_t differing = 0;
    diff_need_samples(c);
    for (int i = 0; i < arrlen(c->samples); i++) {
        const struct diff_sample *sample = &c->samples[i];
        int was = contents_at(c->bsp[0], sample->leaf[0], sample->at);
        int is = contents_at(c->bsp[1], sample->leaf[1], sample->at);
        if (was == is)
            continue;
        differing++;
        DIFF_EXAMPLE(c, "contents at %s: 0x%x in A, 0x%x in B", diff_point_text(c, sample->at),
                     (unsigned)was, (unsigned)is);
    }
    diff_figure(c, "points", (double)arrlen(c->samples));
    diff_differ(c, "points_with_different_contents", differing);
}

void diff_leaves(struct comparison *c)
{
    diff_need_trees(c);
    diff_need_brushes(c);
    if (c->bsp[0]->engine->geometry.has_surfaces)
        diff_need_surfaces(c);
    else
        diff_need_faces(c);
    diff_count(c, arrlenu(c->bsp[0]->leaves), arrlenu(c->bsp[1]->leaves));
    compare_leaves(c);
    size_t before = (size_t)c->section->differing;
    diff_unmatched(c, &c->trees.leaves, describe_leaf);
    if ((size_t)c->section->differing > before && arrlen(c->bsp[0]->models) &&
        arrlen(c->bsp[1]->models))
        compare_contents(c);
}

static const char *describe_water(struct comparison *c, int side, int index)
{
    const struct bsp_leaf_water *water = &c->bsp[side]->leaf_water[index];
    return arena_printf(&c->scratch, "water with surface at %.6g, bottom at %.6g, material %s",
                        (double)water->surface_z, (double)water->min_z,
                        diff_material_name(c, side, water->texinfo));
}

static double water_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    int p = c->bsp[0]->leaf_water[a].texinfo, q = c->bsp[1]->leaf_water[b].texinfo;
    return diff_material(c->bsp[0], p) == diff_material(c->bsp[1], q) ? 0 : -1;
}

void diff_leaf_water(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(c->bsp[side]->leaf_water); i++) {
            const struct bsp_leaf_water *water = &c->bsp[side]->leaf_water[i];
            struct vec3 at = vec3((double)water->surface_z, (double)water->min_z, 0);
            arrput(points[side], ((struct diff_point){at, 0}));
        }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, water_cost, c, &match);
    diff_unmatched(c, &match, describe_water);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

/* Areas are numbers: they are compared by their leaves, which report when one has another. */
void diff_areas(struct comparison *c)
{
    size_t a = arrlenu(c->bsp[0]->areas), b = arrlenu(c->bsp[1]->areas), changed = 0;
    diff_need_trees(c);
    diff_count(c, a, b);
    diff_differ(c, a > b ? "only_in_a" : "only_in_b", a > b ? a - b : b - a);
    for (int i = 0; i < arrlen(c->trees.areas) && i < (int)a; i++) {
        int k = c->trees.areas[i];
        if (k >= (int)b || c->bsp[0]->areas[i].portal_count == c->bsp[1]->areas[k].portal_count)
            continue;
        changed++;
        DIFF_EXAMPLE(c, "area %d of A, %d of B: %d portals in A, %d in B", i, k,
                     c->bsp[0]->areas[i].portal_count, c->bsp[1]->areas[k].portal_count);
    }
    diff_differ(c, "changed", changed);
}

static struct bounds portal_box(const struct bsp *bsp, const struct bsp_area_portal *portal)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < portal->clip_vertex_count; i++)
        bounds_add_point(
            &box, vec3_from_floats(bsp->clip_portal_vertices[portal->first_clip_vertex + i].p));
    if (bounds_is_empty(&box))
        bounds_add_point(&box, vec3(0, 0, 0));
    return box;
}

static double area_portal_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    const struct bsp_area_portal *p = &c->bsp[0]->area_portals[a];
    const struct bsp_area_portal *q = &c->bsp[1]->area_portals[b];
    struct bounds x = portal_box(c->bsp[0], p), y = portal_box(c->bsp[1], q);
    double tolerance = c->options->distance;
    if (p->key != q->key || !same_number(c->trees.areas, p->other_area, q->other_area) ||
        (p->clip_vertex_count && diff_compare_planes(c, p->plane, q->plane) != DIFF_PLANES_SAME) ||
        !diff_near(x.mins, y.mins, tolerance) || !diff_near(x.maxs, y.maxs, tolerance))
        return -1;
    return p->clip_vertex_count == q->clip_vertex_count ? 0 : 1;
}

static const char *describe_area_portal(struct comparison *c, int side, int index)
{
    const struct bsp_area_portal *portal = &c->bsp[side]->area_portals[index];
    struct bounds box = portal_box(c->bsp[side], portal);
    return arena_printf(&c->scratch, "areaportal %d at %s, key %d, into area %d, %d vertices",
                        index, diff_point_text(c, bounds_center(&box)), portal->key,
                        portal->other_area, portal->clip_vertex_count);
}

void diff_area_portals(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    diff_need_trees(c);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(c->bsp[side]->area_portals); i++) {
            struct bounds box = portal_box(c->bsp[side], &c->bsp[side]->area_portals[i]);
            arrput(points[side], ((struct diff_point){bounds_center(&box), 0}));
        }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, area_portal_cost, c, &match);
    diff_unmatched(c, &match, describe_area_portal);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}
