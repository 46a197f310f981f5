/* Material catalogue: the properties of materials whose VMT and VTF are not available, one row
 * each, taken from a compiled map.
 *
 * Tab-separated columns: material, width, height, view width, view height, reflectivity r g b,
 * texinfo flags, contents, envmap (1: reflects a cubemap), bottom material, two informative
 * columns, and the texture that a two-texture blend shows on flat sides. All columns after the
 * bottom material may be missing; `-` is unknown. A line that starts with # is a comment. */
#ifndef ASSETS_TEXTURES_TEXDATA_H
#define ASSETS_TEXTURES_TEXDATA_H

#include "common/assets/assets.h"

struct texdata_row {
    const char *name;
    bool stated;            /* by the map's author, not by a compiler that stored it */
    int size[4];            /* width, height, view width, view height; 0: unknown */
    double reflectivity[3]; /* negative: unknown */
    int flags, contents;    /* -1: unknown */
    bool envmap_cubemap;
    const char *bottom;       /* or NULL */
    const char *flat;         /* or NULL */
    const char *surface_prop; /* or NULL */
};

struct texdata_cell;

struct texdata {
    struct texdata_cell *cells; /* stb_ds map, keyed by names of asset_material_name */
    bool stated;                /* of the rows that are added next */
    struct arena arena;
};

/* Adds the rows of a file; a material that is already listed stays as it is. Invalid rows are
 * reported and skipped. */
void texdata_parse(struct texdata *set, const char *text, size_t size, const char *file,
                   struct diag *diag);
const struct texdata_row *texdata_find(const struct texdata *set, const char *clean_name);
size_t texdata_count(const struct texdata *set);
void texdata_free(struct texdata *set);

/* Applies the row to `material`, which holds the built-in material of that name if `built_in`, else
 * what the name tells (guess_material).
 *
 * The contents of a built-in material take precedence over the row's: compilers give sides that are
 * not drawn any texinfo of equal flags, so a row of tools/toolsnodraw may have come from clip
 * brushes. But a row of dev/ whose flags are others is of another material than the built-in one,
 * and what the map's author says is meant.
 */
void texdata_apply(const struct texdata_row *row, bool built_in, struct material *material);

#endif
