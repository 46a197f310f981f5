/* Compares ambient cubes: those of leaves that both maps have, else at sample points. */
#include "common/core/array.h"
#include "common/diff/light.h"

/* Scale of cubes, where 1 is white. */
#define CUBE_WHITE 255.0

enum { CUBES_MAX = 256 }; /* per leaf; compilers write 16 at most */

struct cubes {
    const struct bsp_ambient *first;
    int count;
    bool placed; /* has a position; else it is in the middle, as the tools of 2007 have it */
};

static struct cubes cubes_of(const struct bsp *bsp, const struct bsp_light_set *set, int leaf)
{
    if (!arrlen(set->ambient_index)) {
        bool there = leaf < arrlen(set->ambient);
        return (struct cubes){there ? &set->ambient[leaf] : NULL, there, false};
    }
    const struct bsp_ambient_index *index = &set->ambient_index[leaf];
    if (!index->count && index->first < arrlen(bsp->leaves)) /* it refers to another leaf */
        index = &set->ambient_index[index->first];
    if (!index->count)
        return (struct cubes){0};
    return (struct cubes){&set->ambient[index->first], index->count, true};
}

static struct vec3 cube_place(const struct cubes *cubes, int i, const struct bsp_leaf *leaf)
{
    struct vec3 position;
    for (int k = 0; k < 3; k++) {
        double share = cubes->placed ? cubes->first[i].position[k] / 255.0 : 0.5;
        position.e[k] = leaf->mins[k] + share * (leaf->maxs[k] - leaf->mins[k]);
    }
    return position;
}

/* Returns the nearest cube; the first of equals, but `prefer` before all. */
static int nearest(const struct cubes *cubes, const struct bsp_leaf *leaf, struct vec3 at,
                   int prefer)
{
    int best = prefer < cubes->count ? prefer : 0;
    double distance = vec3_distance(cube_place(cubes, best, leaf), at);
    for (int i = 0; i < cubes->count && i < CUBES_MAX && distance > 0; i++) {
        double other = vec3_distance(cube_place(cubes, i, leaf), at);
        if (other >= distance)
            continue;
        best = i;
        distance = other;
    }
    return best;
}

struct ambient {
    const struct bsp_light_set *sets[2];
    struct diff_light sides;
    size_t leaves, counts, missing;
};

static bool compare_cubes(struct comparison *c, struct ambient *ambient,
                          const struct bsp_ambient *a, const struct bsp_ambient *b)
{
    bool differs = false;
    for (int k = 0; k < 6; k++) {
        struct diff_rgb x = diff_colour(a->cube[k]), y = diff_colour(b->cube[k]);
        for (int i = 0; i < 3; i++) {
            x.c[i] *= CUBE_WHITE;
            y.c[i] *= CUBE_WHITE;
        }
        if (diff_light_add(&ambient->sides, &x, &y, c->options->light))
            differs = true;
    }
    return differs;
}

static void tell_leaf(struct comparison *c, struct vec3 at, int a, int b)
{
    DIFF_EXAMPLE(c, "near %s: %d cubes in A, %d in B, or different light", diff_point_text(c, at),
                 a, b);
}

/* Returns true when a leaf of both maps has different light. */
static bool compare_leaf(struct comparison *c, struct ambient *ambient, int a, int b)
{
    const struct bsp_leaf *p = &c->bsp[0]->leaves[a], *q = &c->bsp[1]->leaves[b];
    struct cubes x = cubes_of(c->bsp[0], ambient->sets[0], a);
    struct cubes y = cubes_of(c->bsp[1], ambient->sets[1], b);
    bool differs = x.placed == y.placed && x.count != y.count;
    ambient->counts += differs;
    for (int i = 0; i < x.count && y.count; i++) {
        int k = nearest(&y, q, cube_place(&x, i, p), i);
        if (compare_cubes(c, ambient, &x.first[i], &y.first[k]))
            differs = true;
    }
    for (int i = 0; i < y.count && x.count && x.count != y.count; i++) {
        int k = nearest(&x, p, cube_place(&y, i, q), i);
        if (compare_cubes(c, ambient, &x.first[k], &y.first[i]))
            differs = true;
    }
    if (!x.count != !y.count)
        differs = true;
    if (differs)
        tell_leaf(c,
                  vec3((p->mins[0] + p->maxs[0]) / 2.0, (p->mins[1] + p->maxs[1]) / 2.0,
                       (p->mins[2] + p->maxs[2]) / 2.0),
                  x.count, y.count);
    return differs;
}

/* Solid leaves are never visible. */
static bool is_lit(const struct bsp *bsp, int leaf)
{
    return bsp->leaves[leaf].cluster >= 0 && !(bsp->leaves[leaf].contents & CONTENTS_SOLID);
}

static size_t compare_leaves(struct comparison *c, struct ambient *ambient, bool *alone)
{
    size_t changed = 0;
    for (int i = 0; i < arrlen(c->trees.leaves.to[0]); i++) {
        int k = c->trees.leaves.to[0][i];
        if (!is_lit(c->bsp[0], i))
            continue;
        if (k < 0)
            *alone = true;
        else
            changed += compare_leaf(c, ambient, i, k);
    }
    return changed;
}

/* Compares in leaves that only one map has. */
static size_t compare_points(struct comparison *c, struct ambient *ambient)
{
    size_t changed = 0, points = 0;
    diff_need_samples(c);
    for (int i = 0; i < arrlen(c->samples); i++) {
        const struct diff_sample *sample = &c->samples[i];
        int a = sample->leaf[0], b = sample->leaf[1];
        if (c->trees.leaves.to[0][a] >= 0 || !is_lit(c->bsp[0], a) || !is_lit(c->bsp[1], b))
            continue;
        struct cubes x = cubes_of(c->bsp[0], ambient->sets[0], a);
        struct cubes y = cubes_of(c->bsp[1], ambient->sets[1], b);
        points++;
        bool differs = !x.count != !y.count;
        if (x.count && y.count) {
            int p = nearest(&x, &c->bsp[0]->leaves[a], sample->at, 0);
            int q = nearest(&y, &c->bsp[1]->leaves[b], sample->at, 0);
            differs = compare_cubes(c, ambient, &x.first[p], &y.first[q]);
        }
        if (differs)
            tell_leaf(c, sample->at, x.count, y.count);
        changed += differs;
    }
    diff_figure(c, "points", (double)points);
    return changed;
}

static void compare_ambient(struct comparison *c, bool hdr)
{
    struct ambient ambient = {0};
    bool alone = false;
    diff_need_trees(c);
    for (int side = 0; side < 2; side++)
        ambient.sets[side] = hdr ? &c->bsp[side]->hdr : &c->bsp[side]->ldr;
    size_t a = arrlenu(ambient.sets[0]->ambient), b = arrlenu(ambient.sets[1]->ambient);
    diff_count(c, a, b);
    if (!a && !b)
        return;
    if (!a || !b) {
        diff_differ(c, a ? "only_in_a" : "only_in_b", a + b);
        return;
    }
    diff_differ(c, "leaves_changed", compare_leaves(c, &ambient, &alone));
    diff_figure(c, "leaves_with_different_count", (double)ambient.counts);
    if (alone)
        diff_differ(c, "points_changed", compare_points(c, &ambient));
    diff_light_figures(c, &ambient.sides, "cube_sides_differing");
}

void diff_ambient(struct comparison *c)
{
    compare_ambient(c, false);
}

void diff_ambient_hdr(struct comparison *c)
{
    compare_ambient(c, true);
}
