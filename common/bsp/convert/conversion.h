/* Internal to common/bsp/convert: a conversion that is under way. */
#ifndef BSP_CONVERT_CONVERSION_H
#define BSP_CONVERT_CONVERSION_H

#include "common/bsp/codec/format.h"

struct conversion {
    struct bsp *bsp;
    const struct bsp_format *from, *to;
    struct diag *diag;
    struct diag_where where;
    int losses;
};

/* Reports a loss (BSP_LOSS) with its count; 0: there is none. */
void conversion_lose(struct conversion *conversion, const char *what, size_t count);

/* From here on the bsp counts as new: it has the target's lump order and versions. */
void conversion_forget_file(struct bsp *bsp);

/* Between games of the family of Quake 3: flags of shaders, light of styles, pages. */
enum status convert_quake3(struct conversion *conversion);

#endif
