/* Static props: models that do not move, game lump 'sprp' of a VBSP.
 *
 * The lump is a list of model names, a list of leaves and a list of records. Records have grown
 * with the engine's branches, which used some version numbers for two layouts; so a layout is
 * identified by the version and the size of a record together. A layout is called a form here, and
 * one struct that is as wide as all of them holds the values of any form.
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

    /* Of Left 4 Dead and the branches that follow it, in the place of NO_DRAW and
     * SCREEN_SPACE_FADE. */
    STATIC_PROP_NO_FLASHLIGHT = 0x4,
    STATIC_PROP_FAST_REFLECTION = 0x20,
};

enum static_prop_flag2 {
    STATIC_PROP_NO_SHADOW_DEPTH = 0x1,
    STATIC_PROP_BOUNCES_LIGHT = 0x4,
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
    int32_t first_leaf, leaf_count; /* in leaves: the leaves that the prop touches */
    uint8_t solid;                  /* enum static_prop_solid */
    uint32_t flags;                 /* enum static_prop_flag */
    int32_t skin;
    float fade_min, fade_max; /* units; -1 or 0: no fading */
    float lighting_origin[3]; /* only used with HAS_LIGHTING_ORIGIN */
    float forced_fade_scale;  /* usually 1 */
    int32_t min_dx, max_dx;   /* DirectX levels, such as 81; 0: any */
    uint8_t min_cpu, max_cpu; /* levels; 0: any */
    uint8_t min_gpu, max_gpu;
    uint8_t colour[4]; /* red, green, blue, alpha that tint the model; 255: unchanged */
    uint8_t disable_x360;
    uint32_t flags2;                /* enum static_prop_flag2 */
    int32_t lightmap_resolution[2]; /* of per-texel lighting; 0 without it */
    float scale[3];                 /* all three equal except in STATIC_PROP_STRATA_13 */

    /* Bytes of the file without meaning, kept so that it is written back unchanged. Zero in new
     * props. */
    uint8_t flag_byte; /* in the form of SDK 2013 this byte stands where other forms have flags */
    uint8_t unused[3]; /* after disable_x360 */
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
    size_t leaf_size;    /* bytes per number in the list of leaves: 2 or 4 */
    bool has_wide_flags; /* false: only the low eight bits */
    bool is_later;       /* its flags are those of Left 4 Dead and the branches that follow it */
};

/* Returns the properties of a form, other than STATIC_PROP_UNKNOWN. */
const struct static_prop_form_info *static_prop_form_info(enum static_prop_form form);

/* Returns true for a form whose records have flags2. */
bool static_prop_form_has_flags2(enum static_prop_form form);

/* Returns the form with records of that size, or UNKNOWN. Size 0 gives the usual form of the
 * version, as an empty lump does not determine it. Black Mesa's version 11 has the same size as the
 * usual one: only decoding distinguishes them. */
enum static_prop_form static_prop_form_of(int version, size_t record_size);

/* Returns a prop with the values of forms that lack a member: fade scale and scales 1, colour 255,
 * all else 0. */
struct static_prop static_prop_default(void);

/* Decodes the unpacked lump. The two forms of 80 bytes and version 11 are distinguished by their
 * last word, which is a scale in one and flags in the other. Numbers may have any value that their
 * field can hold: see static_props_check. Reports BSP_LUMP when counts do not fit the lump or bytes
 * are left over (the compilers leave none), PROPS_LAYOUT when no form matches. *out must be empty
 * and is so on failure. Encoding in *form gives the same bytes, except for bytes after the NUL of a
 * model's name, which are not kept. */
NODISCARD enum status static_props_decode(const struct bytes *data, int version,
                                          enum byte_order order, const struct diag_where *where,
                                          struct diag *diag, struct static_props *out,
                                          enum static_prop_form *form);

/* Appends the lump in a form and a byte order (that of *out is unchanged). Members that the form
 * does not have are dropped: see static_props_losses. Returns false and sets *range_error, with
 * *out unchanged, when a number does not fit its field or a model's name has more than 128
 * characters. */
bool static_props_encode(const struct static_props *props, enum static_prop_form form,
                         enum byte_order order, struct bytes *out,
                         struct record_range_error *range_error);

struct static_prop_loss {
    const char *field; /* "DirectX levels" */
    size_t props;      /* number of props whose value is not the one that would be read back */
    size_t first;      /* the first of them */
};

/* Returns the members that encoding in the form would drop: an stb_ds array that the caller frees,
 * NULL when nothing is lost. */
struct static_prop_loss *static_props_losses(const struct static_props *props,
                                             enum static_prop_form form);

/* Reports invalid (STATIC_PROPS) and unusual (STATIC_PROPS_ODD) props. `leaf_count` is that of the
 * map. The first few of each are reported, then the number of the others. */
void static_props_check(const struct static_props *props, size_t leaf_count,
                        const struct diag_where *where, struct diag *diag);

void static_props_free(struct static_props *props);

#endif
