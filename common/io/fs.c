#include "common/io/fs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/core/strings.h"
#include "common/core/system_path.h"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/file_writes.def"
#include "common/diag/codes/files.def"
#include "common/diag/diag.h"
#include "common/io/path_hint.h"
#include "common/io/size_limit.h"

static int code_of(int code, int error)
{
    return error == ERROR_HELD ? DIAG_FILE_HELD : code;
}

static enum status report_unread(struct fs *fs, struct diag *diag, const char *path, int error)
{
    const struct diag_where where = {.file = path};
    if (error == EFBIG)
        return diag_report(diag, DIAG_FILE_READ, &where,
                           "larger than %" PRIu64 " bytes, the most that is read of such a file",
                           size_limit_of(path));
    struct arena names = {0};
    enum status status = diag_report(diag, code_of(DIAG_FILE_READ, error), &where, "%s%s",
                                     error ? str_error(error).text : "its kind is unknown",
                                     path_hint(&names, fs, path, error));
    arena_free(&names);
    return status;
}

enum status fs_load(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    int error = fs->ops->read(fs, path, out);
    return error ? report_unread(fs, diag, path, error) : STATUS_OK;
}

bool fs_error_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ERROR_NAME;
}

enum fs_kind fs_look_at(struct fs *fs, struct diag *diag, const char *path)
{
    enum fs_kind kind = fs->ops->kind(fs, path);
    uint64_t size;
    if (kind != FS_UNREADABLE)
        return kind;
    (void)report_unread(fs, diag, path, fs->ops->size(fs, path, &size));
    return kind;
}

bool fs_load_optional(struct fs *fs, struct diag *diag, const char *path, struct bytes *out)
{
    enum fs_kind kind = fs->ops->kind(fs, path);
    if (kind != FS_FILE && kind != FS_UNREADABLE)
        return false;
    int error = fs->ops->read(fs, path, out);
    if (error && !fs_error_is_absent(error))
        (void)report_unread(fs, diag, path, error);
    return !error;
}

void fs_list_optional(struct fs *fs, struct diag *diag, const char *path, fs_visit *visit,
                      void *context)
{
    int error = fs->ops->list(fs, path, visit, context);
    if (error && !fs_error_is_absent(error))
        (void)diag_report(diag, DIAG_FOLDER_READ, &(struct diag_where){.file = path}, "%s",
                          str_error(error).text);
}

struct fs *fs_plain(struct fs *fs)
{
    return fs->ops->plain ? fs->ops->plain(fs) : fs;
}

bool fs_is_link(struct fs *fs, const char *path)
{
    return fs->ops->is_link && fs->ops->is_link(fs, path);
}

enum status fs_store(struct fs *fs, struct diag *diag, const char *path, const void *data,
                     size_t size)
{
    int error = fs->ops->write(fs, path, data, size);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, code_of(DIAG_FILE_WRITE, error), &(struct diag_where){.file = path},
                       "%s (%zu bytes)", str_error(error).text, size);
}

enum status fs_remove_stale(struct fs *fs, struct diag *diag, const char *path)
{
    enum fs_kind kind = fs->ops->kind(fs, path);
    int error = kind == FS_FILE || kind == FS_UNREADABLE ? fs->ops->remove(fs, path) : 0;
    if (!error || fs_error_is_absent(error))
        return STATUS_OK;
    return diag_report(diag, code_of(DIAG_FILE_WRITE, error), &(struct diag_where){.file = path},
                       "cannot remove the file of an earlier run: %s", str_error(error).text);
}

enum status fs_prepare_output(struct fs *fs, struct diag *diag, const char *path)
{
    if (!path || strcmp(path, "-") == 0)
        return STATUS_OK;
    struct arena names = {0};
    int error = 0;
    if (fs->ops->kind(fs, path) == FS_ABSENT)
        error = fs->ops->make_folder(fs, path_folder(&names, path));
    if (!error && fs->ops->can_write)
        error = fs->ops->can_write(fs, path);
    arena_free(&names);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, code_of(DIAG_FILE_WRITE, error), &(struct diag_where){.file = path},
                       "%s", str_error(error).text);
}

enum status fs_prepare_beside(struct fs *fs, struct diag *diag, const char *path)
{
    struct arena names = {0};
    bool is_there = fs->ops->kind(fs, path_folder(&names, path)) != FS_ABSENT;
    arena_free(&names);
    return is_there ? fs_prepare_output(fs, diag, path) : STATUS_OK;
}

enum status fs_prepare_folder(struct fs *fs, struct diag *diag, const char *path)
{
    struct arena names = {0};
    const char *there = path;
    int error = 0;
    while (fs->ops->kind(fs, there) == FS_ABSENT && strcmp(there, path_folder(&names, there)) != 0)
        there = path_folder(&names, there);
    enum fs_kind kind = fs->ops->kind(fs, there);
    if (kind == FS_FILE || kind == FS_OTHER)
        error = ENOTDIR;
    else if (fs->ops->can_write)
        error = fs->ops->can_write(fs, arena_printf(&names, "%s/.new", there));
    arena_free(&names);
    if (!error)
        return STATUS_OK;
    return diag_report(diag, code_of(DIAG_FILE_WRITE, error), &(struct diag_where){.file = path},
                       "%s", str_error(error).text);
}

bool path_has_drive(const char *path)
{
    unsigned char letter = (unsigned char)path[0];
    return ((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z')) &&
           path[1] == ':' && (path[2] == '\\' || path[2] == '/');
}

bool path_is_foreign(const char *path)
{
    return !system_path_has_drives && path_has_drive(path);
}

const char *path_absent_hint(const char *path)
{
    return path_is_foreign(path) ? ": it is a path of Windows; name a file or folder of this system"
                                 : "";
}

static const char *with_slashes(struct arena *arena, const char *path)
{
    char *copy = arena_strdup(arena, path);
    for (char *c = copy; *c; c++)
        if (*c == '\\')
            *c = '/';
    return copy;
}

const char *path_of_windows(struct arena *arena, struct fs *fs, const char *path)
{
    if (!strchr(path, '\\') || (!system_path_has_drives && fs->ops->kind(fs, path) != FS_ABSENT))
        return path;
    return with_slashes(arena, path);
}

struct name_search {
    const char *name;
    struct arena *arena;
    const char *found; /* the first that differs in case alone, or NULL */
};

static void visit_name(void *context, const char *name, bool is_directory)
{
    struct name_search *search = context;
    if (!is_directory && !search->found && str_equal_nocase(name, search->name))
        search->found = arena_strdup(search->arena, name);
}

/* A path that nothing has, as a file of its folder that differs in case alone; NULL if there is
 * none. */
static const char *in_any_case(struct arena *arena, struct fs *fs, const char *path)
{
    struct name_search search = {.name = path_name(path), .arena = arena};
    if (fs->ops->list(fs, path_folder(arena, path), visit_name, &search) != 0 || !search.found)
        return NULL;
    return arena_printf(arena, "%.*s%s", (int)(search.name - path), path, search.found);
}

/* Length of an operand without the extension of a map's file; all of it if it has none. */
static size_t stem_length(const char *operand)
{
    static const char *const endings[] = {".vmf", ".vmm", ".map", ".reg",
                                          ".bsp", ".prt", ".srf", ".lin"};
    size_t length = strlen(operand);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(operand, endings[i]))
            return length - strlen(endings[i]);
    return length;
}

bool path_is_of_map(const char *path)
{
    return path[stem_length(path)] != 0;
}

const char *path_of_operand(struct arena *arena, struct fs *fs, const char *operand,
                            const char *extension)
{
    if (strcmp(operand, "-") == 0 || !*operand)
        return operand;
    if (system_path_has_drives)
        operand = path_of_windows(arena, fs, operand);
    bool is_own = str_ends_nocase(operand, extension);
    size_t stem = is_own ? strlen(operand) : stem_length(operand);
    const char *full =
        is_own ? operand : arena_printf(arena, "%.*s%s", (int)stem, operand, extension);
    if (fs->ops->kind(fs, full) == FS_FILE)
        return full;
    if (!operand[stem] && fs->ops->kind(fs, operand) != FS_ABSENT)
        return operand;
    if (strchr(operand, '\\'))
        return path_of_operand(arena, fs, with_slashes(arena, operand), extension);
    const char *other = fs->ops->kind(fs, full) == FS_ABSENT ? in_any_case(arena, fs, full) : NULL;
    return other ? other : full;
}

const char *path_beside(struct arena *arena, const char *path, const char *from, const char *to)
{
    size_t length = strlen(path);
    if (str_ends_nocase(path, from))
        length -= strlen(from);
    return arena_printf(arena, "%.*s%s", (int)length, path, to);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_folder(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    if (name == path)
        return ".";
    size_t drive = system_path_drive(path), length = (size_t)(name - path);
    return arena_strndup(arena, path, length == drive + 1 ? length : length - 1);
}
