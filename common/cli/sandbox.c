#include "common/cli/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cache/cache.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/sandbox.def"
#include "common/diag/file_report.h"
#include "common/io/fs_roots.h"
#include "common/io/self_confine.h"
#include "common/parallel/parallel.h"

struct sandbox {
    struct fs_roots *roots;
    struct fs *disk, *standard;
    struct arena arena;
    struct diag *diag;
};

bool sandbox_wanted(void)
{
    const char *value = getenv("BRUSHWORK_SANDBOX");
    return value && *value && strcmp(value, "0") != 0;
}

static enum status add_output(struct sandbox *sandbox, const char *folder)
{
    int error = fs_roots_add(sandbox->roots, folder, FS_READ_WRITE);
    if (!error)
        return STATUS_OK;
    return file_unwritten(sandbox->diag, folder, "%s", str_error(error).text);
}

/* A path that is missing is reported by the part of the program that needs it. */
static void add_input(struct sandbox *sandbox, const char *path)
{
    (void)fs_roots_add(sandbox->roots, path, FS_READ);
}

static enum status add_path(struct sandbox *sandbox, enum option_path use, const char *path)
{
    if (!path || !*path || strcmp(path, "-") == 0)
        return STATUS_OK;
    if (use == OPTION_WRITES)
        return add_output(sandbox, path_folder(&sandbox->arena, path));
    /* A cache that cannot be used is no failure. */
    if (use == OPTION_CACHES && !cache_is_address(path))
        (void)fs_roots_add(sandbox->roots, path, FS_READ_WRITE);
    if (use == OPTION_READS || use == OPTION_COPIES)
        add_input(sandbox, path);
    if (use == OPTION_READS_BESIDE)
        add_input(sandbox, path_folder(&sandbox->arena, path));
    return STATUS_OK;
}

static enum status add_option(struct sandbox *sandbox, const struct option_def *def,
                              const char *field)
{
    if (def->kind == OPTION_TEXT)
        return add_path(sandbox, def->path, *(const char *const *)(const void *)field);
    const char *const *list = *(const char *const *const *)(const void *)field;
    size_t step = def->arity > 1 ? (size_t)def->arity : 1;
    for (size_t i = 0; i < arrlenu(list); i += step)
        TRY(add_path(sandbox, def->path, list[i]));
    return STATUS_OK;
}

static enum status add_options(struct sandbox *sandbox, const struct option_table *table,
                               const void *values)
{
    size_t count = options_count(table), base;
    for (size_t i = 0; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        bool holds_text = def->kind == OPTION_TEXT || def->kind == OPTION_LIST;
        if (holds_text && def->path != OPTION_NO_PATH)
            TRY(add_option(sandbox, def, (const char *)values + base + def->offset));
    }
    return STATUS_OK;
}

/* A map stands for its folder, where its instances are and its outputs go. */
static enum status add_operand(struct sandbox *sandbox, const char *operand)
{
    struct fs *disk = fs_disk();
    if (strcmp(operand, "-") == 0)
        return STATUS_OK;
    const char *path = path_of_operand(&sandbox->arena, disk, operand, "");
    const char *folder =
        disk->ops->kind(disk, path) == FS_DIRECTORY ? path : path_folder(&sandbox->arena, path);
    return disk->ops->kind(disk, folder) == FS_DIRECTORY ? add_output(sandbox, folder) : STATUS_OK;
}

static enum status add_roots(struct sandbox *sandbox, const struct option_table *table,
                             const void *values, const struct option_result *result,
                             const void *standard)
{
    for (size_t i = 0; i < arrlenu(result->operands); i++)
        TRY(add_operand(sandbox, result->operands[i]));
    TRY(add_options(sandbox, table, values));
    if (table->content)
        table->content(standard, sandbox->roots);
    return STATUS_OK;
}

static void report_refused(void *context, const char *path)
{
    const struct sandbox *sandbox = context;
    (void)diag_report(sandbox->diag, DIAG_SANDBOX_REFUSED, NULL, "%s", path);
}

/* Returns the part of the note about a layer of the system, after a warning if it is missing. */
static const char *tell_layer(struct sandbox *sandbox, const struct confine_layer *layer)
{
    if (!layer->error)
        return arena_printf(&sandbox->arena, ", %s", layer->name);
    (void)diag_report(sandbox->diag, DIAG_SANDBOX_WEAK, NULL, "%s: %s; %s", layer->name,
                      layer->error == ENOSYS || layer->error == EOPNOTSUPP
                          ? "not supported by this system"
                          : str_error(layer->error).text,
                      layer->loss);
    return "";
}

static void confine_process(struct sandbox *sandbox, bool is_parallel)
{
    /* Its files must be there before they are out of reach. */
    if (is_parallel)
        parallel_prepare();
    struct confine_layer layers[CONFINE_LAYERS];
    const char *held = "";
    self_confine(sandbox->roots, layers);
    for (int i = 0; i < CONFINE_LAYERS; i++)
        held = arena_printf(&sandbox->arena, "%s%s", held, tell_layer(sandbox, &layers[i]));
    size_t roots = fs_roots_count(sandbox->roots);
    (void)diag_report(sandbox->diag, DIAG_SANDBOX, NULL, "%zu root%s, path checks%s", roots,
                      roots == 1 ? "" : "s", held);
}

enum status sandbox_enter(struct env *env, const struct option_table *table, const void *values,
                          const struct option_result *result, const void *standard,
                          struct sandbox **out)
{
    struct sandbox *sandbox = memory_zalloc(1, sizeof *sandbox);
    *sandbox = (struct sandbox){.roots = fs_roots_new(), .diag = env->diag};
    sandbox->disk = fs_confined_new(sandbox->roots, false, report_refused, sandbox);
    sandbox->standard = fs_standard_new(sandbox->disk);
    *out = sandbox;
    TRY(add_roots(sandbox, table, values, result, standard));
    confine_process(sandbox, table->has_loops && env->threads > 1);
    env->fs = sandbox->standard;
    return STATUS_OK;
}

void sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    fs_standard_free(sandbox->standard);
    fs_confined_free(sandbox->disk);
    fs_roots_free(sandbox->roots);
    arena_free(&sandbox->arena);
    memory_free(sandbox);
}
