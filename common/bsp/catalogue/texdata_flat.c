#include "common/bsp/catalogue/texdata_flat.h"

#include <string.h>

#include "common/text/keyvalues.h"

static bool ends_so(const char *name)
{
    size_t length = strlen(name), ending = strlen(TEXDATA_FLAT_ENDING);
    return length > ending && strcmp(name + length - ending, TEXDATA_FLAT_ENDING) == 0;
}

const char *texdata_flat_texture(struct arena *arena, const struct pakfile *pakfile,
                                 const char *name)
{
    const char *file = arena_printf(arena, "materials/%s.vmt", name);
    const struct pakfile_file *found = ends_so(name) ? pakfile_find(pakfile, file) : NULL;
    if (!found)
        return NULL;
    /* One that cannot be read tells nothing; the map may be sound all the same. */
    struct diag *silent = diag_new(NULL, NULL);
    struct bytes text = {0};
    struct kv *root;
    const char *texture = NULL;
    if (pakfile_extract(found, NULL, silent, &text) == STATUS_OK &&
        kv_parse((const char *)text.data, text.size, file, KV_LENIENT, arena, silent, &root) ==
            STATUS_OK &&
        root->children)
        texture = kv_value(root->children, "$basetexture");
    bytes_free(&text);
    diag_free(silent);
    return texture && *texture ? texture : NULL;
}
