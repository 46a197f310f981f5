#include "common/assets/game_program.h"

#include <string.h>

#include "common/assets/content_roots.h"
#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/text/keyvalues.h"

struct assets_options assets_options_of(const struct standard_options *options)
{
    return (struct assets_options){
        .game = options->game,
        .texdata = options->texdata,
        .texdata_count = arrlenu(options->texdata),
        .base_paths = options->base_paths,
        .base_path_count = arrlenu(options->base_paths),
        .mods = options->mods,
        .mod_count = arrlenu(options->mods),
        .base_game = options->base_game,
        .pak_paths = options->pak_paths,
        .pak_path_count = arrlenu(options->pak_paths),
        .forbidden = options->forbidden,
        .forbidden_count = arrlenu(options->forbidden),
    };
}

enum status assets_open_of(const struct env *env, const struct standard_options *options,
                           struct assets_use use, struct assets **out)
{
    const char **paths = NULL;
    if (use.first)
        arrput(paths, use.first);
    for (size_t i = 0; i < arrlenu(options->search_paths); i++)
        arrput(paths, options->search_paths[i]);
    struct assets_options look_up = assets_options_of(options);
    look_up.search_paths = paths;
    look_up.search_path_count = arrlenu(paths);
    look_up.map_catalogue = use.map_catalogue;
    look_up.has_shaders = use.has_shaders;
    look_up.sizes_only = use.sizes_only;
    look_up.parms = use.parms;
    enum status status = assets_open(env, &look_up, out);
    arrfree(paths);
    return status;
}

/* The operand without folders and ending; NULL for standard input. */
static const char *map_name(struct arena *arena, const char *operand)
{
    if (strcmp(operand, "-") == 0)
        return NULL;
    const char *name = path_name(operand), *dot = strrchr(name, '.');
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

static enum status read_config(struct fs *fs, const char *game, struct arena *arena,
                               struct diag *diag, const char **path, const struct kv **root)
{
    const char *folder = disk_path_clean(arena, game);
    *root = NULL;
    if (fs->ops->kind(fs, folder) == FS_FILE)
        folder = disk_path_parent(arena, folder);
    *path = disk_path_find(fs, diag, arena, folder, "cfg/commandline.cfg");
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

/* A tool may have several groups. */
static bool is_earlier_tool(const struct option_table *table, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (table->groups[i].tool && strcmp(table->groups[i].tool, table->groups[index].tool) == 0)
            return true;
    return false;
}

/* An option_config: takes what the file says of the first operand's map for the tools of the
 * table's groups. No such file, or none of those in it, is fine. Reports a file that does not
 * parse, and options that are not known (USAGE). */
static enum status apply_config(const struct option_table *table, void *values,
                                struct option_result *result, const char *game, struct fs *fs,
                                struct arena *arena, struct diag *diag)
{
    const char *map = arrlenu(result->operands) ? map_name(arena, result->operands[0]) : NULL;
    const struct kv *root;
    const char *path;
    if (!map)
        return STATUS_OK;
    TRY(read_config(fs, game, arena, diag, &path, &root));
    const struct kv *block = root ? find_block(root, map) : NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; block && i < table->group_count; i++) {
        const char *tool = table->groups[i].tool;
        const char *text = tool && !is_earlier_tool(table, i) ? kv_value(block, tool) : NULL;
        const char **arguments = text ? split(arena, text) : NULL;
        if (options_parse_config(table, values, result, tool, arguments, arrlenu(arguments), path,
                                 diag) != STATUS_OK)
            status = STATUS_USAGE;
        arrfree(arguments);
    }
    return status;
}

int game_program_run(const struct game_program *program, void *values, const void *defaults,
                     int argc, char *const *argv)
{
    struct option_group groups[GAME_PROGRAM_GROUPS + 2];
    size_t count = program->group_count;
    memcpy(groups, program->groups, count * sizeof *groups);
    if (program->has_depfile)
        groups[count++] = depfile_option_group(offsetof(struct standard_options, depfile));
    groups[count++] = standard_option_group(0);
    const struct option_table table = {
        .program = program->name,
        .summary = program->summary,
        .operands = program->operand,
        .endings = program->endings,
        .details = program->details,
        .exit_statuses = program->exit_statuses,
        .defs = program->defs,
        .count = program->count,
        .fail_if = program->fail_if,
        .groups = groups,
        .group_count = count,
        .defaults = defaults,
        .config = apply_config,
        .adapt = program->adapt,
        .content = content_roots,
        .has_loops = true,
        .min_operands = 1,
        .max_operands = program->has_many_maps ? SIZE_MAX : 1,
    };
    return program_run(&table, values, values, argc, argv, program->body);
}
