#include "common/assets/models/md3_shaders.h"

#include "common/core/array.h"

enum {
    HEADER = 108,
    SURFACE_COUNT = 84,
    SURFACES = 100,
    SURFACE = 108,
    SHADER_COUNT = 76,
    SHADERS = 92,
    SURFACE_END = 104,
    SHADER_RECORD = 68,
    NAME = 64,
};

/* Of one surface, which starts at `at`; its end, or 0 when it makes no sense. */
static size_t read_surface(const struct bytes *model, size_t at, struct arena *arena,
                           const char ***out)
{
    const unsigned char *surface = model->data + at;
    uint64_t count = load_u32(surface + SHADER_COUNT);
    uint64_t shaders = at + (uint64_t)load_u32(surface + SHADERS);
    uint64_t end = load_u32(surface + SURFACE_END);
    for (uint64_t i = 0; i < count && shaders + (i + 1) * SHADER_RECORD <= model->size; i++) {
        const char *name = (const char *)model->data + shaders + i * SHADER_RECORD;
        const char *stop = memchr(name, 0, NAME);
        if (*name)
            arrput(*out, arena_strndup(arena, name, stop ? (size_t)(stop - name) : (size_t)NAME));
    }
    return end >= SURFACE ? at + (size_t)end : 0;
}

const char **md3_shaders(const struct bytes *model, struct arena *arena)
{
    const char **shaders = NULL;
    if (model->size < HEADER || memcmp(model->data, "IDP3", 4) != 0)
        return NULL;
    uint32_t count = load_u32(model->data + SURFACE_COUNT);
    size_t at = load_u32(model->data + SURFACES);
    for (uint32_t i = 0; i < count && at && at <= model->size && model->size - at >= SURFACE; i++)
        at = read_surface(model, at, arena, &shaders);
    return shaders;
}
