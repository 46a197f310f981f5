#include "brushwork/shared/archive.h"

#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_files.def"
#include "common/diag/codes/packed_files.def"
#include "common/diag/file_report.h"
#include "common/io/extract_target.h"
#include "common/io/lzma.h"

enum status archive_open(const struct env *env, const char *path, struct archive *archive)
{
    *archive = (struct archive){.path = path};
    TRY(fs_load(env->fs, env->diag, path, &archive->file));
    return container_open(archive->file.data, archive->file.size, path, env->diag,
                          &archive->container);
}

/* Returns whether the lump prevents the container from being opened. */
static bool is_damaged(const struct archive *archive, int number)
{
    const struct container *container = &archive->container;
    const struct container_lump *lump = &container->lumps[number];
    int64_t size = (int64_t)archive->file.size, start = (int64_t)container->header_size;
    if (!lump->length)
        return false;
    if (lump->length < 0 || lump->offset < start || lump->offset > size - lump->length)
        return true;
    if (!container_may_compress(container->kind, number))
        return false;
    const unsigned char *data = archive->file.data + lump->offset;
    uint32_t stored_size = load_u32_in(container->order, lump->four_cc);
    return load_u32(lump->four_cc) &&
           (!stored_size || lzma_lump_size(data, (size_t)lump->length) != stored_size);
}

/* Removes damaged lumps from the directory. */
static void skip_damaged_lumps(const struct env *env, struct archive *archive)
{
    const struct container *container = &archive->container;
    const struct diag_where where = {.file = archive->path};
    const struct container_kind *kind = container->kind;
    size_t entry = kind->entry_size, at = kind->directory_at;
    for (int i = 0; i < container->lump_count; i++) {
        if (!is_damaged(archive, i))
            continue;
        const char *name = container_lump_name(kind, i);
        (void)diag_report(env->diag, DIAG_PAK_LUMP_LOST, &where, "lump %d%s%s%s", i,
                          *name ? " (" : "", name, *name ? ")" : "");
        memset(archive->file.data + at + entry * (size_t)i, 0, entry);
        archive->skipped[i] = true;
    }
}

enum status archive_open_damaged(const struct env *env, const char *path, struct archive *archive)
{
    struct diag *quiet = diag_new(NULL, NULL);
    *archive = (struct archive){.path = path};
    enum status status = fs_load(env->fs, env->diag, path, &archive->file);
    if (status == STATUS_OK) {
        struct container *container = &archive->container;
        const struct bytes *file = &archive->file;
        bool opened = container_open(file->data, file->size, path, quiet, container) == STATUS_OK;
        if (!opened && container->lump_count && file->size >= container->header_size)
            skip_damaged_lumps(env, archive);
        if (!opened)
            status = container_open(file->data, file->size, path, env->diag, container);
    }
    diag_free(quiet);
    return status;
}

enum status archive_need_lump(const struct env *env, const struct archive *archive, int lump)
{
    const struct diag_where where = {.file = archive->path};
    if (!archive->skipped[lump])
        return STATUS_OK;
    return diag_report(env->diag, DIAG_BSP_TRUNCATED, &where,
                       "lump %d extends past the end of the file", lump);
}

enum status archive_read_pakfile(const struct env *env, struct archive *archive)
{
    const struct container_kind *kind = archive->container.kind;
    struct diag_where where = {.file = archive->path};
    if (kind->pakfile < 0)
        return diag_report(env->diag, DIAG_PAK_NONE, &where, "%s", kind->title);
    const struct container_lump *lump = &archive->container.lumps[kind->pakfile];
    TRY(archive_need_lump(env, archive, kind->pakfile));
    if (lump->length) {
        archive->lump.data = archive->file.data + lump->offset;
        archive->lump.size = (size_t)lump->length;
    }
    return pakfile_decode(&archive->lump, &where, env->diag, &archive->pakfile);
}

void archive_close(struct archive *archive)
{
    pakfile_free(&archive->pakfile);
    bytes_free(&archive->file);
}

char *archive_slashes(struct arena *arena, const char *text)
{
    char *copy = arena_strdup(arena, text);
    for (char *c = copy; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    return copy;
}

/* Extraction. */

struct extraction {
    const struct env *env;
    struct diag_where where;
    const char *folder;
    struct archive_tally *tally;
    struct arena arena;
    struct {
        char *key; /* a lower-case name */
        const char *value;
    } *written;       /* stb_ds map */
    const char *made; /* the last folder created */
};

/* Returns the name with `/`, or NULL when it is not safe below a folder. */
static const char *safe_name(struct arena *arena, const char *name)
{
    const char *copy = archive_slashes(arena, name);
    return zip_name_is_safe(copy) ? copy : NULL;
}

static void report_case_conflict(struct extraction *extraction, const char *name)
{
    char *key = arena_strdup(&extraction->arena, name);
    for (char *c = key; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    if (!extraction->written)
        sh_new_strdup(extraction->written);
    const char *before = shget(extraction->written, key);
    if (before && strcmp(before, name) != 0)
        (void)diag_report(extraction->env->diag, DIAG_PAK_CASE, &extraction->where, "%s and %s",
                          before, name);
    shput(extraction->written, key, name);
}

static enum status make_folder(struct extraction *extraction, const char *folder)
{
    const struct env *env = extraction->env;
    if (extraction->made && strcmp(extraction->made, folder) == 0)
        return STATUS_OK;
    int error = env->fs->ops->make_folder(env->fs, folder);
    if (error)
        return file_unwritten(env->diag, folder, "%s", str_error(error).text);
    extraction->made = folder;
    return STATUS_OK;
}

static enum status write_file(struct extraction *extraction, const struct pakfile_file *file,
                              const char *name)
{
    const struct env *env = extraction->env;
    const char *path = arena_printf(&extraction->arena, "%s/%s", extraction->folder, name);
    size_t parent = (size_t)(strrchr(path, '/') - path);
    struct bytes data = {0};
    TRY(make_folder(extraction, arena_strndup(&extraction->arena, path, parent)));
    if (!path[parent + 1])
        return STATUS_OK;
    enum status status = pakfile_extract(file, &extraction->where, env->diag, &data);
    if (status == STATUS_OK)
        status = fs_store(env->fs, env->diag, path, data.data, data.size);
    if (status == STATUS_OK) {
        progress_wrote(env->progress, path);
        extraction->tally->files++;
        extraction->tally->bytes += data.size;
    }
    bytes_free(&data);
    return status;
}

static enum status extract_file(struct extraction *extraction, const struct pakfile_file *file)
{
    const char *name = safe_name(&extraction->arena, file->name);
    if (!name)
        return diag_report(extraction->env->diag, DIAG_PAK_NAME, &extraction->where, "%s",
                           file->name);
    report_case_conflict(extraction, name);
    return write_file(extraction, file, name);
}

enum status archive_extract(const struct env *env, const struct pakfile *pakfile, const char *path,
                            archive_filter *filter, const char *folder, struct archive_tally *tally)
{
    struct extraction extraction = {
        .env = env, .where = {.file = path}, .folder = folder, .tally = tally};
    *tally = (struct archive_tally){0};
    enum status status = make_folder(&extraction, folder);
    for (size_t i = 0; i < arrlenu(pakfile->files) && extraction.made; i++) {
        const struct pakfile_file *file = &pakfile->files[i];
        if ((!filter || filter(file->name)) && extract_file(&extraction, file) != STATUS_OK)
            status = STATUS_FAILED;
    }
    shfree(extraction.written);
    arena_free(&extraction.arena);
    return status;
}

enum status archive_check_targets(const struct env *env, const struct pakfile *pakfile,
                                  archive_filter *filter, const char *folder, bool replace)
{
    struct arena arena = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(pakfile->files); i++) {
        const char *name = safe_name(&arena, pakfile->files[i].name);
        if (name && (!filter || filter(pakfile->files[i].name)) &&
            extract_check_target(env->fs, env->diag, folder, name, replace) != STATUS_OK)
            status = STATUS_FAILED;
    }
    arena_free(&arena);
    return status;
}

enum status archive_check_size(const struct pakfile *pakfile, archive_filter *filter,
                               const struct diag_where *where, struct diag *diag)
{
    uint64_t all = 0;
    for (size_t i = 0; i < arrlenu(pakfile->files) && all <= ZIP_ALL_MAX; i++) {
        const struct pakfile_file *file = &pakfile->files[i];
        uint64_t size = file->member ? file->member->size : file->data.size;
        if (filter && !filter(file->name))
            continue;
        all = size > ZIP_ALL_MAX ? size : all + size;
    }
    if (all <= ZIP_ALL_MAX)
        return STATUS_OK;
    return diag_report(diag, DIAG_PAK_LARGE, where, "packed files unpack to more than %llu bytes",
                       (unsigned long long)ZIP_ALL_MAX);
}

/* Cubemaps. */

static const char *skip_number(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    return digits ? text + digits : NULL;
}

static bool is_cubemap_name(const char *name)
{
    if (*name != 'c' && *name != 'C')
        return false;
    const char *at = skip_number(name + 1);
    for (int i = 0; i < 2 && at; i++)
        at = *at == '_' ? skip_number(at + 1) : NULL;
    return at && (str_equal_nocase(at, ".vtf") || str_equal_nocase(at, ".hdr.vtf"));
}

bool archive_is_cubemap_file(const char *name)
{
    const char *base = name;
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '\\')
            base = c + 1;
    return is_cubemap_name(base);
}

bool archive_is_cubemap(const char *name)
{
    return (str_starts_nocase(name, "materials/maps/") ||
            str_starts_nocase(name, "materials\\maps\\")) &&
           archive_is_cubemap_file(name);
}

const char *archive_method_name(uint16_t method)
{
    switch (method) {
    case ZIP_STORED:
        return "stored";
    case ZIP_DEFLATED:
        return "deflated";
    case ZIP_LZMA:
        return "LZMA";
    default:
        return "unknown";
    }
}
