#include "vrad/scene/shadow_exceptions.h"

#include <ctype.h>
#include <string.h>

#include "common/core/array.h"

bool material_key(const char *name, size_t length, char key[MATERIAL_KEY_SIZE])
{
    if (length >= MATERIAL_KEY_SIZE || !length)
        return false;
    for (size_t i = 0; i < length; i++)
        key[i] = name[i] == '\\' ? '/' : (char)tolower((unsigned char)name[i]);
    key[length] = 0;
    return true;
}

void shadow_exceptions_add(struct shadow_exception **map, const char *key)
{
    if (!*map)
        sh_new_strdup(*map);
    shput(*map, key, true);
}

void shadow_exceptions_free(struct shadow_exceptions *exceptions)
{
    shfree(exceptions->no_shadow);
    shfree(exceptions->textured);
}

static bool has_name(struct shadow_exception *map, const char *name)
{
    char key[MATERIAL_KEY_SIZE];
    return map && material_key(name, strlen(name), key) && shgeti(map, key) >= 0;
}

bool shadow_exceptions_no_shadow(const struct shadow_exceptions *exceptions, const char *material)
{
    return exceptions && has_name(exceptions->no_shadow, material);
}

bool shadow_exceptions_textured(const struct shadow_exceptions *exceptions, const char *model)
{
    return exceptions && has_name(exceptions->textured, model);
}
