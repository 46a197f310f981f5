/* Texture lights: the lights.rad format.
 *
 * A line is `[ldr:|hdr:]material r g b [brightness]`, `noshadow material` or
 * `forcetextureshadow model`; `//` starts a comment. The last line of a name wins, within a file
 * and between files. Names compare without case, `\` is `/`. */
#ifndef VRAD_LIGHTS_RAD_FILE_H
#define VRAD_LIGHTS_RAD_FILE_H

#include "common/assets/assets.h"
#include "common/env.h"
#include "common/geom/vec.h"
#include "vrad/scene/shadow_exceptions.h"

/* Sets of rad_light.colour. */
enum { RAD_LDR, RAD_HDR, RAD_SIDES };

struct rad_light {
    bool has[RAD_SIDES];
    struct vec3 colour[RAD_SIDES]; /* linear, 255 is white, times the brightness */
};

struct rad_light_entry { /* an stb_ds string map by material_key */
    char *key;
    struct rad_light value;
};

/* Zero-initialise; the keys are copied into the maps. */
struct rad_file {
    struct rad_light_entry *lights;
    struct shadow_exceptions shadows;
};

/* Parses one text. Invalid lines are reported with their number and skipped. `name` is for
 * messages. */
void rad_parse(const char *text, size_t size, const char *name, struct diag *diag,
               struct rad_file *rad);

/* Loads lights.rad of the game, then `lights_file`, then `map_rad`, each of which may be NULL. Only
 * a missing lights_file is reported; it is searched as a path, then among the assets. */
void rad_load(const struct env *env, struct assets *assets, const char *lights_file,
              const char *map_rad, struct rad_file *out);

/* Returns true if the material is a texture light in that run; *out is its colour. A copy of it
 * that vbsp made for the map (maps/NAME/MATERIAL with the position of a cubemap) counts as the
 * material. */
bool rad_find(const struct rad_file *rad, const char *material, bool hdr, struct vec3 *out);

void rad_free(struct rad_file *rad);

#endif
