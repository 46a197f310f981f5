#include "common/usage/pk3_files.h"

#include <stdlib.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/usage/arena_block.h"

static void add_shaders(struct assets *assets, const struct usage *usage, struct bytes *script)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(usage->files); i++)
        if (usage->files[i].kind == USAGE_SHADER && usage->files[i].place == USAGE_OWN)
            arrput(names, usage->files[i].name);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, str_compare_items);
    for (size_t i = 0; i < arrlenu(names); i++) {
        const struct shader_block *block = assets_shader_block(assets, names[i]);
        if (!block)
            continue;
        bytes_append_text(script, "%s\n{", names[i]);
        bytes_append(script, block->text, block->size);
        bytes_append_text(script, "\n}\n");
    }
    arrfree(names);
}

static bool read_file(const struct assets *assets, const char *map, const struct usage_file *file,
                      struct arena *arena, struct bytes *out)
{
    size_t mount;
    if (file->kind != USAGE_ARENA)
        return assets_read_from(assets, (size_t)file->mount, file->name, out);
    if (!arena_block_find(assets, map, arena, out, &mount))
        return false;
    bytes_append_text(out, "\n");
    return true;
}

struct pk3_file *pk3_files_make(struct assets *assets, const char *map, const struct usage *usage,
                                struct arena *arena)
{
    struct pk3_file *files = NULL, script = {.of = -1};
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        struct pk3_file one = {.name = file->name, .of = (int64_t)i};
        if (file->place == USAGE_OWN && file->kind != USAGE_SHADER &&
            read_file(assets, map, file, arena, &one.data))
            arrput(files, one);
    }
    add_shaders(assets, usage, &script.data);
    if (script.data.size) {
        script.name = asset_name(arena, arena_printf(arena, "scripts/%s.shader", map));
        arrput(files, script);
    }
    if (files)
        qsort(files, arrlenu(files), sizeof *files, str_compare_items);
    return files;
}

void pk3_files_free(struct pk3_file *files)
{
    for (size_t i = 0; i < arrlenu(files); i++)
        bytes_free(&files[i].data);
    arrfree(files);
}
