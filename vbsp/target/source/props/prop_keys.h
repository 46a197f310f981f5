/* The keys of a prop_static as a record. */
#ifndef VBSP_SOURCE_PROPS_PROP_KEYS_H
#define VBSP_SOURCE_PROPS_PROP_KEYS_H

#include "common/bsp/lumps/static_props.h"
#include "vbsp/context.h"

/* All but the model and the leaves. `wide_flags`: the record holds more than eight flags, among
 * them whether light is kept by texel. Reports keys that make no sense (PROP_KEY). */
struct static_prop prop_of_keys(const struct compile *compile, const struct map_entity *entity,
                                const struct diag_where *where, bool wide_flags);

#endif
