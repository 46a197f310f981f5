#include "vbsp/resume/source_place.h"

#include <string.h>

#include "common/assets/mounts/content_scope.h"
#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* The first character of a path that begins at the source's folder, then a letter for the steps up,
 * then the rest. */
enum { MARK = '\1', NO_STEPS = 'a', STEPS_MAX = 20 };

static const char *above(struct source_place *place, int steps)
{
    const char *folder = place->folder;
    for (int i = 0; i < steps; i++)
        folder = disk_path_parent(&place->arena, folder);
    return folder;
}

/* As disk_path_find does. */
static const char *join(struct source_place *place, const char *folder, const char *rest)
{
    if (strcmp(folder, ".") == 0)
        return rest;
    return arena_printf(&place->arena, strcmp(folder, "/") == 0 ? "%s%s" : "%s/%s", folder, rest);
}

static bool is_in(const char *folder, const char *path)
{
    return strcmp(folder, path) == 0 || disk_path_is_below(folder, path);
}

/* Steps up to a folder that has the path; -1: none but the root has. */
static int steps_to(struct source_place *place, const char *path)
{
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const char *folder = above(place, steps);
        if (strcmp(folder, "/") == 0)
            return -1;
        if (is_in(folder, path))
            return steps;
    }
    return -1;
}

static bool is_given(const struct source_place *place, const char *path)
{
    for (int i = 0; i < SOURCE_PLACE_GIVEN; i++)
        if (place->given[i] && is_in(place->given[i], path))
            return true;
    return false;
}

void source_place_begin(struct source_place *place, const char *source,
                        const char *const given[SOURCE_PLACE_GIVEN], struct fs *asked)
{
    place->source = source;
    place->asked = asked;
    place->folder = disk_path_parent(&place->arena, source);
    place->is_mixed = strcmp(join(place, place->folder, path_name(source)), source) != 0;
    for (int i = 0; i < SOURCE_PLACE_GIVEN; i++) {
        if (!given[i])
            continue;
        const char *path = place->given[i] = disk_path_clean(&place->arena, given[i]);
        place->is_mixed |= is_in(place->folder, path) || is_in(path, place->folder);
        place->is_near |= steps_to(place, path) >= 0;
    }
    place->is_bound = place->is_mixed;
}

void source_place_add_instances(struct source_place *place, const char *folder)
{
    arrput(place->instances, disk_path_clean(&place->arena, folder));
}

void source_place_free(struct source_place *place)
{
    arrfree(place->instances);
    arena_free(&place->arena);
    *place = (struct source_place){0};
}

void source_place_hash(struct source_place *place, struct sha256 *hash)
{
    const char *name = path_name(place->source);
    sha256_add(hash, name, strlen(name) + 1);
    const unsigned char relations[] = {place->is_mixed, place->is_near};
    unsigned char source[SHA256_SIZE] = {0};
    sha256_add(hash, relations, sizeof relations);
    if (place->asked)
        (void)fs_trace_hash_of(place->asked, place->source, source);
    sha256_add(hash, source, sizeof source);
}

/* ---- what binds ---- */

/* A search from a folder above, or from the root, has passed through this one. */
static bool passes(struct source_place *place, char question, const char *path)
{
    return question != FS_TRACE_LIST && is_in(path, place->folder);
}

static bool binds(struct source_place *place, char question, const char *path)
{
    if (*path == MARK || passes(place, question, path))
        return true;
    if (is_given(place, path))
        return false;
    int steps = steps_to(place, path);
    return steps < 0 || (steps > 0 && place->is_near);
}

static void judge_path(void *context, char question, const char *path)
{
    struct source_place *place = context;
    place->is_bound |= binds(place, question, path);
    place->has_searched |= strcmp(path, place->source) != 0;
}

/* True when the text has the path by itself, or as the start of another one. */
static bool has_path(const char *text, const char *path)
{
    size_t length = strlen(path);
    for (const char *at = text; (at = strstr(at, path)); at++)
        if ((at == text || strchr(" (\"'=:", at[-1])) &&
            (!at[length] || strchr(" /,:;)\"'", at[length])))
            return true;
    return false;
}

static bool names_folder(struct source_place *place, const char *text)
{
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const char *folder = above(place, steps);
        if (strcmp(folder, "/") == 0)
            break;
        if (has_path(text, folder))
            return true;
    }
    return false;
}

struct message {
    struct source_place *place;
    const char *text;
};

static void judge_text(void *context, char question, const char *path)
{
    const struct message *message = context;
    if (question == FS_TRACE_READ && strstr(message->text, path))
        message->place->is_bound = true;
}

void source_place_judge(struct source_place *place, const struct diag *messages)
{
    fs_trace_each(place->asked, judge_path, place);
    for (size_t i = 0; i < diag_entries(messages) && !place->is_bound; i++) {
        struct message message = {place, diag_entry(messages, i)->message};
        place->is_bound = names_folder(place, message.text);
        fs_trace_each(place->asked, judge_text, &message);
    }
}

/* ---- what a result is valid for ---- */

enum source_scope source_place_scope(const struct source_place *place)
{
    if (place->is_bound)
        return SOURCE_PATH;
    return place->has_searched ? SOURCE_FOLDERS : SOURCE_ANYWHERE;
}

/* Instances are searched in folders of these names above the source, and in its own in any case. */
static bool is_of_maps(const char *folder)
{
    return str_equal_nocase(path_name(folder), "maps") ||
           str_equal_nocase(path_name(folder), "mapsrc");
}

const char *source_place_text(struct source_place *place, enum source_scope scope)
{
    char of_maps[STEPS_MAX + 1] = "";
    if (scope == SOURCE_PATH)
        return place->source;
    for (int steps = 1; scope == SOURCE_FOLDERS && steps < STEPS_MAX; steps++)
        of_maps[steps - 1] = is_of_maps(above(place, steps)) ? 'm' : '-';
    return arena_strdup(&place->arena, of_maps);
}

/* ---- what may be asked ---- */

static bool is_map(const char *path)
{
    static const char *const endings[] = {".vmf", ".vmm", ".map", ".reg", ".nmo", ".lin"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(path, endings[i]))
            return true;
    return false;
}

static bool is_at_or_below(const char *folder, const char *path)
{
    const char *rest;
    return strcmp(folder, path) == 0 || content_scope_below(folder, path, &rest);
}

/* The source's folder, and those where instances are searched. */
static bool is_beside(struct source_place *place, const char *path)
{
    for (size_t i = 0; i < arrlenu(place->instances); i++)
        if (is_at_or_below(place->instances[i], path))
            return true;
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const char *folder = above(place, steps);
        if (strcmp(folder, "/") == 0)
            return false;
        if ((steps == 0 || is_of_maps(folder)) && is_at_or_below(folder, path))
            return true;
    }
    return false;
}

static bool is_below_given(const struct source_place *place, const char *path)
{
    for (int i = 0; i < SOURCE_PLACE_GIVEN; i++)
        if (place->given[i] && is_at_or_below(place->given[i], path))
            return i != SOURCE_PLACE_GAME || is_map(path);
    return false;
}

bool source_place_may_ask(struct source_place *place, const struct fs_trace_question *question)
{
    const char *path = question->path;
    bool is_folder = !strchr(path_name(path), '.') || strcmp(path, ".") == 0;
    switch (question->kind) {
    case FS_TRACE_READ:
        return (is_map(path) && is_beside(place, path)) || is_below_given(place, path);
    case FS_TRACE_KIND:
        return ((is_map(path) || is_folder) && is_beside(place, path)) ||
               is_below_given(place, path);
    case FS_TRACE_LIST:
        return is_beside(place, path) || is_below_given(place, path);
    case FS_TRACE_PART:
    case FS_TRACE_SIZE:
    case FS_TRACE_VIEW:
        break;
    }
    return false;
}

/* ---- the form that is kept ---- */

const char *source_place_shorten(void *context, const char *path)
{
    struct source_place *place = context;
    int steps = place->is_bound || is_given(place, path) ? -1 : steps_to(place, path);
    if (steps < 0)
        return path;
    const char *folder = above(place, steps), *rest = path;
    if (strcmp(folder, path) == 0)
        rest = "";
    else if (strcmp(folder, ".") != 0)
        rest = path + strlen(folder) + 1;
    return arena_printf(&place->arena, "%c%c%s", MARK, NO_STEPS + steps, rest);
}

const char *source_place_lengthen(void *context, const char *text)
{
    struct source_place *place = context;
    if (*text != MARK || text[1] < NO_STEPS || text[1] >= NO_STEPS + STEPS_MAX)
        return text;
    const char *folder = above(place, text[1] - NO_STEPS), *rest = text + 2;
    return *rest ? join(place, folder, rest) : folder;
}

const char *source_place_shorten_file(void *context, const char *file)
{
    const struct source_place *place = context;
    return fs_trace_has_read(place->asked, file) ? source_place_shorten(context, file) : file;
}
