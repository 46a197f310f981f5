/* The border of a lightmap (common/bsp/lightmap_extent.h): the luxels around those of a face. They
 * lie beyond its edges and take no part in light transport: their light is known after it, from
 * that of the faces around (vrad/encode/border.h).
 *
 * The lattice of a face is all of its lightmap as the file has it, row by row: its luxels and the
 * border. Without a border they are the same. */
#ifndef VRAD_LUXELS_LUXEL_BORDER_H
#define VRAD_LUXELS_LUXEL_BORDER_H

#include "vrad/luxels/luxel.h"

/* Light of the border, which has its own order: the row above, the row below, then both ends of
 * each row between. */
struct border_light {
    int count;                      /* luxels */
    float *direct[BSP_FACE_STYLES]; /* as in struct face_light: slots * count colours each */
    float *bounced;                 /* slots * count colours, of style 0 */
    unsigned char *hidden; /* not known: the light around it fills it, as luxels in walls */
};

/* Gives the face a border without light, in place of one that it has. */
void border_light_new(struct face_light *face);
void border_light_free(struct face_light *face);

/* Moves the direct light of each style to the next place: the first has none then. */
void border_light_part_direct(struct face_light *face);

static inline int lattice_width(const struct face_light *face)
{
    return face->width + 2 * face->border;
}

static inline int lattice_height(const struct face_light *face)
{
    return face->height + 2 * face->border;
}

static inline int lattice_count(const struct face_light *face)
{
    return face->count ? lattice_width(face) * lattice_height(face) : 0;
}

/* A luxel of the lattice: of the face, or of its border. */
struct lattice_place {
    bool in_border;
    int luxel;
};

static inline struct lattice_place lattice_place(const struct face_light *face, int at)
{
    int width = lattice_width(face), x = at % width, y = at / width;
    if (!face->border)
        return (struct lattice_place){false, at};
    if (y == 0 || y == face->height + 1)
        return (struct lattice_place){true, y ? width + x : x};
    if (x == 0 || x == face->width + 1)
        return (struct lattice_place){true, 2 * (width + y - 1) + (x > 0)};
    return (struct lattice_place){false, (y - 1) * face->width + x - 1};
}

/* The luxel of the face nearest to one of the lattice. */
static inline int lattice_nearest(const struct face_light *face, int at)
{
    int width = lattice_width(face), x = at % width - face->border, y = at / width - face->border;
    x = x < 0 ? 0 : x < face->width ? x : face->width - 1;
    y = y < 0 ? 0 : y < face->height ? y : face->height - 1;
    return y * face->width + x;
}

/* True if a luxel of the lattice takes its light from those around it. */
bool lattice_is_hidden(const struct face_light *face, int at);

/* The direct light of a style (by its place in face->styles) and of a slot, one colour a luxel, of
 * the border. */
static inline float *border_direct(const struct face_light *face, int style, int slot)
{
    const struct border_light *border = face->border_light;
    return border->direct[style] + (size_t)3 * (size_t)slot * (size_t)border->count;
}

/* The same for its bounced light, of style 0. */
static inline float *border_bounced(const struct face_light *face, int slot)
{
    const struct border_light *border = face->border_light;
    return border->bounced + (size_t)3 * (size_t)slot * (size_t)border->count;
}

/* Where the direct light of a style and a slot is at a luxel of the lattice. */
static inline float *lattice_direct(const struct face_light *face, int style, int slot, int at)
{
    struct lattice_place place = lattice_place(face, at);
    float *base = place.in_border ? border_direct(face, style, slot)
                                  : face->direct[style] + 3 * (size_t)slot * (size_t)face->count;
    return base + (ptrdiff_t)3 * place.luxel;
}

#endif
