#include "common/bsp/lumps/pakfile.h"

#include "common/core/array.h"
#include "common/core/strings.h"

enum {
    VERSION_STORED = 10, /* 1.0 */
    VERSION_LZMA = 63,   /* 6.3 */
    VERSION_MADE_BY = 20,
    COMMENT_SIZE = 32,
};

static void free_file(struct pakfile_file *file)
{
    memory_free(file->name);
    bytes_free(&file->data);
}

enum status pakfile_decode(const struct bytes *lump, const struct diag_where *where,
                           struct diag *diag, struct pakfile *out)
{
    *out = (struct pakfile){0};
    if (!lump->size)
        return STATUS_OK;
    if (zip_read(lump->data, lump->size, where, diag, &out->zip) != STATUS_OK) {
        pakfile_free(out);
        return STATUS_FAILED;
    }
    out->was_read = true;
    for (size_t i = 0; i < arrlenu(out->zip.members); i++) {
        const struct zip_member *member = &out->zip.members[i];
        struct pakfile_file file = {
            str_copy(member->name), zip_name_hash(member->name), member, {0}};
        arrput(out->files, file);
    }
    return STATUS_OK;
}

/* Returns one past the last file of that name before `end`, or 0. */
static size_t find_before(const struct pakfile *pakfile, const char *name, size_t end)
{
    uint32_t hash = zip_name_hash(name);
    for (; end > 0; end--) {
        const struct pakfile_file *file = &pakfile->files[end - 1];
        if (file->name_hash == hash && zip_name_equal(file->name, name))
            return end;
    }
    return 0;
}

const struct pakfile_file *pakfile_find(const struct pakfile *pakfile, const char *name)
{
    size_t after = find_before(pakfile, name, arrlenu(pakfile->files));
    return after ? &pakfile->files[after - 1] : NULL;
}

enum status pakfile_extract(const struct pakfile_file *file, const struct diag_where *where,
                            struct diag *diag, struct bytes *out)
{
    if (file->member)
        return zip_unpack(file->member, PAKFILE_MAX, where, diag, out);
    bytes_append(out, file->data.data, file->data.size);
    return STATUS_OK;
}

static bool remove_before(struct pakfile *pakfile, const char *name, size_t end)
{
    bool removed = false;
    while ((end = find_before(pakfile, name, end)) > 0) {
        end--;
        free_file(&pakfile->files[end]);
        arrdel(pakfile->files, end);
        removed = true;
    }
    return removed;
}

bool pakfile_remove(struct pakfile *pakfile, const char *name)
{
    return remove_before(pakfile, name, arrlenu(pakfile->files));
}

void pakfile_put(struct pakfile *pakfile, const char *name, const void *data, size_t size)
{
    struct pakfile_file file = {.name = str_copy(name), .name_hash = zip_name_hash(name)};
    for (char *c = file.name; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    bytes_append(&file.data, data, size);
    size_t after = find_before(pakfile, file.name, arrlenu(pakfile->files));
    if (!after) {
        arrput(pakfile->files, file);
        return;
    }
    free_file(&pakfile->files[after - 1]);
    pakfile->files[after - 1] = file;
    remove_before(pakfile, file.name, after - 1);
}

static enum status write_file(const struct pakfile_file *file, const struct zip_packing *packing,
                              const struct diag_where *where, struct diag *diag,
                              struct zip_writer *writer)
{
    if (file->member)
        return zip_copy(writer, file->member, where, diag);
    return zip_add(writer, file->name, file->data.data, file->data.size, packing, where, diag);
}

enum status pakfile_encode(const struct pakfile *pakfile, enum zip_method method_for_new,
                           const struct diag_where *where, struct diag *diag, struct bytes *out)
{
    const char valves[COMMENT_SIZE] = "XZP1 0";
    const struct zip_packing packing = {
        .method = (uint16_t)method_for_new,
        .made_by = VERSION_MADE_BY,
        .version_needed = method_for_new == ZIP_STORED ? VERSION_STORED : VERSION_LZMA,
    };
    const struct bytes *read = &pakfile->zip.comment;
    struct zip_writer writer = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(pakfile->files) && status == STATUS_OK; i++)
        status = write_file(&pakfile->files[i], &packing, where, diag, &writer);
    if (status == STATUS_OK && pakfile->was_read)
        status = zip_finish(&writer, read->data, read->size, where, diag, out);
    else if (status == STATUS_OK)
        status = zip_finish(&writer, valves, sizeof valves, where, diag, out);
    zip_writer_free(&writer);
    return status;
}

void pakfile_free(struct pakfile *pakfile)
{
    for (size_t i = 0; i < arrlenu(pakfile->files); i++)
        free_file(&pakfile->files[i]);
    arrfree(pakfile->files);
    zip_free(&pakfile->zip);
    pakfile->was_read = false;
}
