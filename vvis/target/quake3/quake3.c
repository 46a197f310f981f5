/* Quake 3: uncompressed rows, padded to 8 bytes; the engine also uses the PVS for sounds. */
#include <math.h>

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/text/entities.h"
#include "vvis/target/target.h"

enum { WORD_BITS = 64, WORD_BYTES = 8 };

static double draw_distance(const struct bsp *bsp, const struct entity *world)
{
    const char *const *keys = bsp->engine->words.draw_distance;
    while (*keys && !*entity_value(world, *keys))
        keys++;
    return *keys ? portable_fmax(0, entity_number(world, *keys, 0)) : 0;
}

/* The draw distance is a key of worldspawn, the first entity. */
static enum status find_radius(const struct env *env, const struct bsp *bsp, double *out)
{
    struct entity_list list;
    *out = 0;
    if (!arrlen(bsp->entities))
        return STATUS_OK;
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entity lump", env->diag, &list));
    if (arrlenu(list.entities))
        *out = draw_distance(bsp, &list.entities[0]);
    entities_free(&list);
    return STATUS_OK;
}

static bool needs_faces(const struct bsp *bsp)
{
    (void)bsp;
    return false;
}

static void store(const struct env *env, const struct vis_result *result, struct bsp *bsp)
{
    (void)env;
    size_t words = ((size_t)result->clusters + WORD_BITS - 1) / WORD_BITS;
    bytes_free(&bsp->visibility);
    bsp->visibility_clusters = result->clusters;
    bsp->visibility_row = (int32_t)(words * WORD_BYTES);
    for (size_t i = 0; i < (size_t)result->clusters; i++) {
        const uint64_t *row = bit_row(result->pvs, i);
        for (size_t k = 0; k < words * WORD_BYTES; k++)
            bytes_u8(&bsp->visibility, (uint8_t)(row[k / WORD_BYTES] >> (k % WORD_BYTES * 8)));
    }
}

/* Storing reads nothing; leaves are kept with the result. */
static void hash_input(const struct bsp *bsp, int clusters, struct sha256 *hash)
{
    (void)clusters;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        const int32_t fields[] = {bsp->leaves[i].contents, bsp->leaves[i].flags};
        sha256_add(hash, fields, sizeof fields);
    }
}

const struct vis_target vis_quake3 = {
    .needs_faces = needs_faces,
    .hash = hash_input,
    .find_radius = find_radius,
    .store = store,
};
