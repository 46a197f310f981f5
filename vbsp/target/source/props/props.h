/* Props: static props, and detail props, which are also scattered on faces. */
#ifndef VBSP_SOURCE_PROPS_PROPS_H
#define VBSP_SOURCE_PROPS_PROPS_H

#include "common/bsp/lumps/static_props.h"
#include "vbsp/context.h"

struct prop_key_loss;

/* The static props of a map before they are written. */
struct placed_props {
    struct static_props props;
    enum static_prop_form form;   /* that they will have */
    struct prop_key_loss *losses; /* stb_ds array: keys that the form has no place for */
};

/* Places all prop_static entities, after the leaves are in the bsp. Reports models that are missing
 * (PROP_MODEL_MISSING) or not static (PROP_NOT_STATIC), once each; props in no open leaf
 * (PROP_OUTSIDE), invalid keys (PROP_KEY). Free with placed_props_free. */
void static_props_place(struct compile *compile, struct placed_props *out);

/* Writes their game lump, if there are any. Fails with PROP_LIMIT. */
NODISCARD enum status static_props_write(struct compile *compile,
                                         const struct placed_props *placed);
void placed_props_free(struct placed_props *placed);

/* Compares numbers of two records. */
static inline bool prop_floats_equal(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

/* Scatters the props of detail.vbsp (or the file named by worldspawn's `detailvbsp`) on faces whose
 * materials name a detail type, places prop_detail, detail_prop and prop_detail_sprite, and writes
 * the game lump, if any, after that of static props. After the faces and leaves are in the bsp,
 * while texinfo has the compile's numbers. Reports a missing detail.vbsp or detail type
 * (DETAIL_TYPE), displacements without records (DETAIL_BARE), too many props (DETAIL_LIMIT);
 * missing models as static_props_place does. */
NODISCARD enum status detail_props_emit(struct compile *compile);

#endif
