/* File formats of the BSP: a descriptor each, and reading and writing through it. */
#ifndef BSP_FORMAT_H
#define BSP_FORMAT_H

#include "common/bsp/bsp.h"
#include "common/core/env.h"

struct bsp_limit {
    const char *name; /* "faces" */
    int64_t maximum;
};

/* One row a branch of the engine (the --target names). */
struct bsp_format {
    const char *target; /* "sdk2013" */
    const char *title;  /* "VBSP 20" */
    int32_t version;
    int32_t static_prop_version;
    const struct bsp_limit *limits;
    size_t limit_count;
};

/* By the --target name, or NULL. */
const struct bsp_format *bsp_format_find(const char *target);

/* Reads any known format. Every index and range that the canonical form needs to be safe is
 * checked: after STATUS_OK no accessor can run out of its array (a damaged file is refused with
 * diagnostics). `name` is for messages. */
NODISCARD enum status bsp_decode(const void *data, size_t size, const char *name,
                                 struct diag *diag, struct bsp **out);

/* Narrows to the format. A passed limit is reported with its name, the use and the maximum, and
 * nothing is appended to *out. */
NODISCARD enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format,
                                 const char *name, struct diag *diag, struct bytes *out);

/* The same from and to a file. */
NODISCARD enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out);
NODISCARD enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                                     const struct bsp_format *format, const char *path);

/* Use of each limit of the format: fills `used` (limit_count entries). */
void bsp_limit_use(const struct bsp *bsp, const struct bsp_format *format, int64_t *used);

#endif
