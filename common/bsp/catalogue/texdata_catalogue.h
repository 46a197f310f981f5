/* A material catalogue taken out of compiled maps: what they tell of materials whose VMT and VTF
 * are not at hand. The form is the one that assets/textures/texdata.h reads, with two columns for
 * the curious: every value of texinfo flags and of brush contents that was seen. The last two,
 * `flat` and `surfaceprop`, stand only in a catalogue that has something to say there.
 *
 * A map's own copies of a material (maps/NAME/MATERIAL with the place of a cubemap, a depth of
 * water or _wvt_patch behind it) count as the material that they were made of. */
#ifndef BSP_CATALOGUE_TEXDATA_CATALOGUE_H
#define BSP_CATALOGUE_TEXDATA_CATALOGUE_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"

/* A value and how often it was seen. */
struct texdata_tally {
    uint32_t value;
    int64_t count;
};

struct texdata_seen {
    const char *name, *key;          /* as spelled first; in small letters */
    int32_t size[4];                 /* width, height, view width, view height; 0: not known */
    float reflectivity[3];           /* negative: not known */
    bool envmap;                     /* a copy of it reflects a cubemap */
    const char *bottom;              /* the material of the underside of water, or NULL */
    const char *flat;                /* the texture of its copy for flat sides, or NULL */
    const char *surface;             /* its surface property, or NULL */
    int64_t contents;                /* what it gives to a brush; -1: not known */
    struct texdata_tally *flags;     /* stb_ds array in order of sight: of texinfo */
    struct texdata_tally *all;       /* the same: contents of brushes that have it on a side */
    struct texdata_tally *exclusive; /* the same: of brushes that have no other material */
};

struct texdata_cell;

/* Zero-initialise; free with texdata_catalogue_free. */
struct texdata_catalogue {
    struct texdata_seen *rows; /* stb_ds array, in the order of the maps' texture data */
    struct texdata_cell *cells;
    struct arena arena;
};

/* The material that a map's own copy was made of, and whether it was made for a cubemap; any other
 * name as it is. In the arena. */
const char *texdata_source_name(struct arena *arena, const char *name, bool *envmap);

/* The lumps that texdata_catalogue_add looks at, for bsp_decode_part. */
extern const uint64_t texdata_catalogue_lumps;

/* Adds the materials of a map; indices that point nowhere are passed over. Of a material that is
 * listed already, only what was not known is taken; a different size, reflectivity, flag or content
 * is told (CATALOGUE_CONFLICT). `file` is for messages. */
void texdata_catalogue_add(struct texdata_catalogue *catalogue, const struct bsp *bsp,
                           const char *file, struct diag *diag);
/* Appends the catalogue as text. */
void texdata_catalogue_write(const struct texdata_catalogue *catalogue, struct bytes *out);
void texdata_catalogue_free(struct texdata_catalogue *catalogue);

#endif
