#include "common/usage/pcf.h"

#include <stdio.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_content.def"

enum { VERSION_MAX = 5, GUID = 16, ARRAY_OF = 14, HEADER_MAX = 128 };

enum attribute {
    ATTRIBUTE_ELEMENT = 1,
    ATTRIBUTE_STRING = 5,
    ATTRIBUTE_BINARY = 6,
    ATTRIBUTE_TIME = 7, /* a name of 16 bytes before version 3 */
};

struct reader {
    struct byte_reader data;
    int version;
    const char **words; /* stb_ds array */
    struct pcf *out;
    const char *fault;
};

static bool fail(struct reader *reader, const char *fault)
{
    reader->fault = reader->fault ? reader->fault : fault;
    return false;
}

static const char *read_text(struct reader *reader)
{
    struct byte_reader *data = &reader->data;
    const unsigned char *start = data->data + data->at;
    const unsigned char *end =
        data->at < data->size ? memchr(start, 0, data->size - data->at) : NULL;
    if (data->failed || !end) {
        data->failed = true;
        return "";
    }
    data->at += (size_t)(end - start) + 1;
    return arena_strndup(&reader->out->arena, (const char *)start, (size_t)(end - start));
}

/* A word of the list at the start of the file. */
static const char *read_word(struct reader *reader)
{
    uint32_t index = reader->version >= 5 ? read_u32(&reader->data) : read_u16(&reader->data);
    if (index < arrlenu(reader->words))
        return reader->words[index];
    reader->data.failed = true;
    return "";
}

static const char *read_key(struct reader *reader)
{
    return reader->version >= 2 ? read_word(reader) : read_text(reader);
}

static const char *read_value(struct reader *reader)
{
    return reader->version >= 4 ? read_word(reader) : read_text(reader);
}

/* Every item takes at least a byte, so that no count can be larger than what is left. */
static bool count_fits(struct reader *reader, uint32_t count)
{
    if (!reader->data.failed && count <= reader->data.size - reader->data.at)
        return true;
    return fail(reader, "count larger than the file");
}

static bool read_words(struct reader *reader)
{
    if (reader->version < 2)
        return true;
    uint32_t count = reader->version >= 4 ? read_u32(&reader->data) : read_u16(&reader->data);
    if (!count_fits(reader, count))
        return false;
    for (uint32_t i = 0; i < count && !reader->data.failed; i++)
        arrput(reader->words, read_text(reader));
    return !reader->data.failed || fail(reader, "list of words cut short");
}

static bool read_elements(struct reader *reader)
{
    uint32_t count = read_u32(&reader->data);
    if (!count_fits(reader, count))
        return false;
    for (uint32_t i = 0; i < count && !reader->data.failed; i++) {
        struct pcf_element element = {0};
        element.type = read_key(reader);
        element.name = read_value(reader);
        (void)read_block(&reader->data, GUID);
        arrput(reader->out->elements, element);
    }
    return !reader->data.failed || fail(reader, "list of elements cut short");
}

/* An element of this file, none (-1), or one of another file (-2), by its name. */
static bool read_reference(struct reader *reader, struct pcf_element *element)
{
    int32_t index = read_i32(&reader->data);
    if (index == -2)
        (void)read_text(reader);
    if (index >= 0 && (size_t)index >= arrlenu(reader->out->elements))
        return fail(reader, "reference to an element that there is not");
    if (index >= 0 && !reader->data.failed)
        arrput(element->references, (uint32_t)index);
    return true;
}

/* Returns the size in bytes of a value without strings, or 0. */
static size_t plain_size(const struct reader *reader, int type)
{
    static const size_t sizes[ARRAY_OF + 1] = {
        [2] = 4,   [3] = 4,   [4] = 1,   [7] = 4,   [8] = 4,  [9] = 8,
        [10] = 12, [11] = 16, [12] = 12, [13] = 16, [14] = 64};
    return type == ATTRIBUTE_TIME && reader->version < 3 ? GUID : sizes[type];
}

static bool read_one(struct reader *reader, struct pcf_element *element, const char *key, int type,
                     bool in_array)
{
    if (type == ATTRIBUTE_ELEMENT)
        return read_reference(reader, element);
    if (type == ATTRIBUTE_STRING) {
        const char *value = in_array ? read_text(reader) : read_value(reader);
        arrput(element->strings, ((struct pcf_string){key, value}));
    } else if (type == ATTRIBUTE_BINARY) {
        (void)read_block(&reader->data, read_u32(&reader->data));
    } else {
        (void)read_block(&reader->data, plain_size(reader, type));
    }
    return true;
}

static bool read_attribute(struct reader *reader, struct pcf_element *element)
{
    const char *key = read_key(reader);
    int type = read_u8(&reader->data);
    bool is_array = type > ARRAY_OF;
    type -= is_array ? ARRAY_OF : 0;
    if (type < 1 || type > ARRAY_OF)
        return fail(reader, "attribute of an unknown type");
    uint32_t count = is_array ? read_u32(&reader->data) : 1;
    if (!count_fits(reader, count))
        return false;
    for (uint32_t i = 0; i < count && !reader->data.failed; i++)
        if (!read_one(reader, element, key, type, is_array))
            return false;
    return !reader->data.failed || fail(reader, "attribute cut short");
}

static bool read_attributes(struct reader *reader)
{
    for (size_t i = 0; i < arrlenu(reader->out->elements); i++) {
        uint32_t count = read_u32(&reader->data);
        if (!count_fits(reader, count))
            return false;
        for (uint32_t k = 0; k < count; k++)
            if (!read_attribute(reader, &reader->out->elements[i]))
                return false;
    }
    return true;
}

/* "<!-- dmx encoding binary 2 format pcf 1 -->\n" and a NUL. */
static bool read_header(struct reader *reader)
{
    char line[HEADER_MAX + 1] = {0};
    struct byte_reader *data = &reader->data;
    size_t size = data->size < HEADER_MAX ? data->size : HEADER_MAX;
    memcpy(line, data->data, size);
    if (sscanf(line, "<!-- dmx encoding binary %2d format ", &reader->version) != 1)
        return fail(reader, "no header of a binary DMX");
    if (reader->version < 1 || reader->version > VERSION_MAX)
        return fail(reader, "encoding that is not supported");
    (void)read_text(reader);
    return !data->failed || fail(reader, "no end of the header");
}

void pcf_free(struct pcf *pcf)
{
    for (size_t i = 0; i < arrlenu(pcf->elements); i++) {
        arrfree(pcf->elements[i].strings);
        arrfree(pcf->elements[i].references);
    }
    arrfree(pcf->elements);
    arena_free(&pcf->arena);
}

enum status pcf_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct pcf *out)
{
    *out = (struct pcf){0};
    struct reader reader = {.data = byte_reader(file->data, file->size), .out = out};
    bool is_read = file->size ? read_header(&reader) && read_words(&reader) &&
                                    read_elements(&reader) && read_attributes(&reader)
                              : fail(&reader, "empty file");
    arrfree(reader.words);
    if (is_read)
        return STATUS_OK;
    pcf_free(out);
    *out = (struct pcf){0};
    return diag_report(diag, DIAG_PCF_BROKEN, where, "%s", reader.fault);
}

bool pcf_is_system(const struct pcf_element *element)
{
    return str_equal_nocase(element->type, "DmeParticleSystemDefinition");
}
