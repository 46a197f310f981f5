/* A level as its source file tells it, of whatever kind: text turned into records, nothing judged.
 *
 * Every object keeps its line and the editor's id, so that the last stage can still name it. */
#ifndef VBSP_MAP_SOURCE_H
#define VBSP_MAP_SOURCE_H

#include "common/core/arena.h"
#include "common/core/env.h"
#include "common/geom/vec.h"
#include "common/text/entities.h"
#include "common/text/keyvalues.h"

struct map_texture_axis {
    struct vec3 axis;
    double shift; /* texels */
    double scale; /* units a texel */
};

struct map_side {
    int id, line;
    struct vec3 points[3]; /* plane normal = (p0 - p1) x (p2 - p1), out of the solid */
    const char *material;
    struct map_texture_axis u, v;
    double lightmap_scale; /* units a luxel */
    uint32_t smoothing_groups;
    int contents, flags;           /* extra ones that the source sets; usually 0 */
    const struct kv *displacement; /* its dispinfo block, or NULL */
};

struct map_solid {
    int id, line;
    int entity;             /* index of its entity */
    struct map_side *sides; /* stb_ds array */
};

struct map_entity {
    int id, line;
    struct entity keys;       /* with "classname"; connections appended in order as keys */
    struct map_solid *solids; /* stb_ds array */
};

struct map_source {
    const char *file;            /* for messages */
    int revision;                /* mapversion */
    struct map_entity *entities; /* stb_ds array; the first is worldspawn */
    struct arena arena;
};

/* Where an object is, for diagnostics. solid and side may be NULL. */
struct diag_where map_where(const struct map_source *source, const struct map_entity *entity,
                            const struct map_solid *solid, const struct map_side *side);

/* VMF. Hidden chunks are left out. Numbers that are no numbers, planes without three points and
 * the like are reported with line and ids, and the object is dropped; text that does not parse,
 * or has no world, fails. */
NODISCARD enum status vmf_parse(const char *text, size_t size, const char *name, struct diag *diag,
                                struct map_source *out);
void map_source_free(struct map_source *source);
void map_entity_free(struct map_entity *entity); /* what it owns on the heap */

#endif
