#include "common/bsp/face_records.h"
#include "vrad/lights/light_set.h"
#include "vrad/target/source/light_vbsp.h"

#include <float.h>

#include "common/bsp/query.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "vrad/lights/light.h"

/* Products of a map's numbers may be beyond single precision: readers refuse what is not finite. */
static float to_float(double value)
{
    return value > -(double)FLT_MAX && value < (double)FLT_MAX ? (float)value
           : value > 0                                         ? FLT_MAX
           : value < 0                                         ? -FLT_MAX
                                                               : 0;
}

static void to_floats(struct vec3 v, double scale, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = to_float(v.e[i] * scale);
}

static struct bsp_worldlight record(const struct light *light)
{
    struct bsp_worldlight out = {
        .cluster = light->cluster,
        .type = (int32_t)light->type,
        .style = light->style,
        .stopdot = to_float(light->stopdot),
        .stopdot2 = to_float(light->stopdot2),
        .exponent = to_float(light->exponent),
        .radius = to_float(light->radius),
        .constant = to_float(light->constant),
        .linear = to_float(light->linear),
        .quadratic = to_float(light->quadratic),
        .flags = light->flags,
    };
    to_floats(light->origin, 1, out.origin);
    to_floats(light->intensity, 1.0 / 255, out.intensity);
    to_floats(light->normal, 1, out.normal);
    return out;
}

struct bsp_worldlight *worldlights_make(const struct light_set *set)
{
    struct bsp_worldlight *records = NULL;
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++)
        arrput(records, record(&set->lights[i]));
    return records;
}

/* LEAF_SKY and LEAF_SKY2D by the sky faces of the leaf. */
static int sky_of_leaf(const struct bsp *bsp, const struct bsp_leaf *leaf)
{
    int flags = 0;
    for (int i = 0; i < leaf->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[bsp->leaf_faces[leaf->first_face + i]];
        int surface = face->texinfo >= 0 ? bsp->texinfo[face->texinfo].flags : 0;
        if (surface & SURFACE_SKY2D)
            flags |= LEAF_SKY2D;
        else if (surface & SURFACE_SKY)
            flags |= LEAF_SKY;
    }
    return flags;
}

/* The sky flags of what each cluster sees; an array of `clusters` on the heap. */
static int *sky_seen(const struct bsp *bsp, int clusters)
{
    size_t bytes = ((size_t)clusters + 7) / 8;
    int *own = memory_zalloc((size_t)clusters + 1, sizeof *own);
    int *seen = memory_zalloc((size_t)clusters + 1, sizeof *seen);
    unsigned char *row = memory_zalloc(bytes + 1, 1);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        int cluster = bsp->leaves[i].cluster;
        if (cluster >= 0 && cluster < clusters)
            own[cluster] |= sky_of_leaf(bsp, &bsp->leaves[i]);
    }
    for (int i = 0; i < clusters; i++) {
        bsp_vis_row(bsp, i, false, row);
        for (int k = 0; k < clusters; k++)
            if (own[k] && row[k >> 3] >> (k & 7) & 1)
                seen[i] |= own[k];
    }
    memory_free(own);
    memory_free(row);
    return seen;
}

void worldlights_mark_sky_leaves(struct bsp *bsp)
{
    int clusters = bsp_vis_clusters(bsp);
    int *seen = sky_seen(bsp, clusters);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        struct bsp_leaf *leaf = &bsp->leaves[i];
        /* Leaves of brush entities have no cluster and keep vbsp's flags. */
        bool solid = leaf->contents & CONTENTS_SOLID;
        if (leaf->cluster < 0 && !solid)
            continue;
        leaf->flags &= ~(LEAF_SKY | LEAF_SKY2D);
        if (leaf->cluster >= 0 && leaf->cluster < clusters && !solid)
            leaf->flags |= seen[leaf->cluster];
    }
    memory_free(seen);
}

void worldlights_mark_emissive(struct bsp *bsp, const struct light_set *set)
{
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++) {
        int face = set->lights[i].face;
        if (set->lights[i].type == WORLDLIGHT_SURFACE && face >= 0)
            bsp->texinfo[bsp->faces[face].texinfo].flags |= SURFACE_LIGHT;
    }
}
