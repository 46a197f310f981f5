/* The lighting files of static props in a pakfile, one per prop and kind: sp_12.vhv. */
#ifndef BSP_LUMPS_PROP_LIGHTING_H
#define BSP_LUMPS_PROP_LIGHTING_H

#include "common/bsp/lumps/pakfile.h"

enum prop_lighting {
    PROP_LIGHTING_LDR,    /* of vertices */
    PROP_LIGHTING_HDR,    /* of vertices */
    PROP_LIGHTING_TEXELS, /* LDR and HDR */
};

/* The name of a prop's file, with its 0. */
struct prop_lighting_name {
    char text[64];
};

struct prop_lighting_name prop_lighting_name(enum prop_lighting kind, size_t prop);

/* Returns false for the name of another file. Case is ignored. */
bool prop_lighting_parse(const char *name, enum prop_lighting *kind, size_t *prop);

typedef bool prop_lighting_test(const void *context, enum prop_lighting kind, size_t prop);

/* Removes the files for which `is_old` is true. Returns true if there were any. */
bool prop_lighting_remove(struct pakfile *pakfile, prop_lighting_test *is_old, const void *context);

#endif
