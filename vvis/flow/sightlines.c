#include "vvis/flow/sightlines.h"

#include <stdalign.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/farm/ranks.h"
#include "common/parallel/parallel.h"
#include "vvis/flow/flow_kernels.h"

enum {
    ARRIVAL_LINES = 8,
    PATH_MAX = 512,   /* clusters on a line, in each direction */
    CHUNK = 16,       /* consecutive clusters, which are mostly close together */
    PORTAL_TRIES = 4, /* pairs of portals tried per line */
};

/* One per thread. */
struct sightline_scratch {
    alignas(64) int path[2 * PATH_MAX]; /* aligned, to avoid false sharing */
    int length;
    uint64_t *mask; /* the path as a row; zero between lines */
    size_t *words;  /* words of it that are not zero */
    int64_t lines;
};

struct sightlines {
    const struct env *env;
    const struct portals *portals;
    const struct flow_kernels *kernels; /* of this CPU */
    const struct bit_rows *rows;
    struct bit_rows *proven;
    struct bit_rows fresh;   /* newly proven since the last commit */
    unsigned char *is_fresh; /* per cluster: its row in `fresh` is not empty */
    size_t *counts;          /* the same: proven clusters */
    struct sightline_scratch *scratch;
    int each;
};

/* Other threads may set bits of the same word: sets the missing bits atomically. */
static void prove(struct sightlines *lines, size_t cluster, size_t word, uint64_t bits)
{
    uint64_t *fresh = &bit_row(&lines->fresh, cluster)[word];
    bits &= ~bit_row(lines->proven, cluster)[word];
    if (!(bits & ~__atomic_load_n(fresh, __ATOMIC_RELAXED)))
        return;
    __atomic_fetch_or(fresh, bits, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&lines->is_fresh[cluster], __ATOMIC_RELAXED))
        __atomic_store_n(&lines->is_fresh[cluster], 1, __ATOMIC_RELAXED);
}

void sightlines_commit_word(struct sightlines *lines, size_t word)
{
    size_t words = lines->proven->words, end = 64 * word + 64;
    for (size_t c = 64 * word; c < end && c < (size_t)lines->portals->cluster_count; c++) {
        if (!lines->is_fresh[c])
            continue;
        uint64_t *proven = bit_row(lines->proven, c), *fresh = bit_row(&lines->fresh, c);
        for (size_t k = 0; k < words; k++)
            proven[k] |= fresh[k];
        memset(fresh, 0, words * sizeof *fresh);
        lines->is_fresh[c] = 0;
        lines->counts[c] = bit_count(proven, words);
    }
}

static void commit_word(void *context, size_t word, int thread)
{
    (void)thread;
    sightlines_commit_word(context, word);
}

void sightlines_commit(struct sightlines *lines)
{
    parallel_chunks(lines->env->threads, portals_cluster_words(lines->portals), commit_word, lines);
}

void sightlines_pack(const struct sightlines *lines, struct bytes *out)
{
    uint32_t count = 0;
    size_t clusters = (size_t)lines->portals->cluster_count;
    for (size_t c = 0; c < clusters; c++)
        count += lines->is_fresh[c];
    bytes_u32(out, count);
    for (size_t c = 0; c < clusters; c++) {
        if (!lines->is_fresh[c])
            continue;
        bytes_u32(out, (uint32_t)c);
        bits_pack(bit_row(&lines->fresh, c), lines->fresh.words, out);
    }
}

void sightlines_unpack(struct sightlines *lines, struct byte_reader *in)
{
    for (uint32_t count = read_u32(in); count && !in->failed; count--) {
        size_t cluster = read_u32(in);
        if (cluster >= (size_t)lines->portals->cluster_count) {
            in->failed = true;
            return;
        }
        bits_unpack(bit_row(&lines->fresh, cluster), lines->fresh.words,
                    (size_t)lines->portals->cluster_count, in);
        lines->is_fresh[cluster] = 1;
    }
}

void sightlines_count_on_first_rank(struct sightlines *lines)
{
    for (int i = 0; i < lines->env->threads && ranks_rank(lines->env->ranks) > 0; i++)
        lines->scratch[i].lines = 0;
}

size_t sightlines_proven(const struct sightlines *lines, size_t cluster)
{
    return lines->counts[cluster];
}

void sightlines_recount(struct sightlines *lines)
{
    for (size_t c = 0; c < (size_t)lines->portals->cluster_count; c++)
        lines->counts[c] = bit_count(bit_row(lines->proven, c), lines->proven->words);
}

static void prove_path(struct sightlines *lines, struct sightline_scratch *scratch)
{
    size_t words = 0;
    for (int i = 0; i < scratch->length; i++) {
        size_t word = (size_t)scratch->path[i] / 64;
        if (!scratch->mask[word])
            scratch->words[words++] = word;
        bit_set(scratch->mask, (size_t)scratch->path[i]);
    }
    for (int i = 0; i < scratch->length; i++)
        for (size_t k = 0; k < words; k++)
            prove(lines, (size_t)scratch->path[i], scratch->words[k],
                  scratch->mask[scratch->words[k]]);
    for (size_t k = 0; k < words; k++)
        scratch->mask[scratch->words[k]] = 0;
}

/* Traces the line in both directions from its origin on portal p. */
static void trace_line(struct sightlines *lines, struct sightline_scratch *scratch, int p,
                       struct sightline line)
{
    const struct portals *portals = lines->portals;
    double slope = vec3_dot(portals->planes[p].normal, line.along);
    scratch->length = 0;
    if (fabs(slope) < SIGHTLINE_SLOPE)
        return;
    int ahead = slope > 0 ? p : p ^ 1;
    scratch->lines++;
    int there = lines->kernels->sightline_walk(portals, &line, ahead, PATH_MAX, scratch->path);
    line.along = vec3_neg(line.along);
    scratch->length = there + lines->kernels->sightline_walk(portals, &line, ahead ^ 1, PATH_MAX,
                                                             scratch->path + there);
    prove_path(lines, scratch);
}

struct rng {
    uint64_t item, draws;
};

static double rng_unit(struct rng *rng)
{
    return random_unit(rng->item, rng->draws++);
}

static int rng_index(struct rng *rng, int count)
{
    return (int)(rng_unit(rng) * count);
}

/* Returns a point of the portal, uniformly distributed: in a triangle of the fan from point 0. */
static struct vec3 random_point(const struct portals *portals, int p, struct rng *rng)
{
    const struct window *window = &portals->windows[p];
    struct vec3 origin = window_point(window, 0);
    double areas[WINDOW_POINTS], total = 0;
    for (int i = 1; i + 1 < window->count; i++) {
        struct vec3 cross = vec3_cross(vec3_sub(window_point(window, i), origin),
                                       vec3_sub(window_point(window, i + 1), origin));
        areas[i] = vec3_length(cross);
        total += areas[i];
    }
    double at = rng_unit(rng) * total;
    int i = 1;
    while (i + 2 < window->count && at > areas[i])
        at -= areas[i++];
    double u = rng_unit(rng), v = rng_unit(rng);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    struct vec3 point = vec3_mad(origin, vec3_sub(window_point(window, i), origin), u);
    return vec3_mad(point, vec3_sub(window_point(window, i + 1), origin), v);
}

/* By rejection from a cube, without library functions whose last digit may differ between
 * systems. */
static struct vec3 random_direction(struct rng *rng)
{
    for (;;) {
        double x = 2 * rng_unit(rng) - 1, y = 2 * rng_unit(rng) - 1, z = 2 * rng_unit(rng) - 1;
        struct vec3 direction = vec3(x, y, z);
        double square = vec3_dot(direction, direction);
        if (square <= 1 && square > 1e-4)
            return vec3_normalize(direction);
    }
}

static void prove_neighbours(struct sightlines *lines, size_t cluster)
{
    const struct portals *portals = lines->portals;
    prove(lines, cluster, cluster / 64, (uint64_t)1 << (cluster % 64));
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
        size_t next = (size_t)portals->to[portals->leaving[i]];
        prove(lines, cluster, next / 64, (uint64_t)1 << (next % 64));
    }
}

static void sample_cluster(struct sightlines *lines, size_t cluster, int thread)
{
    const struct portals *portals = lines->portals;
    prove_neighbours(lines, cluster);
    int first = portals->first[cluster], count = portals->first[cluster + 1] - first;
    if (!count)
        return;
    for (int i = 0; i < lines->each; i++) {
        struct rng rng = {hash_pair(cluster, (uint64_t)i), 0};
        int p = portals->leaving[first + rng_index(&rng, count)];
        struct vec3 origin = random_point(portals, p, &rng);
        trace_line(lines, &lines->scratch[thread], p,
                   (struct sightline){origin, random_direction(&rng)});
    }
}

static void sample_chunk(void *context, size_t chunk, int thread)
{
    struct sightlines *lines = context;
    size_t clusters = (size_t)lines->portals->cluster_count;
    for (size_t c = chunk * CHUNK; c < (chunk + 1) * CHUNK && c < clusters; c++)
        sample_cluster(lines, c, thread);
}

static bool faces(const struct sightlines *lines, int from, int to)
{
    const struct portals *portals = lines->portals;
    if (lines->rows)
        return bit_get(bit_row(lines->rows, (size_t)from), (size_t)to);
    const struct box *there = &portals->boxes[to / 2], *here = &portals->boxes[from / 2];
    const struct plane *ahead = &portals->planes[from], *back = &portals->planes[to ^ 1];
    return plane_distance(ahead, there->center) + box_extent(there, ahead->normal) > VIS_EPSILON &&
           plane_distance(back, here->center) + box_extent(here, back->normal) > VIS_EPSILON;
}

/* Picks a portal out of cluster a and one into b that may see each other. */
static bool pick_portals(const struct sightlines *lines, int a, int b, struct rng *rng, int *from,
                         int *to)
{
    const struct portals *portals = lines->portals;
    int first_a = portals->first[a], count_a = portals->first[a + 1] - first_a;
    int first_b = portals->first[b], count_b = portals->first[b + 1] - first_b;
    for (int i = 0; i < PORTAL_TRIES; i++) {
        *from = portals->leaving[first_a + rng_index(rng, count_a)];
        *to = portals->leaving[first_b + rng_index(rng, count_b)] ^ 1;
        if (faces(lines, *from, *to))
            return true;
    }
    return false;
}

static bool on_path(const struct sightline_scratch *scratch, int cluster)
{
    for (int i = 0; i < scratch->length; i++)
        if (scratch->path[i] == cluster)
            return true;
    return false;
}

/* Returns the centre, or a point between it and a corner. */
static struct vec3 guess_point(const struct window *window, bool middle, struct rng *rng)
{
    struct vec3 center = window_center(window);
    if (middle)
        return center;
    int corner = rng_index(rng, window->count);
    return vec3_lerp(center, window_point(window, corner), rng_unit(rng));
}

/* Returns whether the line goes from cluster a to where the walk arrived. */
static bool try_arrival(struct sightlines *lines, int a, const struct flow_arrival *arrival,
                        struct vec3 from, struct vec3 to, uint64_t *met, int thread)
{
    struct sightline_scratch *scratch = &lines->scratch[thread];
    struct sightline line = {from, vec3_normalize(vec3_sub(to, from))};
    trace_line(lines, scratch, arrival->portal, line);
    if (!on_path(scratch, a))
        return false;
    for (int k = 0; met && k < scratch->length; k++)
        bit_set(met, (size_t)scratch->path[k]);
    return on_path(scratch, arrival->cluster);
}

bool sightlines_try_arrival(struct sightlines *lines, int a, const struct flow_arrival *arrival,
                            uint64_t *met, int thread)
{
    struct rng rng = {hash_pair(hash_pair((uint64_t)arrival->cluster, (uint64_t)a), ~(uint64_t)0),
                      0};
    /* one is enough where other walks from the same cluster, and from the other, may still
     * arrive */
    int max = met ? 1 : ARRIVAL_LINES, stabbing_line_index = met ? 0 : 1;
    for (int i = 0; i < max; i++) {
        struct vec3 from, to;
        if (i != stabbing_line_index ||
            !lines->kernels->find_stabbing_line(lines->portals, arrival, &from, &to)) {
            from = guess_point(&arrival->from, !i, &rng);
            to = guess_point(&arrival->to, !i, &rng);
        }
        if (try_arrival(lines, a, arrival, from, to, met, thread))
            return true;
    }
    return false;
}

bool sightlines_try_pair(struct sightlines *lines, int a, int b, int first, int last, int thread)
{
    struct sightline_scratch *scratch = &lines->scratch[thread];
    for (int i = first; i < last; i++) {
        struct rng rng = {hash_pair(hash_pair((uint64_t)a, (uint64_t)b), (uint64_t)i), 0};
        int from, to;
        if (!pick_portals(lines, a, b, &rng, &from, &to))
            continue;
        struct vec3 origin = random_point(lines->portals, from, &rng);
        struct vec3 target = random_point(lines->portals, to, &rng);
        struct vec3 along = vec3_normalize(vec3_sub(target, origin));
        trace_line(lines, scratch, from, (struct sightline){origin, along});
        if (on_path(scratch, b))
            return true;
    }
    return false;
}

void sightlines_sample(struct sightlines *lines, int each)
{
    lines->each = each;
    size_t clusters = (size_t)lines->portals->cluster_count;
    parallel_chunks(lines->env->threads, (clusters + CHUNK - 1) / CHUNK, sample_chunk, lines);
    sightlines_commit(lines);
}

struct sightlines *sightlines_new(const struct env *env, const struct portals *portals,
                                  const struct bit_rows *rows, struct bit_rows *proven)
{
    struct sightlines *lines = memory_zalloc(1, sizeof *lines);
    *lines = (struct sightlines){.env = env,
                                 .portals = portals,
                                 .kernels = flow_kernels_of(simd_best()),
                                 .rows = rows,
                                 .proven = proven};
    lines->fresh = bit_rows_new_parallel(env->threads, (size_t)portals->cluster_count,
                                         (size_t)portals->cluster_count);
    lines->is_fresh = memory_zalloc((size_t)portals->cluster_count + 1, 1);
    lines->counts = memory_zalloc((size_t)portals->cluster_count + 1, sizeof *lines->counts);
    lines->scratch = memory_aligned((size_t)env->threads, sizeof *lines->scratch);
    for (int i = 0; i < env->threads; i++) {
        lines->scratch[i].mask = memory_aligned(proven->words, sizeof(uint64_t));
        lines->scratch[i].words = memory_aligned(proven->words, sizeof(size_t));
    }
    return lines;
}

void sightlines_use_rows(struct sightlines *lines, const struct bit_rows *rows)
{
    lines->rows = rows;
}

int64_t sightlines_free(struct sightlines *lines)
{
    int64_t count = 0;
    for (int i = 0; i < lines->env->threads; i++) {
        count += lines->scratch[i].lines;
        memory_free(lines->scratch[i].mask);
        memory_free(lines->scratch[i].words);
    }
    memory_free(lines->fresh.data);
    memory_free(lines->is_fresh);
    memory_free(lines->counts);
    memory_free(lines->scratch);
    memory_free(lines);
    return count;
}
