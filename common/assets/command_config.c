#include "common/assets/command_config.h"

#include <string.h>

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"

/* The operand without folders and ending; NULL for standard input. */
static const char *map_name(struct arena *arena, const char *operand)
{
    if (strcmp(operand, "-") == 0)
        return NULL;
    const char *slash = strrchr(operand, '/'), *name = slash ? slash + 1 : operand;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? arena_strndup(arena, name, (size_t)(dot - name)) : name;
}

static const struct kv *find_block(const struct kv *root, const char *map)
{
    const struct kv *block = kv_find(root, map);
    if (block && !block->value)
        return block;
    for (const struct kv *outer = root->children; outer; outer = outer->next) {
        block = outer->value ? NULL : kv_find(outer, map);
        if (block && !block->value)
            return block;
    }
    return NULL;
}

/* An stb_ds array. */
static const char **split(struct arena *arena, const char *text)
{
    static const char blanks[] = " \t\r\n";
    const char **arguments = NULL;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        bool quoted = *text == '\'' && strchr(text + 1, '\'');
        text += quoted;
        size_t length = strcspn(text, quoted ? "'" : blanks);
        const char *argument = arena_strndup(arena, text, length);
        arrput(arguments, argument);
        text += length + quoted;
    }
    return arguments;
}

static enum status read_config(const char *game, struct arena *arena, struct diag *diag,
                               const char **path, const struct kv **root)
{
    struct fs *fs = fs_disk();
    const char *folder = disk_path_clean(arena, game);
    *root = NULL;
    if (fs->ops->kind(fs, folder) == FS_FILE)
        folder = disk_path_parent(arena, folder);
    *path = disk_path_find(fs, arena, folder, "cfg/commandline.cfg");
    if (!*path)
        return STATUS_OK;
    struct bytes text = {0};
    struct kv *read;
    TRY(fs_load(fs, diag, *path, &text));
    enum status status =
        kv_parse((const char *)text.data, text.size, *path, KV_LENIENT, arena, diag, &read);
    bytes_free(&text);
    if (status == STATUS_OK)
        *root = read;
    return status;
}

enum status command_config_apply(const struct option_table *table, void *values,
                                 struct option_result *result, const char *game,
                                 struct arena *arena, struct diag *diag)
{
    const char *map = arrlenu(result->operands) ? map_name(arena, result->operands[0]) : NULL;
    const struct kv *root;
    const char *path;
    if (!map)
        return STATUS_OK;
    TRY(read_config(game, arena, diag, &path, &root));
    const struct kv *block = root ? find_block(root, map) : NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; block && i < table->group_count; i++) {
        const char *tool = table->groups[i].tool;
        const char *text = tool ? kv_value(block, tool) : NULL;
        const char **arguments = text ? split(arena, text) : NULL;
        if (options_parse_config(table, values, result, tool, arguments, arrlenu(arguments), path,
                                 diag) != STATUS_OK)
            status = STATUS_USAGE;
        arrfree(arguments);
    }
    return status;
}
