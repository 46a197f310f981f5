#include "brushwork/packing/archive_edit.h"

#include <string.h>

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/engine.h"
#include "common/bsp/engine_content.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/packed_files.def"
#include "common/diag/file_report.h"
#include "common/io/fs.h"
#include "common/text/entities.h"

enum status archive_edit_open(const struct env *env, const char *path, const char *out,
                              struct archive_edit *edit)
{
    *edit = (struct archive_edit){
        .env = env, .out = out, .where = {.file = path}, .method = ZIP_STORED};
    TRY(fs_prepare_output(env->fs, env->diag, out));
    TRY(env_hold(env, path, out, &edit->hold));
    return bsp_read_file(env, path, &edit->bsp);
}

void archive_edit_close(struct archive_edit *edit)
{
    pakfile_free(&edit->pakfile);
    if (edit->bsp)
        bsp_free(edit->bsp);
    fs_hold_end(edit->hold);
    arena_free(&edit->arena);
}

void archive_edit_begin(const struct env *env, struct bsp *bsp, const char *path,
                        struct archive_edit *edit)
{
    *edit = (struct archive_edit){
        .env = env, .where = {.file = path}, .bsp = bsp, .method = ZIP_STORED};
}

void archive_edit_abandon(struct archive_edit *edit)
{
    edit->bsp = NULL;
    archive_edit_close(edit);
}

/* The pakfile is read on demand: entities can be edited even if it is damaged. */
enum status archive_edit_need_pakfile(struct archive_edit *edit)
{
    struct diag *diag = edit->env->diag;
    if (edit->is_read)
        return STATUS_OK;
    if (edit->bsp->engine->content->packs_in_pk3)
        return diag_report(diag, DIAG_PAK_NONE, &edit->where, "%s",
                           edit->bsp->format ? edit->bsp->format->title : edit->bsp->engine->name);
    TRY(pakfile_decode(&edit->bsp->pakfile, &edit->where, diag, &edit->pakfile));
    edit->is_read = true;
    edit->flags_of_files = map_flags_of_files(&edit->pakfile);
    for (size_t i = 0; i < arrlenu(edit->pakfile.files); i++)
        if (edit->pakfile.files[i].member->method == ZIP_LZMA)
            edit->method = ZIP_LZMA;
    return STATUS_OK;
}

static enum status load(struct archive_edit *edit, const char *from, struct bytes *out)
{
    struct fs *fs = edit->env->fs;
    if (fs->ops->kind(fs, from) == FS_ABSENT && strchr(from, '\\'))
        from = archive_slashes(&edit->arena, from);
    return fs_load(fs, edit->env->diag, from, out);
}

enum status archive_edit_put(struct archive_edit *edit, const char *name, const struct bytes *data)
{
    TRY(archive_edit_need_pakfile(edit));
    bool is_there = pakfile_find(&edit->pakfile, name) != NULL;
    pakfile_put(&edit->pakfile, name, data->data, data->size);
    edit->added += !is_there;
    edit->replaced += is_there;
    edit->is_changed = true;
    return STATUS_OK;
}

enum status archive_edit_add(struct archive_edit *edit, const char *from, const char *name)
{
    struct diag *diag = edit->env->diag;
    struct bytes data = {0};
    TRY(archive_edit_need_pakfile(edit));
    const char *clean = archive_slashes(&edit->arena, name);
    if (!zip_name_is_safe(clean) || clean[strlen(clean) - 1] == '/')
        return diag_report(diag, DIAG_PAK_NAME, &edit->where, "\"%s\" (from %s)", name, from);
    if (!edit->replace && pakfile_find(&edit->pakfile, clean))
        return diag_report(diag, DIAG_PAK_PRESENT, &edit->where, "%s", clean);
    TRY(load(edit, from, &data));
    enum status status = archive_edit_put(edit, clean, &data);
    bytes_free(&data);
    return status;
}

/* Folders. */

enum { FOLDERS_DEEP = 64 }; /* symbolic links may be circular */

struct tree {
    struct archive_edit *edit;
    const char *root, *prefix; /* the current folder, relative to the root */
    const char **folders;      /* stb_ds array */
    const char **files;        /* the same, of the whole tree: names relative to the root */
    int depth;
};

static void visit(void *context, const char *name, bool is_directory)
{
    struct tree *tree = context;
    const char *below = arena_printf(&tree->edit->arena, "%s%s", tree->prefix, name);
    if (is_directory)
        arrput(tree->folders, below);
    else
        arrput(tree->files, below);
}

static enum status list_tree(struct tree *tree, const char *prefix)
{
    struct archive_edit *edit = tree->edit;
    struct fs *fs = edit->env->fs;
    const char *path = arena_printf(&edit->arena, "%s/%s", tree->root, prefix);
    if (tree->depth == FOLDERS_DEEP)
        return file_unread(edit->env->diag, path,
                           "folders nested too deeply; check for circular links");
    tree->prefix = prefix;
    tree->folders = NULL;
    int error = fs->ops->list(fs, path, visit, tree);
    const char **folders = tree->folders;
    enum status status = STATUS_OK;
    if (error)
        status = file_unread(edit->env->diag, path, "%s", str_error(error).text);
    tree->depth++;
    for (size_t i = 0; i < arrlenu(folders) && status == STATUS_OK; i++)
        status = list_tree(tree, arena_printf(&edit->arena, "%s/", folders[i]));
    tree->depth--;
    arrfree(folders);
    return status;
}

enum status archive_edit_add_folder(struct archive_edit *edit, const char *folder)
{
    struct tree tree = {.edit = edit, .root = folder};
    enum status status = list_tree(&tree, "");
    for (size_t i = 0; i < arrlenu(tree.files) && edit->bsp; i++) {
        const char *from = arena_printf(&edit->arena, "%s/%s", folder, tree.files[i]);
        if (archive_edit_add(edit, from, tree.files[i]) != STATUS_OK)
            status = STATUS_FAILED;
    }
    arrfree(tree.files);
    return status;
}

/* Lists. */

/* Returns the next line that is not blank, trimmed; NULL at the end. */
static char *next_line(struct arena *arena, struct byte_reader *text, int *number)
{
    while (text->at < text->size) {
        const char *start = (const char *)text->data + text->at;
        const char *end = memchr(start, '\n', text->size - text->at);
        size_t length = end ? (size_t)(end - start) : text->size - text->at;
        text->at += length + (end != NULL);
        ++*number;
        while (length && (unsigned char)*start <= ' ') {
            start++;
            length--;
        }
        while (length && (unsigned char)start[length - 1] <= ' ')
            length--;
        if (length)
            return arena_strndup(arena, start, length);
    }
    return NULL;
}

enum status archive_edit_add_list(struct archive_edit *edit, const char *list)
{
    const unsigned char mark[] = {0xef, 0xbb, 0xbf}; /* UTF-8 byte order mark */
    struct bytes text = {0};
    struct diag_where where = {.file = list};
    enum status status = STATUS_OK;
    const char *name;
    TRY(load(edit, list, &text));
    struct byte_reader lines = byte_reader(text.data, text.size);
    if (text.size >= sizeof mark && memcmp(text.data, mark, sizeof mark) == 0)
        lines.at = sizeof mark;
    while ((name = next_line(&edit->arena, &lines, &where.line))) {
        const char *from = next_line(&edit->arena, &lines, &where.line);
        if (!from)
            status = diag_report(edit->env->diag, DIAG_PAK_LIST, &where,
                                 "\"%s\" without a path in the next line", name);
        else if (archive_edit_add(edit, from, name) != STATUS_OK)
            status = STATUS_FAILED;
    }
    bytes_free(&text);
    return status;
}

enum status archive_edit_remove(struct archive_edit *edit, const char *name)
{
    TRY(archive_edit_need_pakfile(edit));
    if (!pakfile_remove(&edit->pakfile, name))
        return diag_report(edit->env->diag, DIAG_PAK_MISSING, &edit->where, "%s", name);
    edit->removed++;
    edit->is_changed = true;
    return STATUS_OK;
}

/* Cubemaps. */

/* Returns materials/maps/MAP of the first packed cubemap or the map's default cubemap. */
static const char *cubemap_folder(struct archive_edit *edit)
{
    for (size_t i = 0; i < arrlenu(edit->pakfile.files); i++) {
        char *name = archive_slashes(&edit->arena, edit->pakfile.files[i].name);
        char *slash = strrchr(name, '/');
        if (!slash || !str_starts_nocase(name, "materials/maps/"))
            continue;
        if (!archive_is_cubemap(name) && !str_starts_nocase(slash, "/cubemapdefault."))
            continue;
        *slash = '\0';
        return name;
    }
    return NULL;
}

static const char *folder_of_map(struct archive_edit *edit, const char *map)
{
    const char *found = map ? NULL : cubemap_folder(edit);
    if (found)
        return found;
    const char *name = map ? map : path_name(edit->where.file);
    size_t length = strlen(name) - (str_ends_nocase(name, ".bsp") ? 4 : 0);
    return arena_printf(&edit->arena, "materials/maps/%.*s", (int)length, name);
}

enum status archive_edit_cubemap_folder(struct archive_edit *edit, const char *map,
                                        const char **out)
{
    TRY(archive_edit_need_pakfile(edit));
    *out = folder_of_map(edit, map);
    return STATUS_OK;
}

static enum status put_cubemap(struct archive_edit *edit, const char *root, const char *below,
                               const char *folder, bool keep_failure)
{
    const char *from = arena_printf(&edit->arena, "%s/%s", root, below);
    const char *name = below;
    if (!keep_failure || !archive_is_cubemap(below))
        name = arena_printf(&edit->arena, "%s/%s", folder, path_name(below));
    return archive_edit_add(edit, from, name);
}

enum status archive_edit_put_cubemaps(struct archive_edit *edit, const char *folder,
                                      const char *map)
{
    struct tree tree = {.edit = edit, .root = folder};
    bool replace = edit->replace;
    size_t found = 0;
    TRY(archive_edit_need_pakfile(edit));
    enum status status = list_tree(&tree, "");
    const char *target = folder_of_map(edit, map);
    edit->replace = true;
    for (size_t i = 0; i < arrlenu(tree.files); i++) {
        if (!archive_is_cubemap_file(tree.files[i]))
            continue;
        found++;
        if (put_cubemap(edit, folder, tree.files[i], target, !map) != STATUS_OK)
            status = STATUS_FAILED;
    }
    edit->replace = replace;
    arrfree(tree.files);
    if (status == STATUS_OK && !found)
        status = file_unread(edit->env->diag, folder, "no cubemaps (cX_Y_Z.vtf) in this folder");
    return status;
}

enum status archive_edit_delete_cubemaps(struct archive_edit *edit)
{
    TRY(archive_edit_need_pakfile(edit));
    for (size_t i = arrlenu(edit->pakfile.files); i > 0; i--) {
        if (i > arrlenu(edit->pakfile.files))
            continue; /* others of that name were removed with it */
        const char *name = edit->pakfile.files[i - 1].name;
        if (archive_is_cubemap(name))
            TRY(archive_edit_remove(edit, arena_strdup(&edit->arena, name)));
    }
    return STATUS_OK;
}

/* Entities. */

/* Finds what `brushwork verify` refuses. Returns false and the fault, or true. */
static bool entities_fit(const struct bsp *bsp, const struct entity_list *list,
                         struct entity_check *checked)
{
    checked->fault[0] = 0;
    for (size_t i = 0; i < arrlenu(list->entities) && !checked->fault[0]; i++)
        entity_check(&list->entities[i], i, arrlenu(bsp->models), checked);
    return !checked->fault[0];
}

static enum status check_entities(const struct archive_edit *edit, const struct bytes *text,
                                  const char *from)
{
    struct diag *diag = edit->env->diag;
    struct diag_where where = {.file = from};
    struct entity_list list;
    struct entity_check checked;
    const char *fault = NULL;
    TRY(entities_parse((const char *)text->data, text->size, from, diag, &list));
    if (!arrlenu(list.entities) || !entity_is(&list.entities[0], "worldspawn"))
        fault = "the first entity is not worldspawn";
    else if (memchr(text->data, 0, text->size))
        fault = "zero byte in the text";
    else if (!entities_fit(edit->bsp, &list, &checked))
        fault = checked.fault;
    entities_free(&list);
    return fault ? diag_report(diag, DIAG_PAK_NO_ENTITIES, &where, "%s", fault) : STATUS_OK;
}

enum status archive_edit_put_entities(struct archive_edit *edit, const char *from)
{
    struct bytes text = {0};
    TRY(load(edit, from, &text));
    text.size -= text.size && !text.data[text.size - 1];
    enum status status = check_entities(edit, &text, from);
    if (status == STATUS_OK) {
        arrsetlen(edit->bsp->entities, text.size);
        memcpy(edit->bsp->entities, text.data, text.size);
    }
    bytes_free(&text);
    return status;
}

/* Methods. */

/* Compresses the last file of its name again; removes earlier ones of the name. */
static enum status recode_file(struct archive_edit *edit, size_t at)
{
    const struct pakfile_file *file = &edit->pakfile.files[at];
    struct bytes data = {0};
    enum status status = pakfile_extract(file, &edit->where, edit->env->diag, &data);
    if (status == STATUS_OK) {
        const char *name = arena_strdup(&edit->arena, file->name);
        pakfile_put(&edit->pakfile, name, data.data, data.size);
        edit->is_changed = true;
    }
    bytes_free(&data);
    return status;
}

enum status archive_edit_recode(struct archive_edit *edit, enum zip_method method)
{
    TRY(archive_edit_need_pakfile(edit));
    TRY(archive_check_size(&edit->pakfile, NULL, &edit->where, edit->env->diag));
    edit->method = method;
    for (size_t i = arrlenu(edit->pakfile.files); i > 0; i--) {
        const struct pakfile_file *file = &edit->pakfile.files[i - 1];
        bool is_last = pakfile_find(&edit->pakfile, file->name) == file;
        if (!is_last || !file->member || file->member->method == method || !file->member->size)
            continue;
        size_t before = arrlenu(edit->pakfile.files);
        TRY(recode_file(edit, i - 1));
        i -= before - arrlenu(edit->pakfile.files);
    }
    return STATUS_OK;
}

static enum status encode_pakfile(struct archive_edit *edit)
{
    struct bytes lump = {0};
    enum status status =
        pakfile_encode(&edit->pakfile, edit->method, &edit->where, edit->env->diag, &lump);
    if (status != STATUS_OK) {
        bytes_free(&lump);
        return status;
    }
    map_flags_follow(edit->bsp, edit->flags_of_files, map_flags_of_files(&edit->pakfile));
    pakfile_free(&edit->pakfile);
    bytes_free(&edit->bsp->pakfile);
    edit->bsp->pakfile = lump;
    edit->is_read = edit->is_changed = false;
    return STATUS_OK;
}

enum status archive_edit_settle(struct archive_edit *edit)
{
    return edit->is_changed ? encode_pakfile(edit) : STATUS_OK;
}

enum status archive_edit_finish(struct archive_edit *edit)
{
    enum status status = archive_edit_settle(edit);
    archive_edit_abandon(edit);
    return status;
}

enum status archive_edit_save(struct archive_edit *edit, struct console *console)
{
    TRY(archive_edit_settle(edit));
    TRY(bsp_write_output(edit->env, edit->bsp, NULL,
                         &(struct bsp_output_file){.path = edit->out, .hold = edit->hold}));
    console_say(console, "wrote %s: files added %zu, replaced %zu, removed %zu", edit->out,
                edit->added, edit->replaced, edit->removed);
    return STATUS_OK;
}
