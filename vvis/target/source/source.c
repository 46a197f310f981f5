/* Source: run-length encoded rows of PVS and PAS; water and fog flags of leaves. */
#include "vvis/target/source/source.h"

#include <math.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"
#include "common/parallel/parallel.h"
#include "common/text/entities.h"
#include "vvis/graph/clusters.h"
#include "vvis/target/target.h"

enum {
    DISTANCE_NONE = 65535,
    LEAVES_AT_ONCE = 256, /* leaves per work item: one is too little */
};

struct water_face {
    int face, cluster;
    struct bounds box;
};

struct water_job {
    const struct bit_rows *pvs;
    struct bsp *bsp;
    struct water_face
        *faces; /* stb_ds array, ordered by cluster: one entry per leaf that has the face */
};

static bool in_cluster(const struct bsp_leaf *leaf, int clusters)
{
    return leaf->cluster >= 0 && leaf->cluster < clusters;
}

static bool is_water(const struct bsp_leaf *leaf)
{
    return leaf->water_data >= 0 && (leaf->contents & CONTENTS_WATER);
}

/* Returns whether a leaf has water data: only then water_mark reads faces. */
static bool water_present(const struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (is_water(&bsp->leaves[i]))
            return true;
    return false;
}

/* Returns the clusters that see water, as a row of the PVS. */
static uint64_t *clusters_near_water(const struct bsp *bsp, const struct bit_rows *pvs,
                                     int clusters)
{
    uint64_t *seen = memory_aligned(pvs->words, sizeof *seen);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (!in_cluster(leaf, clusters) || !is_water(leaf))
            continue;
        const uint64_t *row = bit_row(pvs, (size_t)leaf->cluster);
        for (size_t k = 0; k < pvs->words; k++)
            seen[k] |= row[k];
    }
    return seen;
}

/* Leaf 0 is not in the tree, although it has a cluster. */
static void mark_fog(struct bsp *bsp, const uint64_t *near, int clusters)
{
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        struct bsp_leaf *leaf = &bsp->leaves[i];
        leaf->contents &= ~CONTENTS_TESTFOGVOLUME;
        if (i > 0 && in_cluster(leaf, clusters) && bit_get(near, (size_t)leaf->cluster) &&
            !(leaf->contents & (CONTENTS_SOLID | CONTENTS_WATER)))
            leaf->contents |= CONTENTS_TESTFOGVOLUME;
    }
}

static bool is_surface(const struct bsp *bsp, const struct bsp_face *face)
{
    return face->texinfo >= 0 && (bsp->texinfo[face->texinfo].flags & SURFACE_WARP);
}

static struct water_face *find_surfaces(const struct bsp *bsp, int clusters)
{
    struct water_face *found = NULL;
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (!in_cluster(leaf, clusters))
            continue;
        for (int k = 0; k < leaf->face_count; k++) {
            int number = bsp->leaf_faces[leaf->first_face + k];
            const struct bsp_face *face = &bsp->faces[number];
            if (!is_surface(bsp, face))
                continue;
            struct water_face water = {number, leaf->cluster, bounds_empty()};
            for (int v = 0; v < face->edge_count; v++)
                bounds_add_point(&water.box, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, v)));
            arrput(found, water);
        }
    }
    return found;
}

static double gap_between(const struct bsp_leaf *leaf, const struct bounds *box)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double gap = portable_fmax(
            0, portable_fmax(box->mins.e[i] - leaf->maxs[i], leaf->mins[i] - box->maxs.e[i]));
        sum += gap * gap;
    }
    return sqrt(sum);
}

static void measure_leaf(const struct water_job *job, size_t index)
{
    const struct bsp_leaf *leaf = &job->bsp->leaves[index];
    double nearest = DISTANCE_NONE;
    bool sees_water = (leaf->contents & CONTENTS_TESTFOGVOLUME) || is_water(leaf);
    if (index > 0 && sees_water && leaf->cluster >= 0) {
        const uint64_t *row = bit_row(job->pvs, (size_t)leaf->cluster);
        for (size_t i = 0; i < arrlenu(job->faces); i++)
            if (bit_get(row, (size_t)job->faces[i].cluster))
                nearest = portable_fmin(nearest, gap_between(leaf, &job->faces[i].box));
    }
    job->bsp->leaf_min_dist_to_water[index] = (int32_t)nearest;
}

static void measure_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct water_job *job = context;
    size_t end = (chunk + 1) * LEAVES_AT_ONCE, leaves = arrlenu(job->bsp->leaves);
    for (size_t i = chunk * LEAVES_AT_ONCE; i < end && i < leaves; i++)
        measure_leaf(job, i);
}

void water_mark(const struct env *env, const struct bit_rows *pvs, int clusters, struct bsp *bsp)
{
    uint64_t *near = clusters_near_water(bsp, pvs, clusters);
    mark_fog(bsp, near, clusters);
    memory_free(near);
    size_t leaves = arrlenu(bsp->leaves);
    arrsetlen(bsp->leaf_min_dist_to_water, leaves);
    struct water_job job = {pvs, bsp, NULL};
    if (water_present(bsp))
        job.faces = find_surfaces(bsp, clusters);
    parallel_for(env->threads, (leaves + LEAVES_AT_ONCE - 1) / LEAVES_AT_ONCE, measure_chunk, &job);
    arrfree(job.faces);
}

/* Adds the surfaces of water, which are all that water_mark reads besides the leaves. */
static void water_hash(const struct bsp *bsp, int clusters, struct sha256 *hash)
{
    struct water_face *faces = water_present(bsp) ? find_surfaces(bsp, clusters) : NULL;
    for (size_t i = 0; i < arrlenu(faces); i++) {
        sha256_add(hash, &faces[i].cluster, sizeof faces[i].cluster);
        sha256_add(hash, &faces[i].box, sizeof faces[i].box);
    }
    arrfree(faces);
}

/* Encodes rows of visibility for lump 4 of Source: run-length encoding (RLE) of zero bytes. */

enum {
    RUN_MAX = 255,
    CHUNK = 64, /* rows per work item: one is too little */
};

static unsigned char byte_at(const uint64_t *row, size_t byte)
{
    return (unsigned char)(row[byte / 8] >> (byte % 8 * 8));
}

/* Returns the number of zero bytes from `at` on. After the last byte, the rest of the word is
 * zero. */
static size_t zeros_from(const uint64_t *row, size_t at, size_t size)
{
    size_t end = at / 8 * 8;
    uint64_t word = row[at / 8] >> (at % 8 * 8) << (at % 8 * 8);
    while (!word && end + 8 < size)
        word = row[(end += 8) / 8];
    end = word ? end + (size_t)__builtin_ctzll(word) / 8 : size;
    return (end < size ? end : size) - at;
}

static bool has_zero(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101;
    return (word - ones) & ~word & (ones << 7);
}

/* In the worst case every other byte is zero, and takes two. */
static size_t row_size_max(int clusters)
{
    return 2 * (((size_t)clusters + 7) / 8);
}

void encode_row(const uint64_t *row, int clusters, struct bytes *out)
{
    size_t size = ((size_t)clusters + 7) / 8, before = out->size;
    unsigned char *to = bytes_extend(out, row_size_max(clusters));
    for (size_t i = 0; i < size;) {
        if (i % 8 == 0 && i + 8 <= size && !has_zero(row[i / 8])) {
            for (size_t k = 0; k < 8; k++)
                to[k] = byte_at(row, i + k);
            to += 8;
            i += 8;
            continue;
        }
        *to = byte_at(row, i);
        if (*to++) {
            i++;
            continue;
        }
        size_t run = zeros_from(row, i, size);
        if (run > RUN_MAX)
            run = RUN_MAX;
        *to++ = (unsigned char)run;
        i += run;
    }
    out->size = before + (size_t)(to - (out->data + before));
}

struct encode_job {
    const struct bit_rows *matrices[2]; /* PVS and PAS */
    int clusters;
    struct bytes *blocks; /* blocks of CHUNK rows; `ends`: where their rows end */
    size_t *ends;
    size_t chunks; /* per matrix */
};

static void encode_chunk(void *context, size_t item, int thread)
{
    (void)thread;
    struct encode_job *job = context;
    size_t which = item / job->chunks, clusters = (size_t)job->clusters;
    size_t first = item % job->chunks * CHUNK;
    bytes_extend(&job->blocks[item], CHUNK * row_size_max(job->clusters));
    job->blocks[item].size = 0;
    for (size_t i = first; i < first + CHUNK && i < clusters; i++) {
        encode_row(bit_row(job->matrices[which], i), job->clusters, &job->blocks[item]);
        job->ends[which * clusters + i] = job->blocks[item].size;
    }
}

/* Stores the offsets of a matrix whose rows are appended next. */
static void put_offsets(const struct encode_job *job, size_t which, size_t start, struct bytes *out)
{
    size_t clusters = (size_t)job->clusters;
    size_t at = out->size - start;
    unsigned char *entries = out->data + start + 4 + 4 * which;
    for (size_t i = 0; i < clusters; i++) {
        bool begins = i % CHUNK == 0;
        size_t before = begins ? 0 : job->ends[which * clusters + i - 1];
        store_u32(ORDER_LITTLE, entries + 8 * i, (uint32_t)(at + before));
        if ((i + 1) % CHUNK == 0)
            at += job->ends[which * clusters + i];
    }
}

void encode_visibility(int threads, const struct bit_rows *pvs, const struct bit_rows *pas,
                       int clusters, struct bytes *out)
{
    if (clusters <= 0)
        return;
    size_t start = out->size, rows = (size_t)clusters;
    struct encode_job job = {{pvs, pas}, clusters, .chunks = (rows + CHUNK - 1) / CHUNK};
    job.blocks = memory_zalloc(2 * job.chunks, sizeof *job.blocks);
    job.ends = memory_zalloc(2 * rows, sizeof *job.ends);
    parallel_for(threads, 2 * job.chunks, encode_chunk, &job);
    bytes_i32(out, clusters);
    bytes_fill(out, 0, rows * 8);
    for (size_t which = 0; which < 2; which++) {
        put_offsets(&job, which, start, out);
        for (size_t i = which * job.chunks; i < (which + 1) * job.chunks; i++) {
            bytes_append(out, job.blocks[i].data, job.blocks[i].size);
            bytes_free(&job.blocks[i]);
        }
    }
    memory_free(job.blocks);
    memory_free(job.ends);
}

/* --- source --- */

/* The draw distance of the first fog controller. */
static enum status find_radius(const struct env *env, const struct bsp *bsp, double *out)
{
    struct entity_list list;
    *out = 0;
    if (!arrlen(bsp->entities))
        return STATUS_OK;
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entity lump", env->diag, &list));
    for (size_t i = 0; i < arrlenu(list.entities); i++) {
        if (!entity_is(&list.entities[i], "env_fog_controller"))
            continue;
        *out = portable_fmax(0, entity_number(&list.entities[i], "farz", 0));
        break;
    }
    entities_free(&list);
    return STATUS_OK;
}

static void mark_radial(struct bsp *bsp, bool radial)
{
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        bsp->leaves[i].flags &= ~LEAF_RADIAL;
        if (radial && bsp->leaves[i].cluster >= 0)
            bsp->leaves[i].flags |= LEAF_RADIAL;
    }
}

static void store(const struct env *env, const struct vis_result *result, struct bsp *bsp)
{
    struct bit_rows pas = clusters_audible(env, result->pvs, result->clusters);
    bytes_free(&bsp->visibility);
    encode_visibility(env->threads, result->pvs, &pas, result->clusters, &bsp->visibility);
    water_mark(env, result->pvs, result->clusters, bsp);
    mark_radial(bsp, result->radius > 0);
    memory_free(pas.data);
}

static void hash_input(const struct bsp *bsp, int clusters, struct sha256 *hash)
{
    const uint64_t leaves = arrlenu(bsp->leaves);
    sha256_add(hash, &leaves, sizeof leaves);
    for (size_t i = 0; i < leaves; i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        const int32_t fields[] = {leaf->contents, leaf->cluster, leaf->flags, leaf->water_data};
        sha256_add(hash, fields, sizeof fields);
        sha256_add(hash, leaf->mins, sizeof leaf->mins);
        sha256_add(hash, leaf->maxs, sizeof leaf->maxs);
    }
    water_hash(bsp, clusters, hash);
}

const struct vis_target vis_source = {
    .needs_faces = water_present, /* distances to water need its faces */
    .hash = hash_input,
    .find_radius = find_radius,
    .store = store,
};
