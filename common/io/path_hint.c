#include "common/io/path_hint.h"

#include <errno.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"
#include "common/io/fs.h"

/* Longer names are compared with no other: the distance takes their product. */
enum { MAX_NAME = 255, LETTERS_FOR_A_FAULT = 4 };

static const char *const sources[] = {".vmf", ".vmm", ".map", NULL};

struct similar {
    struct arena *arena;
    const char *stem; /* of the name that was searched, up to its first dot */
    const char *ending;
    size_t distance; /* of the best so far */
    const char *found;
};

static const char *stem_of(struct arena *arena, const char *name)
{
    return arena_strndup(arena, name, strcspn(name, "."));
}

static void visit_similar(void *context, const char *name, bool is_directory)
{
    struct similar *search = context;
    if (is_directory || strlen(name) > MAX_NAME || !str_ends_nocase(name, search->ending))
        return;
    size_t distance = str_distance(stem_of(search->arena, name), search->stem);
    if (distance > search->distance || (search->found && distance == search->distance))
        return;
    search->distance = distance;
    search->found = arena_strdup(search->arena, name);
}

/* Returns the path of a file in `folder`, which is written as part of the path. */
static const char *path_in(struct arena *arena, const char *folder, const char *name)
{
    if (strcmp(folder, ".") == 0)
        return name;
    return arena_printf(arena, "%s%s%s", folder, str_ends_nocase(folder, "/") ? "" : "/", name);
}

static const char *similar_file(struct arena *arena, struct fs *fs, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    if (!dot || dot == name || strlen(name) > MAX_NAME)
        return NULL;
    const char *folder = path_folder(arena, path);
    struct similar search = {.arena = arena, .stem = stem_of(arena, name), .ending = dot};
    search.distance = 1 + strlen(search.stem) / LETTERS_FOR_A_FAULT;
    if (fs->ops->list(fs, folder, visit_similar, &search) != 0 || !search.found)
        return NULL;
    return path_in(arena, folder, search.found);
}

/* Returns the source beside a BSP that is not there, or NULL. */
static const char *source_of(struct arena *arena, struct fs *fs, const char *path)
{
    if (!str_ends_nocase(path, ".bsp"))
        return NULL;
    for (int i = 0; sources[i]; i++) {
        const char *source = path_beside(arena, path, ".bsp", sources[i]);
        if (fs->ops->kind(fs, source) == FS_FILE)
            return source;
    }
    return NULL;
}

static const char *hint_of_absent(struct arena *arena, struct fs *fs, const char *path)
{
    if (path_is_foreign(path))
        return path_absent_hint(path);
    const char *source = source_of(arena, fs, path);
    if (source)
        return arena_printf(arena, "; compile %s first (brushwork build %s)", source, source);
    const char *similar = similar_file(arena, fs, path);
    return similar ? arena_printf(arena, " (did you mean %s?)", similar) : "";
}

struct map_search {
    struct arena *arena;
    const char *found; /* the first */
};

static void visit_map(void *context, const char *name, bool is_directory)
{
    struct map_search *search = context;
    if (!is_directory && !search->found && path_is_of_map(name))
        search->found = arena_strdup(search->arena, name);
}

static const char *hint_of_folder(struct arena *arena, struct fs *fs, const char *path)
{
    struct map_search search = {.arena = arena};
    if (fs->ops->list(fs, path, visit_map, &search) != 0 || !search.found)
        return "; name a file";
    return arena_printf(arena, "; name a file in it, such as %s",
                        path_in(arena, path, search.found));
}

const char *path_hint(struct arena *arena, struct fs *fs, const char *path, int error)
{
    struct fs *plain = fs_plain(fs);
    if (error == EISDIR)
        return hint_of_folder(arena, plain, path);
    return fs_error_is_absent(error) ? hint_of_absent(arena, plain, path) : "";
}
