#include "common/assets/mounts/vpk.h"

#include <ctype.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/diag/codes/vpk.def"
#include "common/io/fs.h"

enum {
    MAGIC = 0x55AA1234,
    HEADER_1 = 12,
    HEADER_2 = 28,
    ENTRY = 18,
    ENTRY_END = 0xFFFF,
};

static size_t header_size(const struct bytes *start, int *version)
{
    if (start->size < HEADER_1 || load_u32(start->data) != MAGIC)
        return 0;
    *version = load_u32(start->data + 4) == 1 ? 1 : load_u32(start->data + 4) == 2 ? 2 : 0;
    size_t size = *version == 1 ? HEADER_1 : HEADER_2;
    return *version && size <= start->size ? size : 0;
}

uint64_t vpk_directory_end(const struct bytes *start)
{
    int version;
    size_t header = header_size(start, &version);
    return header ? (uint64_t)header + load_u32(start->data + 8) : 0;
}

struct reader {
    unsigned char *tree;
    size_t size, at;
};

/* Returns the next text, in lower case with `/`; a space stands for an empty one. NULL at the end
 * of the tree; *last: it was empty, which ends a list. */
static const char *next_text(struct reader *reader, bool *last)
{
    char *text = (char *)reader->tree + reader->at;
    size_t room = reader->size - reader->at;
    char *end = room ? memchr(text, 0, room) : NULL;
    if (!end)
        return NULL;
    reader->at += (size_t)(end - text) + 1;
    *last = end == text;
    if (text[0] == ' ' && !text[1])
        *--end = 0;
    for (char *p = text; p < end; p++)
        *p = *p == '\\' ? '/' : (char)tolower((unsigned char)*p);
    while (end > text && end[-1] == '/')
        *--end = 0;
    while (*text == '/')
        text++;
    return text;
}

static bool read_entry(struct reader *reader, struct vpk_entry *entry)
{
    const unsigned char *from = reader->tree + reader->at;
    if (reader->size - reader->at < ENTRY || load_u16(from + 16) != ENTRY_END)
        return false;
    entry->crc = load_u32(from);
    entry->preload_size = load_u16(from + 4);
    entry->archive = load_u16(from + 6);
    entry->offset = load_u32(from + 8);
    entry->length = load_u32(from + 12);
    entry->preload = from + ENTRY;
    reader->at += ENTRY;
    if (entry->preload_size > reader->size - reader->at)
        return false;
    reader->at += entry->preload_size;
    return true;
}

static const char *read_names(struct reader *reader, struct vpk_entry entry, struct vpk *out)
{
    for (;;) {
        bool last;
        entry.name = next_text(reader, &last);
        if (!entry.name)
            return "no terminating zero";
        if (last)
            return NULL;
        if (!read_entry(reader, &entry))
            return "invalid entry";
        arrput(out->entries, entry);
    }
}

static const char *read_folders(struct reader *reader, struct vpk_entry entry, struct vpk *out)
{
    for (;;) {
        bool last;
        entry.folder = next_text(reader, &last);
        if (!entry.folder)
            return "no terminating zero";
        if (last)
            return NULL;
        const char *wrong = read_names(reader, entry, out);
        if (wrong)
            return wrong;
    }
}

static const char *read_tree(struct reader *reader, struct vpk *out)
{
    for (;;) {
        struct vpk_entry entry = {0};
        bool last;
        entry.extension = next_text(reader, &last);
        if (!entry.extension)
            return "no terminating zero";
        if (last)
            return NULL;
        const char *wrong = read_folders(reader, entry, out);
        if (wrong)
            return wrong;
    }
}

/* strcmp with a second text of `length` bytes. */
static int compare_part(const char *whole, const char *part, size_t length)
{
    int order = strncmp(whole, part, length);
    return order ? order : whole[length] != 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct vpk_entry *first = a, *second = b;
    int order = strcmp(first->folder, second->folder);
    if (!order)
        order = strcmp(first->name, second->name);
    if (!order)
        order = strcmp(first->extension, second->extension);
    return order ? order : (first->preload > second->preload) - (first->preload < second->preload);
}

enum status vpk_decode(const struct bytes *directory, const struct diag_where *where,
                       struct diag *diag, struct vpk *out)
{
    *out = (struct vpk){0};
    size_t header = header_size(directory, &out->version);
    if (!header)
        return diag_report(diag, DIAG_VPK_BROKEN, where, "not a VPK of version 1 or 2");
    uint64_t end = vpk_directory_end(directory);
    if (end > directory->size)
        return diag_report(diag, DIAG_VPK_BROKEN, where, "truncated directory: %zu of %llu bytes",
                           directory->size, (unsigned long long)end);
    out->tree_end = (size_t)end;
    struct reader reader = {.size = out->tree_end - header};
    reader.tree = out->tree = memory_alloc(reader.size);
    if (reader.size)
        memcpy(reader.tree, directory->data + header, reader.size);
    const char *wrong = read_tree(&reader, out);
    if (wrong) {
        vpk_free(out);
        return diag_report(diag, DIAG_VPK_BROKEN, where, "corrupt directory: %s", wrong);
    }
    if (out->entries)
        qsort(out->entries, arrlenu(out->entries), sizeof *out->entries, compare_entries);
    return STATUS_OK;
}

void vpk_free(struct vpk *vpk)
{
    arrfree(vpk->entries);
    memory_free(vpk->tree);
    *vpk = (struct vpk){0};
}

struct split_name {
    const char *folder, *name, *extension;
    size_t folder_length, name_length;
};

/* The extension starts at the last dot of the file's own name. */
static struct split_name split(const char *name)
{
    const char *file = path_name(name), *dot = strrchr(file, '.');
    return (struct split_name){
        .folder = name,
        .name = file,
        .extension = dot ? dot + 1 : "",
        .folder_length = file > name ? (size_t)(file - name) - 1 : 0,
        .name_length = dot ? (size_t)(dot - file) : strlen(file),
    };
}

static int compare_name(const struct vpk_entry *entry, const struct split_name *name)
{
    int order = compare_part(entry->folder, name->folder, name->folder_length);
    if (!order)
        order = compare_part(entry->name, name->name, name->name_length);
    return order ? order : strcmp(entry->extension, name->extension);
}

const struct vpk_entry *vpk_find(const struct vpk *vpk, const char *name)
{
    struct split_name wanted = split(name);
    size_t low = 0, high = arrlenu(vpk->entries);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_name(&vpk->entries[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < arrlenu(vpk->entries) && compare_name(&vpk->entries[low], &wanted) == 0;
    return found ? &vpk->entries[low] : NULL;
}
