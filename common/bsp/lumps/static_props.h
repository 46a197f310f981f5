/* Static props: models that stand still, game lump 'sprp' of a VBSP.
 *
 * The lump is a list of model names, a list of leaves and a list of records. A record has grown
 * with the engine's branches, which used version numbers twice for different layouts; so a layout
 * is known by the version and the size of a record together. Here a layout is a form, and one
 * struct that is as wide as all of them holds what any form says.
 *
 * (Formats: docs/formats/props.md; Source BSP specification, section on the game lump.) */
#ifndef BSP_LUMPS_STATIC_PROPS_H
#define BSP_LUMPS_STATIC_PROPS_H

#include "common/bsp/record.h"
#include "common/diag/diag.h"

enum { STATIC_PROPS_ID = 0x73707270 }; /* 'sprp' */

/* Layouts. The version is that of the game lump; sizes are bytes of a record. */
enum static_prop_form {
    STATIC_PROP_UNKNOWN,
    STATIC_PROP_4,              /* 56 */
    STATIC_PROP_5,              /* 60 */
    STATIC_PROP_6,              /* 64 */
    STATIC_PROP_7,              /* 68 */
    STATIC_PROP_8,              /* 68 */
    STATIC_PROP_9,              /* 72 */
    STATIC_PROP_10,             /* 76 */
    STATIC_PROP_11,             /* 80 */
    STATIC_PROP_SDK2013,        /* 72; versions 7 and 10 of SDK 2013, TF2, Garry's Mod */
    STATIC_PROP_MESA,           /* 80; version 11 of Black Mesa */
    STATIC_PROP_STRATA_12,      /* 80; leaves of 32 bits */
    STATIC_PROP_STRATA_12_LEAN, /* the same with leaves of 16 bits */
    STATIC_PROP_STRATA_13,      /* 88; leaves of 32 bits */
    STATIC_PROP_STRATA_13_LEAN, /* the same with leaves of 16 bits */
    STATIC_PROP_FORMS
};

enum static_prop_flag {
    STATIC_PROP_FADES = 0x1,
    STATIC_PROP_HAS_LIGHTING_ORIGIN = 0x2,
    STATIC_PROP_NO_DRAW = 0x4,
    STATIC_PROP_IGNORE_NORMALS = 0x8,
    STATIC_PROP_NO_SHADOW = 0x10,
    STATIC_PROP_SCREEN_SPACE_FADE = 0x20,
    STATIC_PROP_NO_VERTEX_LIGHTING = 0x40,
    STATIC_PROP_NO_SELF_SHADOWING = 0x80,
    STATIC_PROP_NO_TEXEL_LIGHTING = 0x100, /* only in forms with wide flags */
};

enum static_prop_solid {
    STATIC_PROP_NOT_SOLID = 0,
    STATIC_PROP_SOLID_BOX = 2,
    STATIC_PROP_SOLID_MODEL = 6,
};

struct static_prop {
    float origin[3];
    float angles[3];                /* pitch, yaw, roll in degrees */
    int32_t model;                  /* index in models */
    int32_t first_leaf, leaf_count; /* in leaves: those that the prop reaches into */
    uint8_t solid;                  /* enum static_prop_solid */
    uint32_t flags;                 /* enum static_prop_flag */
    int32_t skin;
    float fade_min, fade_max; /* units; -1 or 0: no fading */
    float lighting_origin[3]; /* means something with HAS_LIGHTING_ORIGIN only */
    float forced_fade_scale;  /* usually 1 */
    int32_t min_dx, max_dx;   /* DirectX levels, such as 81; 0: any */
    uint8_t min_cpu, max_cpu; /* levels; 0: any */
    uint8_t min_gpu, max_gpu;
    uint8_t colour[4]; /* red, green, blue, alpha that tint the model; 255: as it is */
    uint8_t disable_x360;
    uint32_t flags2;                /* 1: no shadow depth, 4: bounced light */
    int32_t lightmap_resolution[2]; /* of light per texel; 0 without it */
    float scale[3];                 /* all three alike but in STATIC_PROP_STRATA_13 */

    /* Bytes of the file that mean nothing, kept so that it comes back the same. Zero in props that
     * are made anew. */
    uint8_t flag_byte; /* where other forms have flags, the one of SDK 2013 has this */
    uint8_t unused[3]; /* behind disable_x360 */
};

/* Zero-initialise; free with static_props_free. */
struct static_props {
    char **models;             /* stb_ds array; each from memory_alloc */
    int32_t *leaves;           /* stb_ds array: numbers of leaves */
    struct static_prop *props; /* stb_ds array */
};

struct static_prop_form_info {
    const char *name;    /* "version 10 of SDK 2013" */
    int32_t version;     /* that a game lump of the form has; SDK2013 may have 7 too */
    size_t record_size;  /* bytes */
    size_t leaf_size;    /* bytes of a number in the list of leaves: 2 or 4 */
    bool has_wide_flags; /* else only the low eight */
};

/* Not for STATIC_PROP_UNKNOWN. */
const struct static_prop_form_info *static_prop_form_info(enum static_prop_form form);

/* The form of records of that size, or UNKNOWN. Size 0 takes the usual one of the version: an empty
 * lump says no more. Black Mesa's version 11 has the size of the usual one: only decoding tells. */
enum static_prop_form static_prop_form_of(int version, size_t record_size);

/* Members of forms that lack them: fade scale and scales 1, colour 255, all else 0. */
struct static_prop static_prop_default(void);

/* Takes the unpacked lump apart. The two of 80 bytes and version 11 are told apart by their last
 * word, which is a scale in one and flags in the other. Each number may be any that its field can
 * hold: see static_props_check. Reports BSP_LUMP when counts do not fit the lump or bytes are left
 * over (the compilers leave none), PROPS_LAYOUT when no form fits. *out must be empty and is so
 * after a failure. Encoding in *form gives the same bytes, unless bytes stood behind the zero that
 * ends a model's name: those are not kept. */
NODISCARD enum status static_props_decode(const struct bytes *data, int version,
                                          enum byte_order order, const struct diag_where *where,
                                          struct diag *diag, struct static_props *out,
                                          enum static_prop_form *form);

/* Appends the lump in a form and a byte order (that of *out stays as it is). What the form has no
 * field for is left out: see static_props_losses. False and *range_error, with *out as it was, when
 * a number does not fit its field or a model's name has more than 128 characters. */
bool static_props_encode(const struct static_props *props, enum static_prop_form form,
                         enum byte_order order, struct bytes *out,
                         struct record_range_error *range_error);

struct static_prop_loss {
    const char *field; /* "DirectX levels" */
    size_t props;      /* of how many it is not what it would be read back as */
};

/* What encoding in the form would leave out: an stb_ds array for the caller to free, NULL when
 * nothing is lost. */
struct static_prop_loss *static_props_losses(const struct static_props *props,
                                             enum static_prop_form form);

/* Reports what is wrong (STATIC_PROPS) or unusual (STATIC_PROPS_ODD) in any props. `leaf_count` is
 * that of the map. The first few of each are told, then how many more there are. */
void static_props_check(const struct static_props *props, size_t leaf_count,
                        const struct diag_where *where, struct diag *diag);

void static_props_free(struct static_props *props);

#endif
