/* Internal: charts, pieces of surfaces that are laid flat without overlap. */
#ifndef EXPORT_BAKE_CHARTS_H
#define EXPORT_BAKE_CHARTS_H

#include "scene/mesh/mesh.h"

/* Around each chart on the image, in pixels, so that filters find no other one. */
enum { CHART_PADDING = 2 };

struct chart {
    size_t first, count;  /* in chart_list.triangles */
    double size[2];       /* in units of the map */
    int at[2], pixels[2]; /* on the image: the corner and the size, with padding */
};

struct chart_list {
    struct chart *charts;   /* stb_ds array */
    uint32_t *triangles;    /* stb_ds array */
    double (*places)[3][2]; /* stb_ds array: of the corners of each of these triangles, in units */
};

/* Lays the triangles of each surface flat. Those that are connected, and turned by less than a
 * sixth of a full turn, stay together. Triangles without an area are in none. */
void charts_make(const struct mesh *mesh, const struct surface_order *order,
                 struct chart_list *out);
void charts_free(struct chart_list *list);

/* Gives each chart its place on an image of side * side pixels. Returns the pixels per unit, which
 * are as many as fit, up to a limit; 0: not all charts have room. */
double charts_pack(struct chart_list *list, int side);

#endif
