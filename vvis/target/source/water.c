#include "vvis/target/source/source.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"
#include "common/parallel/parallel.h"

enum {
    DISTANCE_NONE = 65535,
    CHUNK = 256, /* leaves per work item: one is too little */
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

bool water_present(const struct bsp *bsp)
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
    size_t end = (chunk + 1) * CHUNK, leaves = arrlenu(job->bsp->leaves);
    for (size_t i = chunk * CHUNK; i < end && i < leaves; i++)
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
    parallel_for(env->threads, (leaves + CHUNK - 1) / CHUNK, measure_chunk, &job);
    arrfree(job.faces);
}

void water_hash(const struct bsp *bsp, int clusters, struct sha256 *hash)
{
    struct water_face *faces = water_present(bsp) ? find_surfaces(bsp, clusters) : NULL;
    for (size_t i = 0; i < arrlenu(faces); i++) {
        sha256_add(hash, &faces[i].cluster, sizeof faces[i].cluster);
        sha256_add(hash, &faces[i].box, sizeof faces[i].box);
    }
    arrfree(faces);
}
