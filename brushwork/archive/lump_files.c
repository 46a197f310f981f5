#include "brushwork/archive/lump_files.h"

#include <string.h>

#include "common/assets/textures/image.h"
#include "common/assets/textures/tga.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/json/lump_json.h"
#include "common/bsp/query.h"
#include "common/core/arena.h"
#include "common/core/memory.h"
#include "common/diag/codes/sidecars.def"
#include "common/io/extract_target.h"
#include "common/io/fs.h"

static const char *file_of(struct arena *arena, const struct bsp *bsp, enum lump_files kind,
                           int number)
{
    if (kind == LUMP_FILES_LIGHTMAPS)
        return arena_printf(arena, "lm_%04d.tga", number);
    char *name = arena_printf(arena, "%s.json", bsp_lump_name(bsp->format, number));
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '_' : *c;
    return name;
}

static int count_items(const struct bsp *bsp, enum lump_files kind)
{
    return kind == LUMP_FILES_JSON ? bsp_lump_numbers(bsp->format) : (int)bsp_page_count(bsp);
}

static enum status check_engine(const struct env *env, const struct bsp *bsp, const char *path)
{
    if (bsp->engine->has_lump_files)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_LUMP_FILE, &(struct diag_where){.file = path},
                       "%s: only lumps of Quake 3 are written as files", bsp->format->title);
}

/* Returns false for a lump without such a form. */
static bool format_item(struct bsp *bsp, enum lump_files kind, int number, struct bytes *out)
{
    if (kind == LUMP_FILES_JSON)
        return lump_to_json(bsp, number, out);
    const int side = bsp_page_side(bsp);
    tga_encode(bsp->ldr.lighting.data + (size_t)number * bsp_page_bytes(bsp), side, side, TGA_RGB,
               out);
    return true;
}

enum status lump_files_write(const struct env *env, struct bsp *bsp, enum lump_files kind,
                             const char *path, const char *folder, bool force, size_t *count)
{
    struct arena arena = {0};
    enum status status = check_engine(env, bsp, path);
    *count = 0;
    for (int i = 0; status == STATUS_OK && i < count_items(bsp, kind); i++)
        status =
            extract_check_target(env->fs, env->diag, folder, file_of(&arena, bsp, kind, i), force);
    if (status == STATUS_OK) /* an error here shows up when a file is written */
        (void)env->fs->ops->make_folder(env->fs, folder);
    for (int i = 0; status == STATUS_OK && i < count_items(bsp, kind); i++) {
        struct bytes data = {0};
        const char *name = arena_printf(&arena, "%s/%s", folder, file_of(&arena, bsp, kind, i));
        if (format_item(bsp, kind, i, &data)) {
            status = env_store(env, name, data.data, data.size);
            *count += status == STATUS_OK;
        }
        bytes_free(&data);
    }
    arena_free(&arena);
    return status;
}

/* --- back --- */

static enum status read_page(const struct env *env, struct bsp *bsp, int number,
                             const struct bytes *file, const char *name)
{
    int width, height;
    const int side = bsp_page_side(bsp);
    uint8_t *pixels = image_decode(file->data, file->size, &width, &height);
    unsigned char *page = bsp->ldr.lighting.data + (size_t)number * bsp_page_bytes(bsp);
    bool fits = pixels && width == side && height == side;
    for (size_t i = 0; fits && i < (size_t)side * (size_t)side; i++)
        memcpy(page + 3 * i, pixels + 4 * i, 3);
    memory_free(pixels);
    return fits ? STATUS_OK
                : diag_report(env->diag, DIAG_LUMP_FILE, &(struct diag_where){.file = name},
                              "expected an image of %d x %d pixels", side, side);
}

static enum status read_item(const struct env *env, struct bsp *bsp, enum lump_files kind,
                             int number, const struct bytes *file, const char *name)
{
    return kind == LUMP_FILES_JSON ? lump_from_json(bsp, number, file, name, env->diag)
                                   : read_page(env, bsp, number, file, name);
}

/* The lumps may not fit together any more: they are read as from a file. */
static enum status check_whole(const struct env *env, const struct bsp *bsp, const char *path)
{
    struct bytes file = {0};
    struct bsp *again = NULL;
    enum status status = bsp_encode(bsp, NULL, path, env->diag, &file);
    if (status == STATUS_OK)
        status = bsp_decode(file.data, file.size, path, env->diag, &again);
    bsp_free(again);
    bytes_free(&file);
    return status;
}

enum status lump_files_read(const struct env *env, struct bsp *bsp, enum lump_files kind,
                            const char *path, const char *folder, size_t *count)
{
    struct arena arena = {0};
    enum status status = check_engine(env, bsp, path);
    *count = 0;
    /* The pages may be borrowed from the file. */
    if (status == STATUS_OK && kind == LUMP_FILES_LIGHTMAPS && bsp->ldr.lighting.size) {
        struct bytes own = {0};
        bytes_append(&own, bsp->ldr.lighting.data, bsp->ldr.lighting.size);
        bytes_free(&bsp->ldr.lighting);
        bsp->ldr.lighting = own;
    }
    for (int i = 0; status == STATUS_OK && i < count_items(bsp, kind); i++) {
        struct bytes file = {0};
        const char *name = arena_printf(&arena, "%s/%s", folder, file_of(&arena, bsp, kind, i));
        if (fs_load_optional(env->fs, env->diag, name, &file)) {
            status = read_item(env, bsp, kind, i, &file, name);
            ++*count;
        }
        bytes_free(&file);
    }
    if (status == STATUS_OK && !*count)
        status = diag_report(env->diag, DIAG_LUMP_FILE, &(struct diag_where){.file = folder},
                             "no file of a lump, such as %s", file_of(&arena, bsp, kind, 0));
    if (status == STATUS_OK)
        status = check_whole(env, bsp, path);
    arena_free(&arena);
    return status;
}
