/* Writes the lump of displacement physics again, to compare with what was decoded. */
#ifndef TESTS_PHYSICS_DISPLACEMENTS_H
#define TESTS_PHYSICS_DISPLACEMENTS_H

#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"

/* Appends the lump, in the byte order of its file. */
static inline void physics_displacements_append(const struct physics_displacements *physics,
                                                struct bytes *out)
{
    if (!physics->present)
        return;
    bytes_u16(out, (uint16_t)arrlenu(physics->items));
    for (size_t i = 0; i < arrlenu(physics->items); i++)
        bytes_u16(out, physics->items[i].none ? 0xffff : (uint16_t)physics->items[i].hull.size);
    for (size_t i = 0; i < arrlenu(physics->items); i++)
        if (!physics->items[i].none)
            bytes_append(out, physics->items[i].hull.data, physics->items[i].hull.size);
    bytes_append(out, physics->rest.data, physics->rest.size);
}

#endif
