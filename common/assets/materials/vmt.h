/* Materials: reads VMT text with patch and include resolved, and derives the properties that a
 * compiler needs. */
#ifndef ASSETS_MATERIALS_VMT_H
#define ASSETS_MATERIALS_VMT_H

#include "common/assets/assets.h"
#include "common/assets/mounts/mount.h"
#include "common/text/keyvalues.h"

struct vmt {
    const char *shader;    /* lower case, without an sdk_ prefix */
    const struct kv *keys; /* root block, patches applied */
};

/* Loads "materials/NAME.vmt" from an array of mounts. Returns false when it is missing or invalid
 * (reported). Strings are in the arena. */
bool vmt_load(struct mount *const *mounts, const char *name, struct arena *arena, struct diag *diag,
              struct vmt *out);

/* Parses text, for tests and fuzzers; `include` loads another file and may be NULL. */
typedef bool vmt_include(void *context, const char *path, struct bytes *out);
bool vmt_parse(const char *text, size_t size, const char *name, vmt_include *include, void *context,
               struct arena *arena, struct diag *diag, struct vmt *out);

/* Like vmt_parse, but keys with a condition ("srgb?$x") and blocks of any hardware stay as they
 * are, and a patch whose base `include` does not have is a block of the patch's own keys, called
 * "patch". Returns the root block, or NULL. Each file that is included is asked of `include`. */
const struct kv *vmt_parse_all(const char *text, size_t size, const char *name,
                               vmt_include *include, void *context, struct arena *arena,
                               struct diag *diag);

/* Returns a key's value at the root, or in a ..._DX9 block when the root lacks it, or NULL. */
const char *vmt_value(const struct vmt *vmt, const char *key);
bool vmt_flag(const struct vmt *vmt, const char *key); /* true for a number other than 0 */
/* Returns a finite number, or `usual`. */
double vmt_number(const struct vmt *vmt, const char *key, double usual);
/* Reads "[.2 .3 .3]", or "{51 77 77}" of 255. Returns false, with *out unchanged, for others. */
bool vmt_colour(const struct vmt *vmt, const char *key, double out[3]);

/* Fills the properties that the VMT decides: flags, contents, shader ... (not size and
 * reflectivity). */
void vmt_compile_meaning(const struct vmt *vmt, struct material *material);

#endif
