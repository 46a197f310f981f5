/* Extracts a material catalogue from compiled maps: the properties of materials whose VMT and VTF
 * are not available. The text has the form that assets/textures/texdata.h reads, with two
 * informative columns: all values of texinfo flags and of brush contents that occurred. The last
 * two columns, `flat` and `surfaceprop`, are written only if one of their cells has a value.
 *
 * Only sides that have faces tell of contents (texdata_evidence.h); flags are those of texinfos.
 *
 * A map's own copies of a material (maps/NAME/MATERIAL with the position of a cubemap, a water
 * depth or _wvt_patch at the end) count as the material that they were made from. */
#ifndef BSP_CATALOGUE_TEXDATA_CATALOGUE_H
#define BSP_CATALOGUE_TEXDATA_CATALOGUE_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"

/* A value and the number of times it occurred. */
struct texdata_tally {
    uint32_t value;
    int64_t count;
};

struct texdata_entry {
    const char *name, *key;          /* as first spelled; in lower case */
    int32_t size[4];                 /* width, height, view width, view height; 0: unknown */
    float reflectivity[3];           /* negative: unknown */
    bool envmap;                     /* a copy of it reflects a cubemap */
    const char *bottom;              /* the material of the underside of water, or NULL */
    const char *flat;                /* the texture of its copy for flat sides, or NULL */
    const char *surface;             /* its surface property, or NULL */
    int64_t contents;                /* contents of a brush with it; -1: unknown */
    struct texdata_tally *flags;     /* stb_ds array in order of first occurrence: texinfo flags */
    struct texdata_tally *all;       /* likewise: contents of brushes that show it on a side */
    struct texdata_tally *exclusive; /* likewise: contents of brushes with no other material */
    struct texdata_tally *rest;      /* likewise: of brushes whose other materials are solid */
};

struct texdata_cell;

/* Zero-initialise; free with texdata_catalogue_free. */
struct texdata_catalogue {
    struct texdata_entry *rows; /* stb_ds array, in the order of the maps' texture data */
    struct texdata_cell *cells;
    struct arena arena;
};

/* Returns the material that a map's own copy was made from, in the arena, and sets *envmap when the
 * copy is for a cubemap; other names are returned as they are. */
const char *texdata_source_name(struct arena *arena, const char *name, bool *envmap);

/* The lumps that texdata_catalogue_add needs, for bsp_decode_part. */
extern const uint64_t texdata_catalogue_lumps;

/* Adds the materials of a map; indices out of range are skipped. For a material that is already
 * listed only unknown values are filled in; a different size, reflectivity, flag or content is
 * reported (CATALOGUE_CONFLICT). `file` is for messages. */
void texdata_catalogue_add(struct texdata_catalogue *catalogue, const struct bsp *bsp,
                           const char *file, struct diag *diag);
/* Appends the catalogue as text. */
void texdata_catalogue_write(const struct texdata_catalogue *catalogue, struct bytes *out);
void texdata_catalogue_free(struct texdata_catalogue *catalogue);

#endif
