/* The lighting files of static props in a map's pakfile, one per prop. */
#ifndef VRAD_PROPS_PROP_FILES_H
#define VRAD_PROPS_PROP_FILES_H

#include "common/bsp/bsp.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/env.h"

struct prop_file {
    size_t prop;
    struct bytes data; /* empty: the prop has none */
};

/* Puts the files in and removes those of the same kind of other props. A pakfile without changes
 * stays as it is. The map flag of the kind, if it has one, says whether there are any. Fails with
 * the pakfile. */
NODISCARD enum status prop_files_store(const struct env *env, enum prop_lighting kind,
                                       const struct prop_file *files, size_t count,
                                       struct bsp *bsp);

#endif
