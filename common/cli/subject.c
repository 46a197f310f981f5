#include "common/cli/subject.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

/* Returns the next of the words "vmf vmm map" as ".vmf", in the arena; NULL after the last. */
static const char *next_ending(const char **endings, struct arena *arena)
{
    if (!*endings)
        return NULL;
    *endings += strspn(*endings, " ");
    size_t length = strcspn(*endings, " ");
    const char *ending = length ? arena_printf(arena, ".%.*s", (int)length, *endings) : NULL;
    *endings += length;
    return ending;
}

bool subject_has_ending(const char *endings, const char *path)
{
    struct arena arena = {0};
    const char *ending;
    bool has = false;
    while (!has && (ending = next_ending(&endings, &arena)))
        has = str_ends_nocase(path, ending);
    arena_free(&arena);
    return has;
}

bool subject_names_input(const struct option_table *table, const char *path)
{
    return path_is_of_map(path) || subject_has_ending(table->endings, path);
}

bool subject_exists(const struct option_table *table, const char *operand)
{
    struct fs *disk = fs_disk();
    struct arena arena = {0};
    const char *endings = table->endings;
    bool exists = false;
    for (const char *ending = ""; ending && !exists; ending = next_ending(&endings, &arena))
        exists = disk->ops->kind(disk, path_of_operand(&arena, disk, operand, ending)) != FS_ABSENT;
    arena_free(&arena);
    return exists;
}

const char *subject_find(const struct option_table *table, const struct option_result *result,
                         struct arena *arena)
{
    struct fs *disk = fs_disk();
    const char *operand = arrlenu(result->operands) ? result->operands[0] : NULL;
    if (!operand || strcmp(operand, "-") == 0)
        return NULL;
    const char *endings = table->endings;
    for (const char *ending = ""; ending; ending = next_ending(&endings, arena)) {
        const char *path = path_of_operand(arena, disk, operand, ending);
        if (disk->ops->kind(disk, path) == FS_FILE)
            return path;
    }
    return operand;
}
