#include "common/bsp/pakfile.h"

#include "common/core/array.h"
#include "common/core/strings.h"

enum {
    LOCAL_HEADER = 0x04034b50,
    CENTRAL_HEADER = 0x02014b50,
    END_RECORD = 0x06054b50,
    VERSION_NEEDED = 10, /* 1.0: stored files */
    VERSION_MADE_BY = 20,
    COMMENT_SIZE = 32,
    LONGEST_NAME = 65535,
};

static uint32_t crc32_of(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static char *clean_name(const char *name)
{
    size_t length = strlen(name);
    if (length > LONGEST_NAME)
        length = LONGEST_NAME;
    char *copy = memory_alloc(length + 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = name[i] == '\\' ? '/' : name[i];
    copy[length] = '\0';
    return copy;
}

void pakfile_put(struct pakfile *pakfile, const char *name, const void *data, size_t size)
{
    struct pakfile_file file = {.name = clean_name(name)};
    bytes_append(&file.data, data, size);
    for (size_t i = 0; i < arrlenu(pakfile->files); i++) {
        if (!str_equal_nocase(pakfile->files[i].name, file.name))
            continue;
        memory_free(pakfile->files[i].name);
        bytes_free(&pakfile->files[i].data);
        pakfile->files[i] = file;
        return;
    }
    arrput(pakfile->files, file);
}

void pakfile_free(struct pakfile *pakfile)
{
    for (size_t i = 0; i < arrlenu(pakfile->files); i++) {
        memory_free(pakfile->files[i].name);
        bytes_free(&pakfile->files[i].data);
    }
    arrfree(pakfile->files);
}

/* What the local and the central header have alike. */
static void write_facts(const struct pakfile_file *file, struct bytes *out)
{
    bytes_u16(out, VERSION_NEEDED);
    bytes_u16(out, 0); /* flags */
    bytes_u16(out, 0); /* stored */
    bytes_u32(out, 0); /* time and date */
    bytes_u32(out, crc32_of(file->data.data, file->data.size));
    bytes_u32(out, (uint32_t)file->data.size);
    bytes_u32(out, (uint32_t)file->data.size);
    bytes_u16(out, (uint16_t)strlen(file->name));
    bytes_u16(out, 0); /* extra field */
}

static void write_local(const struct pakfile_file *file, struct bytes *out)
{
    bytes_u32(out, LOCAL_HEADER);
    write_facts(file, out);
    bytes_append(out, file->name, strlen(file->name));
    bytes_append(out, file->data.data, file->data.size);
}

static void write_central(const struct pakfile_file *file, size_t offset, struct bytes *out)
{
    bytes_u32(out, CENTRAL_HEADER);
    bytes_u16(out, VERSION_MADE_BY);
    write_facts(file, out);
    bytes_u16(out, 0); /* comment */
    bytes_u16(out, 0); /* disk */
    bytes_u16(out, 0); /* attributes */
    bytes_u32(out, 0);
    bytes_u32(out, (uint32_t)offset);
    bytes_append(out, file->name, strlen(file->name));
}

void pakfile_encode(const struct pakfile *pakfile, struct bytes *out)
{
    const char comment[COMMENT_SIZE] = "XZP1 0";
    size_t start = out->size, count = arrlenu(pakfile->files);
    size_t *offsets = NULL;
    for (size_t i = 0; i < count; i++) {
        arrput(offsets, out->size - start);
        write_local(&pakfile->files[i], out);
    }
    size_t directory = out->size - start;
    for (size_t i = 0; i < count; i++)
        write_central(&pakfile->files[i], offsets[i], out);
    size_t end = out->size - start;
    bytes_u32(out, END_RECORD);
    bytes_u32(out, 0); /* disks */
    bytes_u16(out, (uint16_t)count);
    bytes_u16(out, (uint16_t)count);
    bytes_u32(out, (uint32_t)(end - directory));
    bytes_u32(out, (uint32_t)directory);
    bytes_u16(out, COMMENT_SIZE);
    bytes_append(out, comment, COMMENT_SIZE);
    arrfree(offsets);
}
