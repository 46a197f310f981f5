#include "vrad/files.h"

#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/diag/codes/light_options.def"
#include "common/io/fs.h"
#include "vrad/target/target.h"

const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension)
{
    const char *rad = path_beside(arena, path, extension, ".rad");
    enum fs_kind kind = fs_look_at(env->fs, env->diag, rad);
    return kind == FS_FILE ? rad : NULL;
}

static enum status take_lights_of_map(const struct env *env, const char *map,
                                      const struct bytes *text, const struct bsp *bsp,
                                      struct surface_notes *notes)
{
    struct bytes lights = {0};
    size_t count = 0;
    enum status status = baked_lights_of_map((const char *)text->data, text->size, map, bsp,
                                             env->diag, &lights, &count);
    if (status == STATUS_OK && count) {
        (void)diag_report(env->diag, DIAG_LIGHTS_OF_MAP, &(struct diag_where){.file = map},
                          "%zu light%s, since the BSP has none", count, count == 1 ? "" : "s");
        memcpy(arraddnptr(notes->lights, lights.size), lights.data, lights.size);
    }
    bytes_free(&lights);
    return status;
}

/* A BSP of q3map2 has no light entities: its light stage reads the source again. */
static enum status find_lights(const struct env *env, const char *path, const struct bsp *bsp,
                               struct surface_notes *notes)
{
    static const char *const endings[] = {".map", ".reg"};
    bool gone = false;
    const bool is_lit = bsp->ldr.lighting.size > 0 || arrlen(bsp->light_grid) > 0;
    /* vbsp leaves the lights in a BSP that it writes to a pipe. */
    if (notes->has_all_lights || (strcmp(path, "-") == 0 && !is_lit))
        return STATUS_OK;
    TRY(baked_lights_are_gone(bsp, env->diag, &gone));
    if (!gone)
        return STATUS_OK;
    struct arena arena = {0};
    struct bytes text = {0};
    enum status status = STATUS_OK;
    const char *map = NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !text.size; i++) {
        map = path_beside(&arena, path, ".bsp", endings[i]);
        (void)fs_load_optional(env->fs, env->diag, map, &text);
    }
    if (text.size)
        status = take_lights_of_map(env, map, &text, bsp, notes);
    else
        diag_report(env->diag, DIAG_LIGHTS_GONE, &(struct diag_where){.file = path},
                    "it has no light entities, and there is neither a .srf file of vbsp that lists "
                    "them nor a .map beside it");
    bytes_free(&text);
    arena_free(&arena);
    return status;
}

enum status vrad_read_notes(const struct env *env, const char *path, const struct bsp *bsp,
                            struct surface_notes *out)
{
    *out = (struct surface_notes){0};
    if (!bsp->engine->has_notes)
        return STATUS_OK;
    struct arena arena = {0};
    struct bytes text = {0};
    enum status status = STATUS_OK;
    const char *srf = path_beside(&arena, path, ".bsp", ".srf");
    if (fs_load_optional(env->fs, env->diag, srf, &text))
        status = surface_notes_parse((const char *)text.data, text.size, srf, bsp, env->diag, out);
    if (status == STATUS_OK)
        status = find_lights(env, path, bsp, out);
    if (status != STATUS_OK)
        surface_notes_free(out);
    bytes_free(&text);
    arena_free(&arena);
    return status;
}
