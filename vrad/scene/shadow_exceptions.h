/* Exceptions by name: materials that cast no shadows, and models that cast alpha shadows, from the
 * lines `noshadow` and `forcetextureshadow` of .rad files. */
#ifndef VRAD_SCENE_SHADOW_EXCEPTIONS_H
#define VRAD_SCENE_SHADOW_EXCEPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Names compare without case, and `\` equals `/`: keys are lower case, with `/`. */
enum { MATERIAL_KEY_SIZE = 260 };

/* False when the name is empty or too long. */
bool material_key(const char *name, size_t length, char key[MATERIAL_KEY_SIZE]);

struct shadow_exception { /* an stb_ds string map by material_key */
    char *key;
    bool value;
};

/* Zero-initialise; the keys are copied. */
struct shadow_exceptions {
    struct shadow_exception *no_shadow; /* materials */
    struct shadow_exception *textured;  /* models */
};

/* Adds a key to one of the maps. */
void shadow_exceptions_add(struct shadow_exception **map, const char *key);
void shadow_exceptions_free(struct shadow_exceptions *exceptions);

/* False where there are none (NULL). */
bool shadow_exceptions_no_shadow(const struct shadow_exceptions *exceptions, const char *material);
bool shadow_exceptions_textured(const struct shadow_exceptions *exceptions, const char *model);

#endif
