/* Texinfo and texdata, without duplicates. */
#ifndef VBSP_CSG_TEXINFO_H
#define VBSP_CSG_TEXINFO_H

#include "common/assets/assets.h"
#include "common/bsp/bsp.h"
#include "vbsp/level/level.h"

struct texinfo_cell;
struct texdata_cell;

struct texinfo_set {
    struct bsp_texinfo *items;          /* stb_ds array */
    const struct material **materials;  /* stb_ds array, one per texinfo */
    struct bsp_texdata *texdata;        /* stb_ds array */
    const char **names;                 /* stb_ds array, one per texdata: as spelled in the map */
    struct texinfo_cell *cells;         /* hash map by value */
    struct texdata_cell *texdata_cells; /* hash map by name in lower case */
};

/* The texinfo of a side of an entity at `origin` (texture coordinates move with the entity).
 * `luxel_scale` is the side's lightmapscale after options, above 0; `extra_flags` are ORed with the
 * flags of the material. NOLIGHT clears BUMPLIGHT. The set borrows the material and its name. */
int texinfo_for_side(struct texinfo_set *set, const struct map_side *side,
                     const struct material *material, struct vec3 origin, double luxel_scale,
                     int extra_flags);

/* Returns why a face with this normal cannot be lit with the axes of the side, as a text, or NULL:
 * its lightmap would have no extent, or more luxels or larger coordinates than readers of the file
 * can tell apart. The other arguments are as above. */
const char *texinfo_fault(const struct map_side *side, const struct material *material,
                          struct vec3 origin, double luxel_scale, struct vec3 normal);

/* The same where the lightmap has axes of its own: the texture would have no extent. */
const char *texinfo_texture_fault(const struct map_side *side, const struct material *material,
                                  struct vec3 normal);

/* The same mapping with another material (underside of water). */
int texinfo_with_material(struct texinfo_set *set, int texinfo, const struct material *material);

/* Every texinfo with the material gets another of the same name and size: flags that `material`
 * does not have are taken away. */
void texinfo_replace_material(struct texinfo_set *set, const struct material *old,
                              const struct material *material);

/* The same texinfo with a replacement material that keeps all flags. */
int texinfo_renamed(struct texinfo_set *set, int texinfo, const struct material *material);

/* The texinfo of overlays, which have their own coordinates: zeros, and offsets of -99999. */
int texinfo_without_mapping(struct texinfo_set *set, const struct material *material);
void texinfo_set_free(struct texinfo_set *set);

#endif
