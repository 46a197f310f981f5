/* The six sides of a sky of Source: materials skybox/NAMErt, lf, bk, ft, up and dn, as light. */
#ifndef ASSETS_MATERIALS_SKY_SIDES_H
#define ASSETS_MATERIALS_SKY_SIDES_H

#include "common/assets/assets.h"
#include "common/geom/vec.h"

/* The sides in the order of the axes: +x, -x, +y, -y, +z, -z. */
enum { SKY_SIDES = 6 };

extern const char *const sky_side_endings[SKY_SIDES];

/* Where a direction meets the box of a sky. */
struct sky_place {
    int side;
    double right, down; /* 0 .. 1 over the side */
    double far;         /* share of the direction along the axis of the side */
};

struct sky_place sky_place_of(struct vec3 direction);

/* The pictures of a sky; `light` of a missing side is NULL. */
struct sky_sides {
    struct sky_side {
        int width, height;
        float (*light)[4]; /* linear, 1 is white; from memory_alloc, top row first */
        bool hdr;          /* of $hdrcompressedtexture or $hdrbasetexture */
    } sides[SKY_SIDES];
    bool names_hdr; /* some material names such a texture, be it readable or not */
};

/* Reads the sides from the assets, with `hdr` those of HDR light before those of $basetexture, else
 * the other way round. Of these, one whose format cannot be decoded has the mean that its file
 * names. Larger ones than `max` pixels are halved. Reports nothing. Free with
 * sky_sides_free. */
void sky_sides_read(struct assets *assets, const char *name, bool hdr, int max,
                    struct sky_sides *out);
void sky_sides_free(struct sky_sides *sides);

/* Computes the light from a direction, between pixels; black where a side is missing. */
void sky_sides_at(const struct sky_sides *sides, struct vec3 direction, float out[3]);

#endif
