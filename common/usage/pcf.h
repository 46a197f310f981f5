/* Reads particle systems (.pcf): a DMX file in its binary encoding, versions 1 to 5.
 *
 * A file is a list of elements with named attributes. Kept are strings and references between
 * elements: all that can name another file or particle system. (Format: the pages on DMX of the
 * developer wiki.) */
#ifndef USAGE_PCF_H
#define USAGE_PCF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

struct pcf_string {
    const char *key, *value;
};

struct pcf_element {
    const char *type, *name;
    struct pcf_string *strings; /* stb_ds array */
    uint32_t *references;       /* stb_ds array: indices of elements, in range */
};

struct pcf {
    struct pcf_element *elements; /* stb_ds array */
    struct arena arena;           /* the strings */
};

/* Decodes a file. Fails with PCF_BROKEN, and *out empty. Memory is linear in the size. `where` may
 * be NULL. Free with pcf_free. */
NODISCARD enum status pcf_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct pcf *out);
void pcf_free(struct pcf *pcf);

/* Returns true for the definition of a particle system; its name is what maps name. */
bool pcf_is_system(const struct pcf_element *element);

#endif
