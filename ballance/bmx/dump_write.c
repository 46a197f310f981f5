#include <stdio.h>
#include <string.h>

#include "ballance/bmx/dump.h"
#include "ballance/bmx/dump_text.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/strings.h"
#include "common/diag/codes/bm_dumps.def"
#include "common/diag/file_report.h"
#include "common/io/extract_target.h"
#include "common/io/fs.h"
#include "common/io/zip.h"

/* Files of an earlier archive in the folder of an unpacked one. */

/* Paths below the folder, an stb_ds map. */
struct path {
    char *key;
    int value;
};

/* The second text of a line `file "NAME" "PATH"`. */
static void add_path(struct dump_reader *in, struct path **paths)
{
    struct bytes path = {0};
    dump_bytes(in, &path);
    path.size = 0;
    dump_bytes(in, &path);
    bytes_u8(&path, 0);
    if (!in->failed && strlen((const char *)path.data) + 1 == path.size)
        shput(*paths, (const char *)path.data, 1);
    bytes_free(&path);
}

static struct path *paths_of(const struct bytes *index)
{
    struct bytes text = {0};
    struct path *paths = NULL;
    struct diag *diag = diag_new(NULL, NULL);
    struct dump_reader in;
    sh_new_strdup(paths);
    bytes_append(&text, index->data, index->size);
    bytes_u8(&text, 0);
    dump_open(&in, (const char *)text.data, index->size, "", diag);
    while (in.keyword_length) {
        if (dump_is_at(&in, "file"))
            add_path(&in, &paths);
        if (!in.failed)
            in.at = in.line_end;
        dump_end_line(&in);
    }
    bytes_free(&text);
    diag_free(diag);
    return paths;
}

static bool is_member(const char *path)
{
    return zip_name_is_safe(path) &&
           (strncmp(path, "Texture/", 8) == 0 || strncmp(path, "members/", 8) == 0);
}

/* Removes the members' files that one text of index.txt names and the other does not. Texts that
 * are invalid name what stands before their first error. Nothing outside of the folder, or behind a
 * symbolic link, is removed; what cannot be removed stays. */
static void dump_remove_stale(struct fs *fs, const char *folder, const struct bytes *before,
                              const struct bytes *now)
{
    struct path *old = paths_of(before), *kept = paths_of(now);
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    for (size_t i = 0; i < shlenu(old); i++)
        if (is_member(old[i].key) && shgeti(kept, old[i].key) < 0 &&
            extract_check_target(fs, diag, folder, old[i].key, true) == STATUS_OK)
            (void)fs->ops->remove(fs, arena_printf(&arena, "%s/%s", folder, old[i].key));
    shfree(old);
    shfree(kept);
    arena_free(&arena);
    diag_free(diag);
}

/* --- dump write --- */

enum { HEX_LINE = 64, FILE_NAME_MAX = 200 };

static void put(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text));
}

struct writer {
    struct bytes *out;
    const struct bmx *bmx;
    struct name_index names[BMX_KINDS];
};

/* Appends the name of a block that has it alone; else the number. */
static void put_reference(const struct writer *writer, enum bmx_kind kind, uint32_t block)
{
    uint32_t first;
    const struct bmx_text *name =
        block < bmx_count(writer->bmx, kind) ? bmx_name(writer->bmx, kind, block) : NULL;
    if (name && name_index_find(&writer->names[kind], name, &first) == 1)
        dump_put_text(writer->out, name);
    else
        dump_put_number(writer->out, block);
    put(writer->out, "\n");
}

static void put_component(struct bytes *out, uint32_t number)
{
    if (number < BMX_COMPONENTS)
        bytes_append_text(out, " \"%s\"\n", bmx_component(number));
    else
        bytes_append_text(out, " %u\n", number);
}

static void put_object(const struct writer *writer, const struct bmx_object *object)
{
    struct bytes *out = writer->out;
    dump_put_number_line(out, "  component", object->is_component);
    dump_put_number_line(out, "  hidden", object->is_hidden);
    for (int row = 0; row < 4; row++)
        dump_put_floats(out, "  matrix", object->matrix + 4 * row, 4);
    for (size_t i = 0; i < arrlenu(object->groups); i++) {
        put(out, "  group");
        dump_put_text(out, &object->groups[i]);
        put(out, "\n");
    }
    put(out, "  mesh");
    if (object->is_component)
        put_component(out, object->mesh);
    else
        put_reference(writer, BMX_MESH, object->mesh);
}

/* `usual` has the material of the last `usemtl`, or none. */
static void put_face(const struct writer *writer, const struct bmx_face *face,
                     struct bmx_face *usual)
{
    struct bytes *out = writer->out;
    bool is_usual = face->use_material == usual->use_material && face->material == usual->material;
    if (!is_usual && face->use_material == 1) {
        put(out, "  usemtl");
        put_reference(writer, BMX_MATERIAL, face->material);
        *usual = *face;
        is_usual = true;
    }
    put(out, "  f");
    for (int k = 0; k < 3; k++) {
        const uint32_t corner[] = {face->corners[k].position, face->corners[k].uv,
                                   face->corners[k].normal};
        for (int i = 0; i < 3; i++) {
            size_t at = out->size;
            dump_put_number(out, corner[i]);
            if (i)
                out->data[at] = '/';
        }
    }
    if (!is_usual) {
        dump_put_number(out, face->use_material);
        dump_put_number(out, face->material);
    }
    put(out, "\n");
}

static void put_mesh(const struct writer *writer, const struct bmx_mesh *mesh)
{
    struct bytes *out = writer->out;
    struct bmx_face usual = {0};
    for (size_t i = 0; i < arrlenu(mesh->positions); i++)
        dump_put_floats(out, "  v", mesh->positions[i].xyz, 3);
    for (size_t i = 0; i < arrlenu(mesh->uvs); i++)
        dump_put_floats(out, "  vt", mesh->uvs[i].uv, 2);
    for (size_t i = 0; i < arrlenu(mesh->normals); i++)
        dump_put_floats(out, "  vn", mesh->normals[i].xyz, 3);
    for (size_t i = 0; i < arrlenu(mesh->faces); i++)
        put_face(writer, &mesh->faces[i], &usual);
}

static void put_material(const struct writer *writer, const struct bmx_material *material)
{
    struct bytes *out = writer->out;
    dump_put_material(out, material);
    put(out, "  texture");
    put_reference(writer, BMX_TEXTURE, material->texture);
}

/* Writes the gaps before a block; `next` is the first that was not written yet. */
static void put_gaps(struct bytes *out, const struct bmx *bmx, enum bmx_kind kind, size_t block,
                     size_t *next)
{
    for (; *next < arrlenu(bmx->gaps); ++*next) {
        const struct bmx_gap *gap = &bmx->gaps[*next];
        if (gap->kind != kind || gap->block != block)
            return;
        for (size_t at = 0; at < gap->data.size; at += HEX_LINE) {
            size_t size = gap->data.size - at;
            put(out, "gap");
            dump_put_hex(out, gap->data.data + at, size < HEX_LINE ? size : HEX_LINE);
            put(out, "\n");
        }
    }
}

static void put_kind(const struct writer *writer, enum bmx_kind kind)
{
    struct bytes *out = writer->out;
    const struct bmx *bmx = writer->bmx;
    size_t count = bmx_count(bmx, kind), gap = 0;
    while (gap < arrlenu(bmx->gaps) && bmx->gaps[gap].kind != kind)
        gap++;
    for (size_t i = 0; i < count; i++) {
        put_gaps(out, bmx, kind, i, &gap);
        put(out, bmx_kind_name(kind));
        dump_put_text(out, bmx_name(bmx, kind, i));
        put(out, "\n");
        if (kind == BMX_OBJECT)
            put_object(writer, &bmx->objects[i]);
        else if (kind == BMX_MESH)
            put_mesh(writer, &bmx->meshes[i]);
        else if (kind == BMX_MATERIAL)
            put_material(writer, &bmx->materials[i]);
        else
            dump_put_texture(out, &bmx->textures[i]);
    }
    put_gaps(out, bmx, kind, count, &gap);
}

struct unpacker {
    const struct bmx *bmx;
    struct fs *fs;
    struct diag *diag;
    struct progress *progress; /* or NULL */
    const char *folder;
    bool replace;
    bool writes; /* otherwise the files are only checked */
    struct arena arena;
    struct {
        char *key; /* in lower case: some file systems ignore case */
        int value;
    } *taken;           /* stb_ds map */
    struct bytes index; /* the text of index.txt */
};

static enum status make_folder(struct unpacker *unpacker, const char *path)
{
    int error = unpacker->writes ? unpacker->fs->ops->make_folder(unpacker->fs, path) : 0;
    if (!error)
        return STATUS_OK;
    return file_unwritten(unpacker->diag, path, "cannot create folder: %s", str_error(error).text);
}

static enum status store(struct unpacker *unpacker, const char *name, const struct bytes *data)
{
    if (!unpacker->writes)
        return extract_check_target(unpacker->fs, unpacker->diag, unpacker->folder, name,
                                    unpacker->replace);
    struct arena_mark mark = arena_mark(&unpacker->arena);
    char *path = arena_printf(&unpacker->arena, "%s/%s", unpacker->folder, name);
    enum status status = fs_store(unpacker->fs, unpacker->diag, path, data->data, data->size);
    if (status == STATUS_OK)
        progress_wrote(unpacker->progress, path);
    arena_release(&unpacker->arena, mark);
    return status;
}

/* Returns its own name if it is a texture's name that is a valid and unused file name; else a
 * number. */
static const char *safe_name(struct unpacker *unpacker, size_t number)
{
    const struct bmx_member *member = &unpacker->bmx->members[number];
    const char *file = bmx_texture_file(member);
    if (file && zip_name_is_safe(member->name) && strlen(file) <= FILE_NAME_MAX) {
        char *key = arena_strdup(&unpacker->arena, member->name);
        for (char *c = key; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        if (shgeti(unpacker->taken, key) < 0) {
            shput(unpacker->taken, key, 1);
            return member->name;
        }
    }
    return arena_printf(&unpacker->arena, "members/%05zu", number);
}

static enum status unpack_file(struct unpacker *unpacker, size_t number)
{
    const struct bmx_member *member = &unpacker->bmx->members[number];
    struct bytes *index = &unpacker->index;
    put(index, member->data.size ? "file" : "empty");
    dump_put_bytes(index, member->name, strlen(member->name));
    if (member->data.size) {
        const char *name = safe_name(unpacker, number);
        char *folder = arena_printf(&unpacker->arena, "%s/%.*s", unpacker->folder,
                                    (int)strcspn(name, "/"), name);
        dump_put_bytes(index, name, strlen(name));
        TRY(make_folder(unpacker, folder));
        TRY(store(unpacker, name, &member->data));
    }
    put(index, "\n");
    return STATUS_OK;
}

static enum status unpack_members(struct unpacker *unpacker)
{
    const struct bmx *bmx = unpacker->bmx;
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        if (bmx->members[i].role == BMX_ROLE_FILE) {
            TRY(unpack_file(unpacker, i));
            continue;
        }
        bytes_append_text(&unpacker->index, "part \"%s\"\n", bmx_role_file(bmx->members[i].role));
    }
    return STATUS_OK;
}

/* Returns true when all objects come first, then all meshes, materials and textures. */
static bool has_usual_order(const struct bmx *bmx)
{
    for (size_t i = 0; i < arrlenu(bmx->index); i++)
        if (bmx->index[i].type >= BMX_KINDS || (i && bmx->index[i].type < bmx->index[i - 1].type))
            return false;
    return true;
}

/* Writes the order of the index, consecutive entries of one type as one line: the last one of a
 * type has no number, so that blocks may be added. */
static void put_order(struct bytes *out, const struct bmx *bmx)
{
    size_t count = arrlenu(bmx->index), last, named[BMX_KINDS] = {0};
    if (has_usual_order(bmx))
        return;
    put(out, "\n# order of the index\n");
    for (size_t i = 0; i < count; i = last) {
        const struct bmx_entry *entry = &bmx->index[i];
        last = i + 1;
        if (entry->type >= BMX_KINDS) {
            put(out, "unknown");
            dump_put_number(out, entry->type);
            dump_put_text(out, &entry->name);
            dump_put_number(out, entry->offset);
            put(out, "\n");
            continue;
        }
        while (last < count && bmx->index[last].type == entry->type)
            last++;
        put(out, bmx_kind_name((enum bmx_kind)entry->type));
        named[entry->type] += last - i;
        if (named[entry->type] < bmx_count(bmx, (enum bmx_kind)entry->type))
            dump_put_number(out, last - i);
        put(out, "\n");
    }
}

static enum status unpack_blocks(struct unpacker *unpacker)
{
    static const char *const files[BMX_KINDS] = {"objects.txt", "meshes.txt", "materials.txt",
                                                 "textures.txt"};
    struct writer writer = {.bmx = unpacker->bmx};
    enum status status = STATUS_OK;
    for (int kind = 0; kind < BMX_KINDS; kind++)
        name_index_make(&writer.names[kind], unpacker->bmx, (enum bmx_kind)kind);
    for (int kind = 0; kind < BMX_KINDS && status == STATUS_OK; kind++) {
        struct bytes text = {0};
        writer.out = &text;
        put_kind(&writer, (enum bmx_kind)kind);
        status = store(unpacker, files[kind], &text);
        bytes_free(&text);
    }
    for (int kind = 0; kind < BMX_KINDS; kind++)
        name_index_free(&writer.names[kind]);
    return status;
}

static enum status unpack_all(struct unpacker *unpacker)
{
    const struct bmx *bmx = unpacker->bmx;
    dump_put_number_line(&unpacker->index, "version", BMX_VERSION);
    put(&unpacker->index, "comment");
    dump_put_bytes(&unpacker->index, bmx->comment.data, bmx->comment.size);
    put(&unpacker->index, "\n\n# members of the archive\n");
    TRY(make_folder(unpacker, unpacker->folder));
    TRY(unpack_members(unpacker));
    TRY(unpack_blocks(unpacker));
    put_order(&unpacker->index, bmx);
    return store(unpacker, "index.txt", &unpacker->index);
}

/* Checks all files, or writes them. */
static enum status unpack_pass(struct unpacker *unpacker, bool writes, const struct bytes *before)
{
    unpacker->writes = writes;
    enum status status = unpack_all(unpacker);
    if (status == STATUS_OK && writes)
        dump_remove_stale(unpacker->fs, unpacker->folder, before, &unpacker->index);
    shfree(unpacker->taken);
    bytes_free(&unpacker->index);
    arena_free(&unpacker->arena);
    return status;
}

enum status bmx_unpack(const struct bmx *bmx, struct fs *fs, const char *folder, bool replace,
                       struct diag *diag, struct progress *progress)
{
    if (bmx->incomplete)
        return diag_report(diag, DIAG_BMX_INCOMPLETE, &(struct diag_where){.file = folder},
                           "nothing written");
    struct unpacker unpacker = {.bmx = bmx,
                                .fs = fs,
                                .diag = diag,
                                .progress = progress,
                                .folder = folder,
                                .replace = replace};
    struct bytes before = {0}; /* an earlier index.txt */
    enum status status = unpack_pass(&unpacker, false, &before);
    if (status == STATUS_OK) {
        char *index = arena_printf(&unpacker.arena, "%s/index.txt", folder);
        (void)fs->ops->read(fs, index, &before);
        status = unpack_pass(&unpacker, true, &before);
    }
    bytes_free(&before);
    return status;
}
