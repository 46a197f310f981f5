#include "brushwork/many/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/file_access.def"
#include "common/text/name_pattern.h"

enum { DEEPEST = 64 }; /* folders below each other that ** enters */

struct search {
    struct fs *fs;
    struct diag *diag;
    struct arena *arena;
    const char **names; /* stb_ds array: of the pattern, from the first with a wildcard on */
    const char ***out;
    enum status status;
};

/* The names that a visit of a folder collects. */
struct entries {
    struct search *search;
    const char *pattern; /* NULL: all that do not begin with a dot */
    const char **names;  /* stb_ds array */
};

static bool has_wildcard(const char *name)
{
    return strpbrk(name, "*?[") != NULL;
}

bool pattern_is(const char *path)
{
    return has_wildcard(path);
}

/* The length of what stands before the first name with a wildcard. */
static size_t root_length(const char *pattern)
{
    size_t at = strcspn(pattern, "*?[");
    while (at && pattern[at - 1] != '/')
        at--;
    return at;
}

const char *pattern_root(struct arena *arena, const char *pattern)
{
    size_t length = root_length(pattern);
    while (length > 1 && pattern[length - 1] == '/')
        length--;
    return length ? arena_strndup(arena, pattern, length) : ".";
}

/* An fs_visit. */
static void take_entry(void *context, const char *name, bool is_directory)
{
    struct entries *entries = context;
    (void)is_directory;
    if (entries->pattern ? name_pattern_matches(entries->pattern, name) : name[0] != '.')
        arrput(entries->names, arena_strdup(entries->search->arena, name));
}

static const char **entries_of(struct search *search, const char *folder, const char *pattern)
{
    struct entries entries = {.search = search, .pattern = pattern};
    struct fs *fs = search->fs;
    const char *path = *folder ? folder : ".";
    if (fs->ops->kind(fs, path) == FS_ABSENT)
        return NULL;
    int error = fs->ops->list(fs, path, take_entry, &entries);
    if (error)
        search->status =
            diag_report(search->diag, DIAG_FOLDER_READ, &(struct diag_where){.file = path}, "%s",
                        str_error(error).text);
    return entries.names;
}

static void look_into(struct search *search, const char *folder, size_t at, int depth);

/* `folder` ends with a slash, or is empty. */
static void look_at(struct search *search, const char *folder, const char *name, size_t at,
                    int depth)
{
    const char *path = arena_printf(search->arena, "%s%s", folder, name);
    const bool is_last = at + 1 == arrlenu(search->names);
    enum fs_kind kind = search->fs->ops->kind(search->fs, path);
    if (is_last && kind == FS_FILE)
        arrput(*search->out, path);
    else if (!is_last && kind == FS_DIRECTORY)
        look_into(search, arena_printf(search->arena, "%s/", path), at + 1, depth + 1);
}

/* The name at `at` is **: the folder itself, and those below. */
static void look_below(struct search *search, const char *folder, size_t at, int depth)
{
    look_into(search, folder, at + 1, depth);
    const char **names = entries_of(search, folder, NULL);
    for (size_t i = 0; i < arrlenu(names); i++) {
        const char *path = arena_printf(search->arena, "%s%s", folder, names[i]);
        if (search->fs->ops->kind(search->fs, path) == FS_DIRECTORY &&
            !fs_is_link(search->fs, path))
            look_into(search, arena_printf(search->arena, "%s/", path), at, depth + 1);
    }
    arrfree(names);
}

static void look_into(struct search *search, const char *folder, size_t at, int depth)
{
    const char *name = search->names[at];
    if (depth > DEEPEST) {
        search->status =
            diag_report(search->diag, DIAG_FOLDER_READ, &(struct diag_where){.file = folder},
                        "more than %d folders below each other", DEEPEST);
    } else if (strcmp(name, "**") == 0) {
        look_below(search, folder, at, depth);
    } else if (!has_wildcard(name)) {
        look_at(search, folder, name, at, depth);
    } else {
        const char **names = entries_of(search, folder, name);
        for (size_t i = 0; i < arrlenu(names); i++)
            look_at(search, folder, names[i], at, depth);
        arrfree(names);
    }
}

/* A ** after another adds nothing, and as the last name it stands for files at any depth. */
static void split_names(struct search *search, const char *pattern)
{
    for (const char *at = pattern; *at;) {
        size_t length = strcspn(at, "/");
        size_t count = arrlenu(search->names);
        const char *name = arena_strndup(search->arena, at, length);
        bool again =
            count && strcmp(name, "**") == 0 && strcmp(search->names[count - 1], "**") == 0;
        if (length && !again)
            arrput(search->names, name);
        at += length + strspn(at + length, "/");
    }
    if (strcmp(search->names[arrlenu(search->names) - 1], "**") == 0)
        arrput(search->names, "*");
}

/* Several ** can find a file in several ways. */
static void sort_and_unite(const char ***out, size_t begin)
{
    size_t count = arrlenu(*out) - begin, kept = 0;
    const char **found = *out + begin;
    if (!count)
        return;
    qsort(found, count, sizeof *found, str_compare_items);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(found[kept - 1], found[i]) != 0)
            found[kept++] = found[i];
    arrsetlen(*out, begin + kept);
}

enum status pattern_expand(struct fs *fs, struct diag *diag, const char *pattern,
                           struct arena *arena, const char ***out)
{
    struct search search = {.fs = fs, .diag = diag, .arena = arena, .out = out};
    const size_t length = root_length(pattern), begin = arrlenu(*out);
    split_names(&search, pattern + length);
    look_into(&search, arena_strndup(arena, pattern, length), 0, 0);
    sort_and_unite(out, begin);
    arrfree(search.names);
    return search.status;
}
