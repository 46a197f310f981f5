/* Compares light: lightmaps, face by face, worldlights, and the ambient cubes of leaves. */
#include "common/diff/light.h"

#include "common/bsp/face_records.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/luminance.h"
#include "common/core/portable_math.h"

/* Added to both before taking their ratio: darker values look black (255 is white). */
#define DIFF_LIGHT_FLOOR 0.5

enum { LUXEL_SIZE = 4 };

struct diff_rgb diff_colour(struct bsp_colour colour)
{
    double scale = ldexp(1, colour.exponent);
    return (struct diff_rgb){{colour.r * scale, colour.g * scale, colour.b * scale}};
}

static double brightness(const struct diff_rgb *rgb)
{
    return luminance(rgb->c[0], rgb->c[1], rgb->c[2]);
}

bool diff_light_add(struct diff_light *light, const struct diff_rgb *a, const struct diff_rgb *b,
                    double share)
{
    double max = 0, gap = 0;
    for (int k = 0; k < 3; k++) {
        max = portable_fmax(max, portable_fmax(a->c[k], b->c[k]));
        gap = portable_fmax(gap, fabs(a->c[k] - b->c[k]));
    }
    double stops =
        portable_log2((brightness(b) + DIFF_LIGHT_FLOOR) / (brightness(a) + DIFF_LIGHT_FLOOR));
    light->count++;
    light->square += stops * stops;
    light->sum += stops;
    light->max = portable_fmax(light->max, fabs(stops));
    bool differs = gap > share * (max + 1);
    light->differing += differs;
    return differs;
}

void diff_light_figures(struct comparison *c, const struct diff_light *light, const char *what)
{
    if (!light->differing)
        return;
    double count = (double)light->count;
    diff_figure(c, what, (double)light->differing);
    diff_figure(c, "percent", 100 * (double)light->differing / count);
    diff_figure(c, "rms_log2", sqrt(light->square / count));
    diff_figure(c, "mean_log2", light->sum / count);
    diff_figure(c, "max_log2", light->max);
}

/* A face's light in the lump of one side. */
struct lit {
    const struct bsp_face *face;
    const struct bytes *lighting;
    int maps, styles, width, height;
};

static struct lit lit_of(const struct bsp *bsp, int number, bool hdr)
{
    const struct bsp_light_set *set = hdr ? &bsp->hdr : &bsp->ldr;
    const struct bsp_face *face =
        hdr && bsp->faces_hdr ? &bsp->faces_hdr[number] : &bsp->faces[number];
    struct lit lit = {.face = face, .lighting = &set->lighting, .maps = 1};
    if (face->light_offset < 0 || !set->lighting.size)
        return lit;
    while (lit.styles < BSP_FACE_STYLES && face->styles[lit.styles] != BSP_STYLE_NONE)
        lit.styles++;
    if (diff_surface_flags(bsp, face->texinfo) & SURFACE_BUMPLIGHT)
        lit.maps = 4;
    lit.width = face->lightmap_size[0] + 1;
    lit.height = face->lightmap_size[1] + 1;
    return lit;
}

static struct diff_rgb luxel_at(const struct lit *lit, int64_t offset)
{
    const unsigned char *p = lit->lighting->data + lit->face->light_offset + offset;
    return diff_colour((struct bsp_colour){p[0], p[1], p[2], (int8_t)p[3]});
}

/* A damaged face may name a style twice: the same index is preferred. */
static int style_like(const struct lit *lit, int style, int own)
{
    if (own < lit->styles && lit->face->styles[own] == style)
        return own;
    for (int i = 0; i < lit->styles; i++)
        if (lit->face->styles[i] == style)
            return i;
    return -1;
}

struct lightmaps {
    struct diff_light luxels, averages;
    size_t lit[2], grids, styles, values;
    bool hdr;
};

static bool compare_style(struct comparison *c, struct lightmaps *maps, const struct lit *a,
                          const struct lit *b, int style, int like)
{
    int64_t count = (int64_t)a->width * a->height * a->maps, at = 0;
    size_t differing = 0;
    for (int64_t i = 0; i < count; i++) {
        struct diff_rgb x = luxel_at(a, LUXEL_SIZE * (style * count + i));
        struct diff_rgb y = luxel_at(b, LUXEL_SIZE * (like * count + i));
        if (diff_light_add(&maps->luxels, &x, &y, c->options->light) && !differing++)
            at = i;
    }
    /* The averages precede the luxels, the last style's first. */
    struct diff_rgb x = luxel_at(a, -LUXEL_SIZE * (1 + style));
    struct diff_rgb y = luxel_at(b, -LUXEL_SIZE * (1 + like));
    bool average = diff_light_add(&maps->averages, &x, &y, c->options->light);
    if (differing && diff_wants_example(c)) {
        x = luxel_at(a, LUXEL_SIZE * (style * count + at));
        y = luxel_at(b, LUXEL_SIZE * (like * count + at));
        int face = (int)(a->face - (maps->hdr && c->bsp[0]->faces_hdr ? c->bsp[0]->faces_hdr
                                                                      : c->bsp[0]->faces));
        DIFF_EXAMPLE(c,
                     "%s: style %d, %zu of %lld luxels; luxel %lld, %lld is %.4g %.4g %.4g in A, "
                     "%.4g %.4g %.4g in B",
                     diff_describe_face(c, 0, face), a->face->styles[style], differing,
                     (long long)count, (long long)(at % a->width),
                     (long long)(at / a->width % a->height), x.c[0], x.c[1], x.c[2], y.c[0], y.c[1],
                     y.c[2]);
    }
    return differing || average;
}

/* Returns true when the light of the two faces differs. */
static bool compare_lit(struct comparison *c, struct lightmaps *maps, int number,
                        const struct lit *a, const struct lit *b)
{
    bool differs = false, styles = a->styles != b->styles;
    if (!a->styles || !b->styles) {
        maps->styles += styles;
        if (styles)
            DIFF_EXAMPLE(c, "%s: lit only in %c", diff_describe_face(c, 0, number),
                         a->styles ? 'A' : 'B');
        return styles;
    }
    if (a->width != b->width || a->height != b->height || a->maps != b->maps) {
        maps->grids++;
        DIFF_EXAMPLE(c, "%s: %d x %d luxels, %d lightmaps in A, %d x %d, %d in B",
                     diff_describe_face(c, 0, number), a->width, a->height, a->maps, b->width,
                     b->height, b->maps);
        return true;
    }
    for (int i = 0; i < a->styles; i++) {
        int like = style_like(b, a->face->styles[i], i);
        styles = styles || like < 0;
        if (like >= 0 && compare_style(c, maps, a, b, i, like))
            differs = true;
    }
    maps->values += differs;
    maps->styles += styles;
    if (styles)
        DIFF_EXAMPLE(c, "%s: light styles differ", diff_describe_face(c, 0, number));
    return differs || styles;
}

static size_t lit_faces(const struct bsp *bsp, bool hdr)
{
    size_t count = 0;
    for (int i = 0; i < arrlen(bsp->faces); i++)
        count += lit_of(bsp, i, hdr).styles > 0;
    return count;
}

/* Number of lit faces that only one map has. */
static size_t lit_alone(const struct comparison *c, int side, bool hdr)
{
    size_t count = 0;
    for (int i = 0; i < arrlen(c->faces.to[side]); i++)
        count += c->faces.to[side][i] < 0 && lit_of(c->bsp[side], i, hdr).styles > 0;
    return count;
}

static void compare_lightmaps(struct comparison *c, bool hdr)
{
    struct lightmaps maps = {.hdr = hdr};
    size_t changed = 0;
    diff_count(c, lit_faces(c->bsp[0], hdr), lit_faces(c->bsp[1], hdr));
    diff_need_faces(c);
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int k = c->faces.to[0][i];
        if (k < 0)
            continue;
        struct lit a = lit_of(c->bsp[0], i, hdr), b = lit_of(c->bsp[1], k, hdr);
        changed += compare_lit(c, &maps, i, &a, &b);
    }
    diff_differ(c, "faces_changed", changed);
    diff_figure(c, "faces_with_different_light", (double)maps.values);
    diff_figure(c, "faces_with_different_size", (double)maps.grids);
    diff_figure(c, "faces_with_different_styles", (double)maps.styles);
    diff_light_figures(c, &maps.luxels, "luxels_differing");
    diff_figure(c, "averages_differing", (double)maps.averages.differing);
    diff_differ(c, "lit_faces_only_in_a", lit_alone(c, 0, hdr));
    diff_differ(c, "lit_faces_only_in_b", lit_alone(c, 1, hdr));
}

void diff_lightmaps(struct comparison *c)
{
    compare_lightmaps(c, false);
}

void diff_lightmaps_hdr(struct comparison *c)
{
    compare_lightmaps(c, true);
}

/* ---- worldlights: those of a type at a position, the most similar first ---- */

struct light_lists {
    const struct comparison *c;
    const struct bsp_worldlight *lights[2];
};

/* Relative, because intensities have any magnitude. */
static bool same_numbers(const float *a, const float *b, int count, double share)
{
    double max = 0, gap = 0;
    for (int i = 0; i < count; i++) {
        max = portable_fmax(max, portable_fmax(fabs((double)a[i]), fabs((double)b[i])));
        gap = portable_fmax(gap, fabs((double)a[i] - (double)b[i]));
    }
    return gap <= share * max + 1e-7;
}

enum light_field {
    LIGHT_INTENSITY,
    LIGHT_NORMAL,
    LIGHT_CONE,
    LIGHT_FALLOFF,
    LIGHT_STYLE,
    LIGHT_MATERIAL,
    LIGHT_CLUSTER,
    LIGHT_OFFSET,
    LIGHT_FIELDS
};

static const char *const light_fields[LIGHT_FIELDS] = {
    [LIGHT_INTENSITY] = "intensity", [LIGHT_NORMAL] = "direction",    [LIGHT_CONE] = "cone",
    [LIGHT_FALLOFF] = "falloff",     [LIGHT_STYLE] = "style",         [LIGHT_MATERIAL] = "material",
    [LIGHT_CLUSTER] = "cluster",     [LIGHT_OFFSET] = "shadow_offset"};

static bool same_cluster(const struct comparison *c, int a, int b)
{
    const int32_t *map = c->trees.clusters;
    return !map || a < 0 || a >= arrlen(map) ? (a < 0) == (b < 0) : map[a] == b;
}

static bool same_light_field(const struct light_lists *lists, enum light_field field, int a, int b)
{
    const struct comparison *c = lists->c;
    const struct bsp_worldlight *p = &lists->lights[0][a], *q = &lists->lights[1][b];
    double share = c->options->light;
    switch (field) {
    case LIGHT_INTENSITY:
        return same_numbers(p->intensity, q->intensity, 3, share);
    case LIGHT_NORMAL:
        return diff_near(vec3_from_floats(p->normal), vec3_from_floats(q->normal), 1e-3);
    case LIGHT_CONE:
        return same_numbers(&p->stopdot, &q->stopdot, 1, share) &&
               same_numbers(&p->stopdot2, &q->stopdot2, 1, share) &&
               same_numbers(&p->exponent, &q->exponent, 1, share);
    case LIGHT_FALLOFF:
        return same_numbers(&p->constant, &q->constant, 1, share) &&
               same_numbers(&p->linear, &q->linear, 1, share) &&
               same_numbers(&p->quadratic, &q->quadratic, 1, share) &&
               same_numbers(&p->radius, &q->radius, 1, share);
    case LIGHT_STYLE:
        return p->style == q->style && p->flags == q->flags;
    case LIGHT_MATERIAL: /* meaningless for other kinds */
        return p->type != WORLDLIGHT_SURFACE ||
               diff_material(c->bsp[0], p->texinfo) == diff_material(c->bsp[1], q->texinfo);
    case LIGHT_CLUSTER:
        return same_cluster(c, p->cluster, q->cluster);
    default:
        return diff_alike_all(p->shadow_cast_offset, q->shadow_cast_offset, 3);
    }
}

static double light_cost(const void *context, int a, int b)
{
    int cost = 0;
    for (int field = 0; field < LIGHT_FIELDS; field++)
        cost += !same_light_field(context, (enum light_field)field, a, b);
    return cost;
}

static const char *light_text(struct comparison *c, const struct bsp_worldlight *light)
{
    static const char *const types[] = {"surface", "point", "spot", "sky", "quake", "sky ambient"};
    const char *type = "unknown";
    if (light->type >= 0 && light->type <= WORLDLIGHT_SKY_AMBIENT)
        type = types[light->type];
    return arena_printf(&c->scratch, "%s light at %s, intensity %.4g %.4g %.4g, style %d", type,
                        diff_point_text(c, vec3_from_floats(light->origin)),
                        (double)light->intensity[0], (double)light->intensity[1],
                        (double)light->intensity[2], light->style);
}

static const char *describe_light(struct comparison *c, int side, int index)
{
    return light_text(c, &c->bsp[side]->ldr.worldlights[index]);
}

static const char *describe_hdr_light(struct comparison *c, int side, int index)
{
    return light_text(c, &c->bsp[side]->hdr.worldlights[index]);
}

static void compare_matched_lights(struct comparison *c, const struct light_lists *lists,
                                   const struct diff_match *match)
{
    size_t counts[LIGHT_FIELDS] = {0}, changed = 0;
    for (int i = 0; i < arrlen(match->to[0]); i++) {
        int b = match->to[0][i];
        if (b < 0 || light_cost(lists, i, b) <= 0)
            continue;
        changed++;
        for (int field = 0; field < LIGHT_FIELDS; field++) {
            if (same_light_field(lists, (enum light_field)field, i, b))
                continue;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s: %s differs; in B %s", light_text(c, &lists->lights[0][i]),
                         light_fields[field], light_text(c, &lists->lights[1][b]));
        }
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < LIGHT_FIELDS; field++)
        diff_figure(c, light_fields[field], (double)counts[field]);
}

static void compare_worldlights(struct comparison *c, bool hdr)
{
    struct light_lists lists = {.c = c};
    struct diff_point *points[2] = {NULL, NULL};
    struct diff_match match = {0};
    diff_need_trees(c);
    for (int side = 0; side < 2; side++) {
        lists.lights[side] = hdr ? c->bsp[side]->hdr.worldlights : c->bsp[side]->ldr.worldlights;
        for (size_t i = 0; i < arrlenu(lists.lights[side]); i++) {
            const struct bsp_worldlight *light = &lists.lights[side][i];
            arrput(points[side],
                   ((struct diff_point){vec3_from_floats(light->origin), (uint64_t)light->type}));
        }
    }
    diff_count(c, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_init(&match, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, light_cost, &lists, &match);
    compare_matched_lights(c, &lists, &match);
    diff_unmatched(c, &match, hdr ? describe_hdr_light : describe_light);
    diff_match_free(&match);
    arrfree(points[0]);
    arrfree(points[1]);
}

void diff_worldlights(struct comparison *c)
{
    compare_worldlights(c, false);
}

void diff_worldlights_hdr(struct comparison *c)
{
    compare_worldlights(c, true);
}

/* ---- ambient cubes: those of leaves that both maps have, else at sample points ---- */

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
