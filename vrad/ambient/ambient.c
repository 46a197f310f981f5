#include "vrad/ambient/ambient.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"
#include "vrad/ambient/ambient_choice.h"
#include "vrad/ambient/ambient_rays.h"
#include "vrad/ambient/buried.h"
#include "vrad/luxels/colour.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/prop_view.h"

enum {
    SAMPLES = CHOICE_PICKS,         /* of a leaf, at most */
    CANDIDATES = CHOICE_CANDIDATES, /* that they are chosen from, at most */
    TRIES = 1000,                   /* points that are tried for them */
    GLANCES = 36, /* candidates that look around: they tell what light the others have */
    SIDES = 6,
    DEFAULT_RAYS = 128,
    MAX_SAMPLES = 65535, /* of a map: the index has 16 bits */
};

/* A candidate a cube of this side. */
#define CANDIDATE_SPACING 32.0
/* At least one for so much of a leaf's length. */
#define LENGTH_SPACING 256.0

/* Light that is worth a ray to hot spots, of 255. */
#define MIN_LIGHT 0.3

/* Samples that are foretold within this, in steps of the 255 of a screen's gamma, are left out. */
#define FORETOLD_STEPS 3.0
#define SCREEN_GAMMA   2.2

struct sample {
    unsigned char position[3];
    struct vec3 point;
    float light[SIDES][3];        /* 255 is white */
    uint64_t seed;                /* of its rays */
    bool lit;                     /* its first rays have been sent */
    uint32_t seen[AMBIENT_FIRST]; /* what the first of its rays see */
};

struct leaf_samples {
    const struct bsp_leaf *leaf;
    struct hot_view hot;
    struct sample *samples; /* from the heap */
    int count;
};

struct ambient {
    const struct radiosity *radiosity;
    const struct hot_spots *hot;
    const struct light_set *lights;
    struct buried buried;      /* where no sample is to lie */
    const struct light **weak; /* stb_ds array: what the cubes hold */
    struct ambient_rays rays;  /* the first of candidates, all of samples */
    bool fast;
    struct progress *progress;
    const struct bounds *region;
    const struct bsp_light_set *before; /* what leaves outside of the region keep */
    struct leaf_parents ways;           /* of the tree of the world */
    struct leaf_samples *leafs;         /* one a leaf */
};

static const struct bsp *bsp_of(const struct ambient *ambient)
{
    return ambient->radiosity->scene->bsp;
}

static void add_light(struct sample *sample, struct vec3 direction, struct vec3 light)
{
    for (int axis = 0; axis < 3; axis++) {
        double along = direction.e[axis];
        int side = 2 * axis + (along < 0);
        for (int k = 0; k < 3; k++)
            sample->light[side][k] += (float)(fabs(along) * light.e[k]);
    }
}

static void add_hot_spots(const struct hot_view *hot, struct sample *sample)
{
    struct hot_receiver to = {.position = sample->point,
                              .start = sample->point,
                              .axes = SIDES,
                              .min = MIN_LIGHT,
                              .seed = sample->seed};
    for (int side = 0; side < SIDES; side++)
        to.axis[side].e[side / 2] = side % 2 ? -1 : 1;
    hot_light(hot, &to, sample->light[0]);
}

/* What some samples of a leaf see, the table's rays a sample. */
static void look_around(const struct ambient *ambient, const struct bsp_leaf *leaf,
                        const struct hot_view *hot, const struct gather_table *table,
                        const struct sample *samples, int count, uint32_t *seen)
{
    struct gather_point points[GATHER_POINTS] = {{.slots = 0}};
    for (int i = 0; i < count; i++)
        points[i] = (struct gather_point){.in_air = true,
                                          .place = 1 + radiosity_sky(ambient->radiosity) +
                                                   (size_t)(leaf - bsp_of(ambient)->leaves),
                                          .position = samples[i].point,
                                          .area = leaf->area,
                                          .seed = samples[i].seed,
                                          .hot = hot};
    gather_look(ambient->radiosity, table, points, count, seen);
}

/* The lights that the engine does not take from the worldlights. */
static void add_weak_lights(const struct ambient *ambient, int cluster, struct sample *sample)
{
    for (ptrdiff_t i = 0; i < arrlen(ambient->weak); i++) {
        const struct light *light = ambient->weak[i];
        struct vec3 direction;
        double distance, share = light_at(light, sample->point, &direction, &distance);
        if (share <= 0 ||
            !light_reaches(ambient->lights, (int)(light - ambient->lights->lights), cluster))
            continue;
        struct trace_packet packet = {.far[0] = (float)distance};
        for (int k = 0; k < 3; k++) {
            packet.origin[k][0] = (float)sample->point.e[k];
            packet.direction[k][0] = (float)direction.e[k];
        }
        if (!scene_blocked16(ambient->radiosity->scene, &packet, 1))
            add_light(sample, direction, vec3_scale(light->intensity, share));
    }
}

static double screen(float light)
{
    return 255 * pow(fmax((double)light, 0) / 255, 1 / SCREEN_GAMMA);
}

/* By how many steps at most the others miss sample `index`, weighted by the inverse square of the
 * distance; or `enough`. */
static double miss(const struct leaf_samples *leaf, int index, double enough)
{
    const struct sample *sample = &leaf->samples[index];
    double light[SIDES][3] = {{0}}, total = 0, worst = 0;
    for (int i = 0; i < leaf->count; i++) {
        if (i == index)
            continue;
        const struct sample *other = &leaf->samples[i];
        struct vec3 way = vec3_sub(other->point, sample->point);
        double weight = 1 / (vec3_dot(way, way) + 1);
        total += weight;
        for (int side = 0; side < SIDES; side++)
            for (int k = 0; k < 3; k++)
                light[side][k] += weight * (double)other->light[side][k];
    }
    for (int side = 0; side < SIDES; side++)
        for (int k = 0; k < 3 && worst < enough; k++)
            worst = fmax(worst, fabs(screen((float)(light[side][k] / total)) -
                                     screen(sample->light[side][k])));
    return worst;
}

static void drop_foretold(struct leaf_samples *leaf)
{
    while (leaf->count > 1) {
        int best = -1;
        double min = FORETOLD_STEPS;
        for (int i = 0; i < leaf->count; i++) {
            double steps = miss(leaf, i, min);
            if (steps < min) {
                min = steps;
                best = i;
            }
        }
        if (best < 0)
            return;
        leaf->count--;
        memmove(&leaf->samples[best], &leaf->samples[best + 1],
                (size_t)(leaf->count - best) * sizeof leaf->samples[0]);
    }
}

/* The first rays of some samples, and the light that they bring. */
static void glance(const struct ambient *ambient, const struct bsp_leaf *leaf,
                   const struct hot_view *hot, struct sample *samples, int count)
{
    uint32_t seen[GATHER_POINTS * AMBIENT_FIRST];
    look_around(ambient, leaf, hot, &ambient->rays.first, samples, count, seen);
    for (int i = 0; i < count; i++) {
        struct cube_sum sum = {.light = {{0}}};
        samples[i].lit = true;
        memcpy(samples[i].seen, seen + i * AMBIENT_FIRST, sizeof samples[i].seen);
        cube_sum_add(ambient->radiosity, ambient->hot, false, &ambient->rays.first, samples[i].seed,
                     samples[i].seen, &sum);
        for (int side = 0; side < SIDES; side++)
            cube_sum_light(&sum, side, samples[i].light[side]);
    }
}

/* Lights the samples of a leaf, whose first rays have been sent. */
static void light_samples(const struct ambient *ambient, const struct hot_view *hot,
                          struct leaf_samples *leaf)
{
    const struct ambient_rays *rays = &ambient->rays;
    uint32_t seen[SAMPLES * GATHER_RAYS];
    look_around(ambient, leaf->leaf, hot, &rays->rest, leaf->samples, leaf->count, seen);
    for (int i = 0; i < leaf->count; i++) {
        struct sample *sample = &leaf->samples[i];
        struct cube_sum sum = {.light = {{0}}};
        cube_sum_add(ambient->radiosity, ambient->hot, true, &rays->first, sample->seed,
                     sample->seen, &sum);
        cube_sum_add(ambient->radiosity, ambient->hot, true, &rays->rest, sample->seed,
                     seen + i * rays->rest.rays, &sum);
        for (int side = 0; side < SIDES; side++)
            cube_sum_light(&sum, side, sample->light[side]);
        add_hot_spots(hot, sample);
        add_weak_lights(ambient, leaf->leaf->cluster, sample);
    }
}

/* As many as cubes of CANDIDATE_SPACING that are as wide as the leaf along x would hold: so the
 * peers count. A corridor that is narrow along x still gets some along its length. */
static int wanted_candidates(const struct ambient *ambient, const struct bsp_leaf *leaf)
{
    double width = floor(((double)leaf->maxs[0] - leaf->mins[0]) / CANDIDATE_SPACING);
    double count = fmax(width * width * width, 1);
    for (int k = 1; k < 3; k++)
        count = fmax(count, ((double)leaf->maxs[k] - leaf->mins[k]) / LENGTH_SPACING);
    return ambient->fast ? 1 : (int)fmin(count, CANDIDATES);
}

/* Where candidates of a leaf are looked for. */
struct search {
    int leaf;
    const struct bounds *box;
    struct leaf_plane *walls;
    struct shuffled_stream stream;
    int tries;
};

static bool is_open(const struct ambient *ambient, const struct search *search, struct vec3 point)
{
    const struct scene *scene = ambient->radiosity->scene;
    return leaf_planes_contain(&scene->tree, search->walls, point) &&
           !scene_solid_at(scene, search->leaf, point) && prop_view_inside(scene, point) < 0 &&
           !buried_holds(&ambient->buried, scene, point);
}

/* The next point of the stream that lies in the open part of the leaf. */
static bool next_candidate(const struct ambient *ambient, struct search *search, struct sample *out)
{
    const struct bounds *box = search->box;
    while (search->tries++ < TRIES) {
        for (int k = 0; k < 3; k++) {
            double at = shuffled_next(&search->stream);
            out->point.e[k] = box->mins.e[k] + at * (box->maxs.e[k] - box->mins.e[k]);
            out->position[k] = (unsigned char)(at * 255 + 0.5);
        }
        if (is_open(ambient, search, out->point))
            return true;
    }
    return false;
}

static void glance_all(const struct ambient *ambient, const struct leaf_samples *leaf,
                       struct sample *samples, int count)
{
    for (int lit = 0; lit < count; lit += GATHER_POINTS)
        glance(ambient, leaf->leaf, &leaf->hot, samples + lit,
               count - lit < GATHER_POINTS ? count - lit : GATHER_POINTS);
}

/* The first rays of samples that were chosen without. */
static void glance_others(const struct ambient *ambient, struct leaf_samples *leaf)
{
    struct sample others[SAMPLES];
    int number[SAMPLES], count = 0;
    for (int i = 0; i < leaf->count; i++) {
        if (leaf->samples[i].lit)
            continue;
        number[count] = i;
        others[count++] = leaf->samples[i];
    }
    glance_all(ambient, leaf, others, count);
    for (int i = 0; i < count; i++)
        leaf->samples[number[i]] = others[i];
}

static int find_candidates(const struct ambient *ambient, int number, const struct bounds *box,
                           struct sample candidates[CANDIDATES])
{
    struct search search = {.leaf = number, .box = box};
    int wanted = wanted_candidates(ambient, &bsp_of(ambient)->leaves[number]), found = 0;
    search.walls = leaf_planes_of(&ambient->radiosity->scene->tree, &ambient->ways, number, box);
    while (found < wanted && next_candidate(ambient, &search, &candidates[found])) {
        candidates[found].lit = false;
        candidates[found].seed = hash_pair((uint64_t)number, (uint64_t)found);
        found++;
    }
    arrfree(search.walls);
    return found;
}

/* Those of the candidates that become samples; the first `known` have light. */
static int pick(const struct sample *candidates, int known, int count, int picked[SAMPLES])
{
    struct choice_point points[CANDIDATES];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            points[i].place[k] = (float)candidates[i].point.e[k];
        memset(points[i].light, 0, sizeof points[i].light);
        if (i < known)
            memcpy(points[i].light, candidates[i].light, sizeof candidates[i].light);
    }
    choice_foretell(points, known, count);
    return choice_pick(points, count, SAMPLES, picked);
}

/* Samples that lie apart and differ in light, and the view of the hot spots that they share. */
static void choose_samples(const struct ambient *ambient, int number, const struct bounds *box,
                           struct leaf_samples *out)
{
    struct sample candidates[CANDIDATES];
    int picked[SAMPLES], found = find_candidates(ambient, number, box, candidates);
    if (found == 0)
        return;
    hot_view_of_box(ambient->hot, box, &out->leaf->cluster, out->leaf->cluster >= 0, &out->hot);
    int known = found < GLANCES ? found : GLANCES;
    glance_all(ambient, out, candidates, known);
    out->count = pick(candidates, known, found, picked);
    out->samples = memory_alloc((size_t)out->count * sizeof *out->samples);
    for (int i = 0; i < out->count; i++)
        out->samples[i] = candidates[picked[i]];
    glance_others(ambient, out);
}

static bool keep_leaf(const struct ambient *ambient, size_t number, struct leaf_samples *out)
{
    const struct bsp_light_set *before = ambient->before;
    if (number >= arrlenu(before->ambient_index))
        return false;
    const struct bsp_ambient_index *index = &before->ambient_index[number];
    ptrdiff_t have = arrlen(before->ambient);
    if (index->count < 1 || index->count > SAMPLES || index->first < 0 ||
        index->first > have - index->count)
        return false;
    out->samples = memory_zalloc((size_t)index->count, sizeof *out->samples);
    for (out->count = 0; out->count < index->count; out->count++) {
        const struct bsp_ambient *record = &before->ambient[index->first + out->count];
        struct sample *sample = &out->samples[out->count];
        memcpy(sample->position, record->position, sizeof sample->position);
        for (int side = 0; side < SIDES; side++) {
            colour_decode(record->cube[side], sample->light[side]);
            for (int k = 0; k < 3; k++)
                sample->light[side][k] *= 255;
        }
    }
    return true;
}

static void light_leaf(void *context, size_t number, int thread)
{
    (void)thread;
    struct ambient *ambient = context;
    const struct bsp_leaf *leaf = &bsp_of(ambient)->leaves[number];
    struct leaf_samples *out = &ambient->leafs[number];
    progress_step(ambient->progress);
    if (ambient->ways.above_leaf[number] == LEAF_PARENT_NONE || leaf->contents & CONTENTS_SOLID)
        return;
    struct bounds box;
    for (int k = 0; k < 3; k++) {
        box.mins.e[k] = leaf->mins[k];
        box.maxs.e[k] = leaf->maxs[k];
    }
    if (ambient->region && !bounds_touch(&box, ambient->region, 0) &&
        keep_leaf(ambient, number, out))
        return;
    out->leaf = leaf;
    choose_samples(ambient, (int)number, &box, out);
    if (out->count == 0)
        return;
    light_samples(ambient, &out->hot, out);
    hot_view_free(&out->hot);
    drop_foretold(out);
}

/* Most samples a leaf, so that the map's fit the index. */
static int sample_cap(const struct ambient *ambient, size_t leaves)
{
    for (int cap = SAMPLES; cap > 1; cap--) {
        size_t total = 0;
        for (size_t i = 0; i < leaves; i++)
            total += (size_t)(ambient->leafs[i].count < cap ? ambient->leafs[i].count : cap);
        if (total <= MAX_SAMPLES)
            return cap;
    }
    return 1;
}

static void store_sample(const struct sample *sample, struct bsp_light_set *out)
{
    struct bsp_ambient record = {0};
    for (int side = 0; side < SIDES; side++) {
        float scaled[3];
        for (int k = 0; k < 3; k++)
            scaled[k] = sample->light[side][k] / 255;
        record.cube[side] = colour_encode(scaled);
    }
    memcpy(record.position, sample->position, sizeof record.position);
    arrput(out->ambient, record);
}

static bool boxes_touch(const struct bsp_leaf *a, const struct bsp_leaf *b)
{
    for (int k = 0; k < 3; k++)
        if (a->mins[k] > b->maxs[k] || b->mins[k] > a->maxs[k])
            return false;
    return true;
}

static int lender(const struct bsp *bsp, const struct bsp_ambient_index *index, int leaf)
{
    for (int i = 0; i < (int)arrlen(bsp->leaves); i++)
        if (index[i].count && boxes_touch(&bsp->leaves[leaf], &bsp->leaves[i]))
            return i;
    return leaf;
}

static void store(const struct ambient *ambient, size_t leaves, struct bsp_light_set *out)
{
    int cap = sample_cap(ambient, leaves);
    arrfree(out->ambient_index);
    arrfree(out->ambient);
    for (size_t i = 0; i < leaves; i++) {
        const struct leaf_samples *leaf = &ambient->leafs[i];
        int count = leaf->count < cap ? leaf->count : cap;
        if (arrlen(out->ambient) + count > MAX_SAMPLES)
            count = 0;
        struct bsp_ambient_index index = {count, count ? (int)arrlen(out->ambient) : 0};
        arrput(out->ambient_index, index);
        for (int k = 0; k < count; k++)
            store_sample(&leaf->samples[k], out);
    }
    for (size_t i = 0; i < leaves; i++)
        if (!out->ambient_index[i].count)
            out->ambient_index[i].first = lender(bsp_of(ambient), out->ambient_index, (int)i);
}

void ambient_light(const struct env *env, const struct scene *scene, const struct luxel_map *map,
                   const struct light_set *lights, const struct ambient_options *options,
                   struct bsp_light_set *out)
{
    size_t leaves = arrlenu(scene->bsp->leaves);
    struct radiosity radiosity;
    struct vec3 sky = vec3(0, 0, 0);
    if (lights->sky >= 0)
        sky = lights->lights[lights->sky].intensity;
    radiosity_init(&radiosity, scene, map, sky);
    radiosity_collect(&radiosity, env->threads);
    struct hot_spots hot;
    hot_spots_find(&radiosity, &hot);
    struct ambient ambient = {.radiosity = &radiosity,
                              .hot = &hot,
                              .lights = lights,
                              .fast = options->fast,
                              .region = options->region,
                              .before = out,
                              .progress = env->progress};
    for (ptrdiff_t i = 0; i < arrlen(lights->lights); i++)
        if (lights->lights[i].flags & LIGHT_IN_AMBIENT_CUBE && lights->lights[i].style == 0)
            arrput(ambient.weak, &lights->lights[i]);
    ambient.leafs = memory_zalloc(leaves + 1, sizeof *ambient.leafs);
    leaf_parents_make(&scene->tree, scene->bsp, &ambient.ways);
    buried_find(map, &ambient.buried);
    ambient_rays_make(sample_count(options->rays, DEFAULT_RAYS, GATHER_RAYS), &ambient.rays);
    progress_begin(env->progress, "ambient cubes", leaves);
    parallel_for(env->threads, leaves, light_leaf, &ambient);
    progress_end(env->progress);
    store(&ambient, leaves, out);
    progress_count(env->progress, "ambient samples", (int64_t)arrlen(out->ambient));
    arrfree(ambient.weak);
    buried_free(&ambient.buried);
    ambient_rays_free(&ambient.rays);
    for (size_t i = 0; i < leaves; i++)
        memory_free(ambient.leafs[i].samples);
    leaf_parents_free(&ambient.ways);
    memory_free(ambient.leafs);
    hot_spots_free(&hot);
    radiosity_free(&radiosity);
}
