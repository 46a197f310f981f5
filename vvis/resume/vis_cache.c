#include "vvis/resume/vis_cache.h"

#include <limits.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/cli/version.h"
#include "common/core/array.h"

/* The form of what is kept: all fields that the targets store. They set contents and flags of
 * leaves from those that the key has. */
static void append_result(const struct bsp *bsp, struct bytes *out)
{
    size_t leaves = arrlenu(bsp->leaves), distances = arrlenu(bsp->leaf_min_dist_to_water);
    bytes_i32(out, bsp->visibility_clusters);
    bytes_i32(out, bsp->visibility_row);
    bytes_sized_block(out, &bsp->visibility);
    bytes_u32(out, (uint32_t)leaves);
    for (size_t i = 0; i < leaves; i++) {
        bytes_i32(out, bsp->leaves[i].contents);
        bytes_i32(out, bsp->leaves[i].flags);
    }
    bytes_u32(out, (uint32_t)distances);
    for (size_t i = 0; i < distances; i++)
        bytes_i32(out, bsp->leaf_min_dist_to_water[i]);
}

/* A result as it lies in the bytes that were read. */
struct vis_bytes {
    int32_t clusters, row;
    struct byte_reader visibility, leaves, distances;
};

/* Takes a block of so many records, which must be there. */
static struct byte_reader read_records(struct byte_reader *from, uint64_t count, size_t size)
{
    const unsigned char *block = NULL;
    if (count <= SIZE_MAX / size)
        block = read_block(from, (size_t)count * size);
    else
        from->failed = true;
    return byte_reader(block, block ? (size_t)count * size : 0);
}

static bool parse(struct byte_reader from, size_t leaves, struct vis_bytes *out)
{
    out->clusters = read_i32(&from);
    out->row = read_i32(&from);
    out->visibility = read_records(&from, read_u32(&from), 1);
    if (read_u32(&from) != leaves)
        return false;
    out->leaves = read_records(&from, leaves, 2 * sizeof(int32_t));
    uint32_t distances = read_u32(&from);
    out->distances = read_records(&from, distances, sizeof(int32_t));
    return !from.failed && from.at == from.size && (!distances || distances == leaves);
}

/* Rows of plain bits, or packed ones with their table, of exactly these clusters. */
static bool has_rows(const struct vis_bytes *read, int clusters)
{
    const struct bytes lump = {.data = (unsigned char *)read->visibility.data,
                               .size = read->visibility.size};
    const struct bsp bsp = {
        .visibility = lump, .visibility_clusters = read->clusters, .visibility_row = read->row};
    if (read->row < 0 || (!read->row && read->clusters))
        return false;
    if (read->row && (int64_t)read->row * CHAR_BIT < clusters)
        return false;
    return bsp_vis_is_valid(&bsp) && bsp_vis_clusters(&bsp) == clusters;
}

/* A file has seven bits for the flags of a leaf. */
static bool leaves_are_valid(struct byte_reader from)
{
    while (from.at < from.size) {
        (void)read_i32(&from); /* contents */
        if ((uint32_t)read_i32(&from) >> 7)
            return false;
    }
    return true;
}

static bool distances_are_valid(struct byte_reader from)
{
    while (from.at < from.size) {
        int32_t distance = read_i32(&from);
        if (distance < 0 || distance > UINT16_MAX)
            return false;
    }
    return true;
}

static void store(struct vis_bytes *read, struct bsp *bsp)
{
    size_t distances = read->distances.size / sizeof(int32_t);
    bytes_free(&bsp->visibility);
    if (read->visibility.size)
        bytes_append(&bsp->visibility, read->visibility.data, read->visibility.size);
    bsp->visibility_clusters = read->clusters;
    bsp->visibility_row = read->row;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        bsp->leaves[i].contents = read_i32(&read->leaves);
        bsp->leaves[i].flags = read_i32(&read->leaves);
    }
    arrsetlen(bsp->leaf_min_dist_to_water, distances);
    for (size_t i = 0; i < distances; i++)
        bsp->leaf_min_dist_to_water[i] = read_i32(&read->distances);
}

/* Puts the result into the BSP, or changes nothing. */
static bool read_result(struct byte_reader from, int clusters, struct bsp *bsp)
{
    struct vis_bytes read;
    if (!parse(from, arrlenu(bsp->leaves), &read) || !has_rows(&read, clusters) ||
        !leaves_are_valid(read.leaves) || !distances_are_valid(read.distances))
        return false;
    store(&read, bsp);
    return true;
}

/* Packed rows have at most two bytes for each of plain bits, of what is seen and what is heard;
 * leaves and distances have three numbers. Messages come on top. */
static uint64_t max_result(uint64_t clusters, uint64_t leaves)
{
    const uint64_t messages = (uint64_t)16 << 20, row = (clusters + 63) / 64 * 8;
    return messages + clusters * (8 + 4 * row) + leaves * 12;
}

static void set_key(struct stage_cache *stage, const struct vis_cache_source *source)
{
    unsigned char portals[SHA256_SIZE];
    struct sha256 hash;
    cache_key(&source->portals, portals);
    sha256_begin(&hash);
    sha256_add(&hash, program_code, strlen(program_code) + 1);
    sha256_add(&hash, program_version, strlen(program_version) + 1);
    sha256_add(&hash, portals, sizeof portals);
    sha256_add(&hash, source->bsp, sizeof source->bsp);
    sha256_end(&hash, stage->key);
}

bool vis_cache_use(struct stage_cache *stage, const struct vis_cache_source *source,
                   struct bsp *bsp)
{
    struct byte_reader rest;
    int clusters = source->portals.prt->cluster_count;
    if (!stage->cache)
        return false;
    set_key(stage, source);
    stage->max_result = max_result((uint64_t)clusters, arrlenu(bsp->leaves));
    if (stage_cache_find(stage, &rest)) {
        if (read_result(rest, clusters, bsp)) {
            stage_cache_use(stage);
            return true;
        }
        stage_cache_refuse(stage);
    }
    stage_cache_begin(stage);
    return false;
}

void vis_cache_keep(struct stage_cache *stage, const struct bsp *bsp)
{
    struct bytes result = {0};
    if (!stage->cache)
        return;
    append_result(bsp, &result);
    stage_cache_keep(stage, &result);
    bytes_free(&result);
}
