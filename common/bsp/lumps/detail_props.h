/* Detail props (grass and the like): game lumps 'dprp' (models, sprites, positions) and 'dplt' and
 * 'dplh' (their light, LDR and HDR) of a VBSP.
 *
 * (Formats: docs/formats/props.md; Source BSP specification, section on the game lump.) */
#ifndef BSP_LUMPS_DETAIL_PROPS_H
#define BSP_LUMPS_DETAIL_PROPS_H

#include "common/bsp/bsp.h"
#include "common/bsp/record.h"
#include "common/diag/diag.h"

enum {
    DETAIL_PROPS_ID = 0x64707270,     /* 'dprp' */
    DETAIL_LIGHT_ID = 0x64706c74,     /* 'dplt' */
    DETAIL_LIGHT_HDR_ID = 0x64706c68, /* 'dplh' */
    DETAIL_PROPS_VERSION = 4,
    DETAIL_LIGHT_VERSION = 0,
};

/* An upright rectangle, and its part of the texture of all detail sprites. */
struct detail_sprite {
    float upper_left[2], lower_right[2];                 /* units from its origin */
    float texture_upper_left[2], texture_lower_right[2]; /* 0..1 */
};

enum detail_type { DETAIL_MODEL, DETAIL_SPRITE, DETAIL_CROSS, DETAIL_TRIPLE, DETAIL_TYPES };

enum detail_orientation {
    DETAIL_NORMAL,
    DETAIL_FACES_SCREEN,
    DETAIL_FACES_SCREEN_UPRIGHT,
    DETAIL_ORIENTATIONS
};

struct detail_object {
    float origin[3];
    float angles[3]; /* pitch, yaw, roll in degrees */
    int32_t model;   /* index in models when the type is DETAIL_MODEL, else in sprites */
    int32_t leaf;
    struct bsp_colour light;         /* of style 0 */
    uint32_t first_light;            /* in the light lump */
    uint8_t light_count;             /* number of light styles other than 0 */
    uint8_t sway;                    /* 255: maximum */
    uint8_t shape_angle, shape_size; /* of crosses and triples */
    uint8_t orientation;             /* enum detail_orientation */
    uint8_t type;                    /* enum detail_type */
    float scale;                     /* of sprites */
    uint8_t after_orientation[3];    /* padding without meaning, kept as the file has it */
    uint8_t after_type[3];
};

/* Zero-initialise; free with detail_props_free. */
struct detail_props {
    char **models; /* stb_ds array; each from memory_alloc */
    struct detail_sprite *sprites;
    struct detail_object *objects; /* compilers sort them by leaf */
};

struct detail_light {
    struct bsp_colour light;
    uint8_t style;
};

/* Decodes an unpacked 'dprp' of version 4. Numbers may have any value that their field can hold:
 * see detail_props_check. Reports BSP_LUMP when counts do not fit the lump or bytes are left over,
 * PROPS_LAYOUT for another version. *out must be empty and is so on failure. Encoding gives the
 * same bytes, except for bytes after the NUL of a model's name. */
NODISCARD enum status detail_props_decode(const struct bytes *data, int version,
                                          enum byte_order order, const struct diag_where *where,
                                          struct diag *diag, struct detail_props *out);

/* Appends the lump in a byte order (that of *out is unchanged). Returns false and sets
 * *range_error, with *out unchanged, when a number does not fit its field or a model's name has
 * more than 128 characters. */
bool detail_props_encode(const struct detail_props *props, enum byte_order order, struct bytes *out,
                         struct record_range_error *range_error);

/* The same for an unpacked 'dplt' or 'dplh' of version 0 as an stb_ds array; *out must be NULL. */
NODISCARD enum status detail_light_decode(const struct bytes *data, int version,
                                          enum byte_order order, const struct diag_where *where,
                                          struct diag *diag, struct detail_light **out);
void detail_light_encode(const struct detail_light *lights, enum byte_order order,
                         struct bytes *out);

/* Reports invalid props (DETAIL_PROPS). `leaf_count` is that of the map; `light_count` that of the
 * shorter of its light lumps. The first few are reported, then the number of the others. */
void detail_props_check(const struct detail_props *props, size_t leaf_count, size_t light_count,
                        const struct diag_where *where, struct diag *diag);

void detail_props_free(struct detail_props *props);

#endif
