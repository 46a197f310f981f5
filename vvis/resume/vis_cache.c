#include "vvis/resume/vis_cache.h"

#include <string.h>

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

/* Reads it without a change of the BSP if `bsp` is NULL. */
static bool read_result(struct byte_reader from, size_t leaves, struct bsp *bsp)
{
    int32_t clusters = read_i32(&from), row = read_i32(&from);
    struct bytes visibility = {0};
    if (!read_sized_block(&from, &visibility) || read_u32(&from) != leaves)
        from.failed = true;
    if (bsp) {
        bytes_free(&bsp->visibility);
        bsp->visibility = visibility;
        bsp->visibility_clusters = clusters;
        bsp->visibility_row = row;
    } else {
        bytes_free(&visibility);
    }
    for (size_t i = 0; i < leaves && !from.failed; i++) {
        int32_t contents = read_i32(&from), flags = read_i32(&from);
        if (bsp) {
            bsp->leaves[i].contents = contents;
            bsp->leaves[i].flags = flags;
        }
    }
    uint32_t distances = read_u32(&from);
    if (distances > leaves)
        from.failed = true;
    if (bsp)
        arrsetlen(bsp->leaf_min_dist_to_water, distances);
    for (size_t i = 0; i < distances && !from.failed; i++) {
        int32_t distance = read_i32(&from);
        if (bsp)
            bsp->leaf_min_dist_to_water[i] = distance;
    }
    return !from.failed && from.at == from.size;
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
    size_t leaves = arrlenu(bsp->leaves);
    if (!stage->cache)
        return false;
    set_key(stage, source);
    if (stage_cache_find(stage, &rest) && read_result(rest, leaves, NULL)) {
        (void)read_result(rest, leaves, bsp);
        stage_cache_use(stage);
        return true;
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
