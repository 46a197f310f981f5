/* Source: run-length encoded rows of PVS and PAS; water and fog flags of leaves. */
#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/text/entities.h"
#include "vvis/graph/clusters.h"
#include "vvis/target/source/source.h"
#include "vvis/target/target.h"

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
