#include "vrad/ambient/ambient.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/farm/env_loop.h"
#include "common/farm/rank_values.h"
#include "vrad/ambient/ambient_samples.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/luxels/colour.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/prop_view.h"

enum {
    SAMPLES = CHOICE_PICKS,         /* of a leaf, maximum */
    CANDIDATES = CHOICE_CANDIDATES, /* that they are chosen from, maximum */
    TRIES = 1000,                   /* points that are tried as candidates */
    FIRST_TRACED =
        36, /* candidates that are traced first; the light of the others is predicted from theirs */
    SIDES = 6,
    DEFAULT_RAYS = 128,
    MAX_SAMPLES = 65535, /* of a map: the index has 16 bits */
};

/* One candidate per cube of this side. */
#define CANDIDATE_SPACING 32.0
/* At least one candidate per so much of a leaf's length. */
#define LENGTH_SPACING 256.0

/* Minimum light, of 255, that is worth a shadow ray to secondary lights. */
#define MIN_LIGHT 0.3

/* Samples that are predicted within this, in steps of 255 after screen gamma, are left out. */
#define PREDICTED_STEPS 3.0
#define SCREEN_GAMMA    2.2

struct sample {
    unsigned char position[3];
    struct vec3 point;
    float light[SIDES][3];        /* 255 is white */
    uint64_t seed;                /* of its rays */
    bool lit;                     /* its first rays have been traced */
    uint32_t seen[AMBIENT_FIRST]; /* hits of its first rays */
};

struct leaf_samples {
    const struct bsp_leaf *leaf;
    struct culled_lights secondary;
    struct sample *samples; /* on the heap */
    int count;
};

struct ambient {
    const struct radiosity *radiosity;
    const struct secondary_lights *secondary;
    const struct light_set *lights;
    struct below_terrain below_terrain; /* no samples are placed there */
    const struct light **weak;          /* stb_ds array: lights that only the cubes hold */
    struct ambient_rays rays;           /* the first rays of candidates, all rays of samples */
    bool fast;
    struct progress *progress;
    struct leaf_parents ways;   /* of the world's tree */
    struct leaf_samples *leafs; /* one per leaf */
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

static void add_secondary_lights(const struct culled_lights *secondary, struct sample *sample)
{
    struct next_event_receiver to = {.position = sample->point,
                                     .start = sample->point,
                                     .axes = SIDES,
                                     .min = MIN_LIGHT,
                                     .seed = sample->seed};
    for (int side = 0; side < SIDES; side++)
        to.axis[side].e[side / 2] = side % 2 ? -1 : 1;
    next_event_light(secondary, &to, sample->light[0]);
}

/* Traces the table's rays from some samples of a leaf. */
static void trace_samples(const struct ambient *ambient, const struct bsp_leaf *leaf,
                          const struct culled_lights *secondary, const struct gather_table *table,
                          const struct sample *samples, int count, uint32_t *seen)
{
    struct gather_point points[GATHER_POINTS] = {{.slots = 0}};
    for (int i = 0; i < count; i++)
        points[i] = (struct gather_point){.in_air = true,
                                          .cache_slot = 1 + radiosity_sky(ambient->radiosity) +
                                                        (size_t)(leaf - bsp_of(ambient)->leaves),
                                          .position = samples[i].point,
                                          .area = leaf->area,
                                          .seed = samples[i].seed,
                                          .secondary = secondary};
    gather_trace(ambient->radiosity, table, points, count, seen);
}

/* Adds the lights that the engine does not take from the worldlights. */
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
    return 255 * portable_pow(portable_fmax((double)light, 0) / 255, 1 / SCREEN_GAMMA);
}

/* The maximum error, in steps, of predicting the others from the rest without sample `index`,
 * weighted by the inverse square of the distance; stops at `enough`. */
static double prediction_error(const struct leaf_samples *leaf, int index, double enough)
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
            worst = portable_fmax(worst, fabs(screen((float)(light[side][k] / total)) -
                                              screen(sample->light[side][k])));
    return worst;
}

static void drop_predicted(struct leaf_samples *leaf)
{
    while (leaf->count > 1) {
        int best = -1;
        double min = PREDICTED_STEPS;
        for (int i = 0; i < leaf->count; i++) {
            double steps = prediction_error(leaf, i, min);
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

/* Traces the first rays of some samples and sums their light. */
static void trace_first(const struct ambient *ambient, const struct bsp_leaf *leaf,
                        const struct culled_lights *secondary, struct sample *samples, int count)
{
    uint32_t seen[GATHER_POINTS * AMBIENT_FIRST];
    trace_samples(ambient, leaf, secondary, &ambient->rays.first, samples, count, seen);
    for (int i = 0; i < count; i++) {
        struct cube_sum sum = {.light = {{0}}};
        samples[i].lit = true;
        memcpy(samples[i].seen, seen + i * AMBIENT_FIRST, sizeof samples[i].seen);
        cube_sum_add(ambient->radiosity, ambient->secondary, false, &ambient->rays.first,
                     samples[i].seed, samples[i].seen, &sum);
        for (int side = 0; side < SIDES; side++)
            cube_sum_light(&sum, side, samples[i].light[side]);
    }
}

/* Lights the samples of a leaf, whose first rays have been traced. */
static void light_samples(const struct ambient *ambient, const struct culled_lights *secondary,
                          struct leaf_samples *leaf)
{
    const struct ambient_rays *rays = &ambient->rays;
    uint32_t seen[SAMPLES * GATHER_RAYS];
    trace_samples(ambient, leaf->leaf, secondary, &rays->rest, leaf->samples, leaf->count, seen);
    for (int i = 0; i < leaf->count; i++) {
        struct sample *sample = &leaf->samples[i];
        struct cube_sum sum = {.light = {{0}}};
        cube_sum_add(ambient->radiosity, ambient->secondary, true, &rays->first, sample->seed,
                     sample->seen, &sum);
        cube_sum_add(ambient->radiosity, ambient->secondary, true, &rays->rest, sample->seed,
                     seen + i * rays->rest.rays, &sum);
        for (int side = 0; side < SIDES; side++)
            cube_sum_light(&sum, side, sample->light[side]);
        add_secondary_lights(secondary, sample);
        add_weak_lights(ambient, leaf->leaf->cluster, sample);
    }
}

/* The number of cubes of CANDIDATE_SPACING that a leaf as wide as this one is along x would hold,
 * as Valve's tools count. A corridor that is narrow along x still gets some along its length. */
static int wanted_candidates(const struct ambient *ambient, const struct bsp_leaf *leaf)
{
    double width = floor(((double)leaf->maxs[0] - leaf->mins[0]) / CANDIDATE_SPACING);
    double count = portable_fmax(width * width * width, 1);
    for (int k = 1; k < 3; k++)
        count = portable_fmax(count, ((double)leaf->maxs[k] - leaf->mins[k]) / LENGTH_SPACING);
    return ambient->fast ? 1 : (int)portable_fmin(count, CANDIDATES);
}

/* State of the search for candidates in a leaf. */
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
           !below_terrain_contains(&ambient->below_terrain, scene, point);
}

/* Finds the next point of the stream that lies in the open part of the leaf. */
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

static void trace_first_all(const struct ambient *ambient, const struct leaf_samples *leaf,
                            struct sample *samples, int count)
{
    for (int lit = 0; lit < count; lit += GATHER_POINTS)
        trace_first(ambient, leaf->leaf, &leaf->secondary, samples + lit,
                    count - lit < GATHER_POINTS ? count - lit : GATHER_POINTS);
}

/* Traces the first rays of samples that were chosen without them. */
static void trace_first_others(const struct ambient *ambient, struct leaf_samples *leaf)
{
    struct sample others[SAMPLES];
    int number[SAMPLES], count = 0;
    for (int i = 0; i < leaf->count; i++) {
        if (leaf->samples[i].lit)
            continue;
        number[count] = i;
        others[count++] = leaf->samples[i];
    }
    trace_first_all(ambient, leaf, others, count);
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

/* Picks samples among the candidates, of which the first `known` have light. */
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
    choice_predict(points, known, count);
    return choice_pick(points, count, SAMPLES, picked);
}

/* Chooses samples that lie apart and differ in light, and the culled secondary lights that they
 * share. */
static void choose_samples(const struct ambient *ambient, int number, const struct bounds *box,
                           struct leaf_samples *out)
{
    struct sample candidates[CANDIDATES];
    int picked[SAMPLES], found = find_candidates(ambient, number, box, candidates);
    if (found == 0)
        return;
    culled_lights_of_box(ambient->secondary, box, &out->leaf->cluster, out->leaf->cluster >= 0,
                         &out->secondary);
    int known = found < FIRST_TRACED ? found : FIRST_TRACED;
    trace_first_all(ambient, out, candidates, known);
    out->count = pick(candidates, known, found, picked);
    out->samples = memory_alloc((size_t)out->count * sizeof *out->samples);
    for (int i = 0; i < out->count; i++)
        out->samples[i] = candidates[picked[i]];
    trace_first_others(ambient, out);
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
    out->leaf = leaf;
    choose_samples(ambient, (int)number, &box, out);
    if (out->count == 0)
        return;
    light_samples(ambient, &out->secondary, out);
    culled_lights_free(&out->secondary);
    drop_predicted(out);
}

/* A ranks_pack: what is stored of the samples. */
static void pack_leaf(void *context, size_t number, struct bytes *out)
{
    const struct ambient *ambient = context;
    const struct leaf_samples *leaf = &ambient->leafs[number];
    bytes_u8(out, (uint8_t)leaf->count);
    for (int i = 0; i < leaf->count; i++) {
        bytes_append(out, leaf->samples[i].position, sizeof leaf->samples[i].position);
        bytes_append(out, leaf->samples[i].light, sizeof leaf->samples[i].light);
    }
}

/* A ranks_unpack. */
static void unpack_leaf(void *context, size_t number, struct byte_reader *from)
{
    const struct ambient *ambient = context;
    struct leaf_samples *leaf = &ambient->leafs[number];
    leaf->count = read_u8(from);
    if (leaf->count > SAMPLES) {
        leaf->count = 0;
        from->failed = true;
    }
    memory_free(leaf->samples); /* of a rank that sends it twice */
    leaf->samples = memory_zalloc((size_t)leaf->count + 1, sizeof *leaf->samples);
    for (int i = 0; i < leaf->count; i++) {
        read_into(from, leaf->samples[i].position, sizeof leaf->samples[i].position);
        rank_floats(from, &leaf->samples[i].light[0][0],
                    sizeof leaf->samples[i].light / sizeof(float));
    }
}

/* The maximum number of samples per leaf with which the map's fit the index. */
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
    struct secondary_lights secondary;
    secondary_lights_find(&radiosity, &secondary);
    struct ambient ambient = {.radiosity = &radiosity,
                              .secondary = &secondary,
                              .lights = lights,
                              .fast = options->fast,
                              .progress = env->progress};
    for (ptrdiff_t i = 0; i < arrlen(lights->lights); i++)
        if (lights->lights[i].flags & LIGHT_IN_AMBIENT_CUBE && lights->lights[i].style == 0)
            arrput(ambient.weak, &lights->lights[i]);
    ambient.leafs = memory_zalloc(leaves + 1, sizeof *ambient.leafs);
    leaf_parents_make(&scene->tree, scene->bsp, &ambient.ways);
    below_terrain_find(map, &ambient.below_terrain);
    ambient_rays_make(sample_count(options->rays, DEFAULT_RAYS, GATHER_RAYS), &ambient.rays);
    progress_begin(env->progress, "ambient cubes", leaves);
    env_loop(env, &(struct ranks_loop){.count = leaves,
                                       .item = light_leaf,
                                       .context = &ambient,
                                       .pack = pack_leaf,
                                       .unpack = unpack_leaf,
                                       .progress = env->progress});
    progress_end(env->progress);
    if (!env_stopped(env))
        store(&ambient, leaves, out);
    progress_count(env->progress, "ambient samples", (int64_t)arrlen(out->ambient));
    arrfree(ambient.weak);
    below_terrain_free(&ambient.below_terrain);
    ambient_rays_free(&ambient.rays);
    for (size_t i = 0; i < leaves; i++)
        memory_free(ambient.leafs[i].samples);
    leaf_parents_free(&ambient.ways);
    memory_free(ambient.leafs);
    secondary_lights_free(&secondary);
    radiosity_free(&radiosity);
}
