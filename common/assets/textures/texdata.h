/* The material catalogue: what a compiler must know of materials whose VMT and VTF are not here,
 * one row each, taken out of a compiled map.
 *
 * Tab-separated: material, width, height, view width, view height, reflectivity r g b, texinfo
 * flags, contents, envmap (1: reflects a cubemap), bottom material, two columns for the curious,
 * and the texture that a blend of two shows on flat sides. All behind the bottom material may be
 * missing; `-` is not known. A line that starts with # is a comment. */
#ifndef ASSETS_TEXTURES_TEXDATA_H
#define ASSETS_TEXTURES_TEXDATA_H

#include "common/assets/assets.h"

struct texdata_row {
    const char *name;
    int size[4];            /* width, height, view width, view height; 0: not known */
    double reflectivity[3]; /* negative: not known */
    int flags, contents;    /* -1: not known */
    bool envmap_cubemap;
    const char *bottom;       /* or NULL */
    const char *flat;         /* or NULL */
    const char *surface_prop; /* or NULL */
};

struct texdata_cell;

struct texdata {
    struct texdata_cell *cells; /* stb_ds map by name as asset_material_name has it */
    struct arena arena;
};

/* Adds the rows of a file; a material that is listed already stays as it is. Bad rows are reported
 * and left out. */
void texdata_parse(struct texdata *set, const char *text, size_t size, const char *file,
                   struct diag *diag);
const struct texdata_row *texdata_find(const struct texdata *set, const char *clean_name);
void texdata_free(struct texdata *set);

/* Lays the row over `material`, which holds what is known otherwise: the built-in material of that
 * name if `built_in`, else nothing.
 *
 * The contents of a built-in material stand above the row's: compilers give sides that are not
 * drawn any texinfo of equal flags, so a row of tools/toolsnodraw may tell of clip brushes. */
void texdata_apply(const struct texdata_row *row, bool built_in, struct material *material);

#endif
