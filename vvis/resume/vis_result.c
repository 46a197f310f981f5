#include "vvis/resume/vis_result.h"

#include <limits.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/cli/version.h"
#include "common/core/array.h"
#include "common/stage/stage.h"
#include "vvis/resume/cache_key.h"

/* ---- rows ---- */

static void append_rows(const struct bsp *bsp, struct bytes *out)
{
    bytes_i32(out, bsp->visibility_clusters);
    bytes_i32(out, bsp->visibility_row);
    bytes_sized_block(out, &bsp->visibility);
}

static bool read_rows(struct byte_reader *from, struct bsp *out)
{
    out->visibility_clusters = read_i32(from);
    out->visibility_row = read_i32(from);
    return read_sized_block(from, &out->visibility);
}

/* ---- leaves: the targets set contents and flags from those that the key has ---- */

static void append_leaves(const struct bsp *bsp, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(bsp->leaves));
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        bytes_i32(out, bsp->leaves[i].contents);
        bytes_i32(out, bsp->leaves[i].flags);
    }
}

/* True when so many records may be there: memory is taken for them. */
static bool has_records(const struct byte_reader *from, uint32_t count, size_t size)
{
    return !from->failed && count <= (from->size - from->at) / size;
}

/* A file has seven bits for the flags of a leaf. */
static bool read_leaves(struct byte_reader *from, struct bsp *out)
{
    uint32_t count = read_u32(from), flags = 0;
    if (!has_records(from, count, 2 * sizeof(int32_t)))
        return false;
    arrsetlen(out->leaves, count);
    for (uint32_t i = 0; i < count; i++) {
        out->leaves[i] = (struct bsp_leaf){.contents = read_i32(from)};
        out->leaves[i].flags = read_i32(from);
        flags |= (uint32_t)out->leaves[i].flags;
    }
    return flags >> 7 == 0;
}

/* ---- distances to water ---- */

static void append_distances(const struct bsp *bsp, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(bsp->leaf_min_dist_to_water));
    for (size_t i = 0; i < arrlenu(bsp->leaf_min_dist_to_water); i++)
        bytes_i32(out, bsp->leaf_min_dist_to_water[i]);
}

static bool read_distances(struct byte_reader *from, struct bsp *out)
{
    uint32_t count = read_u32(from);
    bool fit = has_records(from, count, sizeof(int32_t));
    if (fit)
        arrsetlen(out->leaf_min_dist_to_water, count);
    for (uint32_t i = 0; i < count && fit; i++) {
        out->leaf_min_dist_to_water[i] = read_i32(from);
        fit = out->leaf_min_dist_to_water[i] >= 0 && out->leaf_min_dist_to_water[i] <= UINT16_MAX;
    }
    return fit;
}

/* ---- all ---- */

static const struct part {
    void (*append)(const struct bsp *bsp, struct bytes *out);
    bool (*read)(struct byte_reader *from, struct bsp *out);
} parts[] = {
    {append_rows, read_rows},
    {append_leaves, read_leaves},
    {append_distances, read_distances},
};

enum { PARTS = sizeof parts / sizeof *parts };

static void vis_result_append(const struct bsp *bsp, struct bytes *out)
{
    for (size_t i = 0; i < PARTS; i++)
        parts[i].append(bsp, out);
}

/* Rows of plain bits, or packed ones with their table, of exactly these clusters. */
static bool has_rows(const struct bsp *bsp, int clusters)
{
    const int row = bsp->visibility_row;
    if (row < 0 || (!row && bsp->visibility_clusters))
        return false;
    if (row && (int64_t)row * CHAR_BIT < clusters)
        return false;
    return bsp_vis_is_valid(bsp) && bsp_vis_clusters(bsp) == clusters;
}

/* Of the contents of leaves only what tells of water nearby is set by this stage. */
static bool is_of_leaves(const struct bsp *read, const struct bsp *bsp)
{
    const size_t leaves = arrlenu(bsp->leaves), distances = arrlenu(read->leaf_min_dist_to_water);
    bool fits = arrlenu(read->leaves) == leaves && (!distances || distances == leaves);
    for (size_t i = 0; i < leaves && fits; i++)
        fits = !((read->leaves[i].contents ^ bsp->leaves[i].contents) & ~CONTENTS_TESTFOGVOLUME);
    return fits;
}

static void take(struct bsp *read, struct bsp *bsp)
{
    const struct bytes visibility = bsp->visibility;
    bsp->visibility = read->visibility;
    read->visibility = visibility;
    bsp->visibility_clusters = read->visibility_clusters;
    bsp->visibility_row = read->visibility_row;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        bsp->leaves[i].contents = read->leaves[i].contents;
        bsp->leaves[i].flags = read->leaves[i].flags;
    }
    arrfree(bsp->leaf_min_dist_to_water);
    bsp->leaf_min_dist_to_water = read->leaf_min_dist_to_water;
    read->leaf_min_dist_to_water = NULL;
}

bool vis_result_read(struct byte_reader from, int clusters, struct bsp *bsp)
{
    struct bsp *read = bsp_new();
    bool fits = true;
    for (size_t i = 0; i < PARTS && fits; i++)
        fits = parts[i].read(&from, read);
    fits = fits && !from.failed && from.at == from.size && has_rows(read, clusters) &&
           is_of_leaves(read, bsp);
    if (fits)
        take(read, bsp);
    bsp_free(read);
    return fits;
}

/* ---- for the cache ---- */

/* Packed rows have at most two bytes for each of plain bits, of what is seen and what is heard;
 * leaves and distances have three numbers. Messages come on top. */
static uint64_t max_result(uint64_t clusters, uint64_t leaves)
{
    const uint64_t messages = (uint64_t)16 << 20, row = (clusters + 63) / 64 * 8;
    return messages + clusters * (8 + 4 * row) + leaves * 12;
}

static bool ask(struct stage_run *run)
{
    const struct vis_kept *kept = run->result;
    const int clusters = kept->prt->cluster_count;
    const struct cache_key_source source = {kept->prt, kept->options, kept->radius,
                                            arrlenu(kept->prt->portals)};
    unsigned char portals[SHA256_SIZE];
    struct sha256 hash;
    if (!kept->is_wanted)
        return false;
    cache_key(&source, portals);
    sha256_begin(&hash);
    sha256_add(&hash, program_code, strlen(program_code) + 1);
    sha256_add(&hash, program_version, strlen(program_version) + 1);
    sha256_add(&hash, portals, sizeof portals);
    kept->target->hash(kept->bsp, clusters, &hash);
    sha256_end(&hash, run->cache.key);
    run->cache.max_result = max_result((uint64_t)clusters, arrlenu(kept->bsp->leaves));
    return true;
}

static bool take_kept(struct stage_run *run, struct byte_reader *from)
{
    const struct vis_kept *kept = run->result;
    return vis_result_read(*from, kept->prt->cluster_count, kept->bsp);
}

static bool give_kept(struct stage_run *run, struct bytes *out)
{
    const struct vis_kept *kept = run->result;
    vis_result_append(kept->bsp, out);
    return true;
}

const struct stage_result vis_result_kept = {.ask = ask, .take = take_kept, .give = give_kept};
