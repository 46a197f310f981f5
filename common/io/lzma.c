#include "common/io/lzma.h"

#include <inttypes.h>
#include <lzma.h>

#include "common/diag/codes/lzma.def"
#include "common/io/library_memory.h"

enum {
    SMALLEST_DICTIONARY = 64 * 1024,
    LARGEST_DICTIONARY = 16 * 1024 * 1024,
    CHUNK = 64 * 1024,
    /* The longest match gives 273 bytes for 14 decisions, each of which costs at least log2(2048 /
     * 2017) bits. */
    MAX_FROM_A_BYTE = 7100,
    LUMP_SIZE_AT = 4,
    LUMP_PACKED_AT = 8,
    LUMP_PROPERTIES_AT = 12,
};

/* From 5.4 on liblzma can omit the end mark, and can detect whether a stream without one ends
 * properly. Before, a stream has the mark after the last byte: readers that know the size never
 * reach it. */
#ifdef LZMA_FILTER_LZMA1EXT
static const lzma_vli lzma1 = LZMA_FILTER_LZMA1EXT;
static const bool tells_the_end = true;

static void set_end(lzma_options_lzma *options, size_t size, bool may_have_mark)
{
    options->ext_flags = may_have_mark ? LZMA_LZMA1EXT_ALLOW_EOPM : 0;
    lzma_set_ext_size(*options, size);
}
#else
static const lzma_vli lzma1 = LZMA_FILTER_LZMA1;
static const bool tells_the_end = false;

static void set_end(lzma_options_lzma *options, size_t size, bool may_have_mark)
{
    (void)options;
    (void)size;
    (void)may_have_mark;
}
#endif

static const lzma_allocator allocator = {library_alloc, library_free, NULL};

/* Appends the coder's output to *out until it ends or has given `max` bytes. */
static lzma_ret drain(lzma_stream *stream, lzma_action action, size_t max, struct bytes *out)
{
    unsigned char *chunk = memory_alloc(CHUNK);
    lzma_ret result = LZMA_OK;
    size_t given = 0;
    while (result == LZMA_OK) {
        size_t room = max - given < CHUNK ? max - given : CHUNK;
        stream->next_out = chunk;
        stream->avail_out = room;
        result = lzma_code(stream, action);
        bytes_append(out, chunk, room - stream->avail_out);
        given += room - stream->avail_out;
        if (given == max && !tells_the_end)
            break;
    }
    memory_free(chunk);
    return result;
}

static bool decode(lzma_options_lzma *options, const void *packed, size_t packed_size, size_t size,
                   struct bytes *out)
{
    /* A match never reaches back further than the first byte. */
    if (options->dict_size > size)
        options->dict_size = size > LZMA_DICT_SIZE_MIN ? (uint32_t)size : LZMA_DICT_SIZE_MIN;
    set_end(options, size, true);
    lzma_filter filters[] = {{lzma1, options}, {LZMA_VLI_UNKNOWN, NULL}};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    if (lzma_raw_decoder(&stream, filters) != LZMA_OK)
        return false;
    size_t start = out->size;
    stream.next_in = packed;
    stream.avail_in = packed_size;
    lzma_ret result = drain(&stream, LZMA_FINISH, size, out);
    lzma_end(&stream);
    bool whole = out->size - start == size && (result == LZMA_STREAM_END || !tells_the_end);
    if (!whole)
        bytes_undo(out, start);
    return whole;
}

bool lzma_unpack(const unsigned char properties[LZMA_PROPERTIES], const void *packed,
                 size_t packed_size, size_t size, struct bytes *out)
{
    if (size / MAX_FROM_A_BYTE > packed_size)
        return false;
    lzma_filter filter = {.id = LZMA_FILTER_LZMA1};
    if (lzma_properties_decode(&filter, &allocator, properties, LZMA_PROPERTIES) != LZMA_OK)
        return false;
    bool done = decode(filter.options, packed, packed_size, size, out);
    memory_free(filter.options);
    return done;
}

static uint32_t dictionary_for(size_t size)
{
    uint32_t dictionary = SMALLEST_DICTIONARY;
    while (dictionary < size && dictionary < LARGEST_DICTIONARY)
        dictionary *= 2;
    return dictionary;
}

bool lzma_pack(const void *data, size_t size, unsigned char properties[LZMA_PROPERTIES],
               struct bytes *out)
{
    lzma_options_lzma options;
    if (lzma_lzma_preset(&options, 9 | LZMA_PRESET_EXTREME))
        return false;
    options.dict_size = dictionary_for(size);
    lzma_filter named = {LZMA_FILTER_LZMA1, &options};
    if (lzma_properties_encode(&named, properties) != LZMA_OK)
        return false;
    set_end(&options, size, false);
    lzma_filter filters[] = {{lzma1, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    if (lzma_raw_encoder(&stream, filters) != LZMA_OK)
        return false;
    size_t start = out->size;
    stream.next_in = data;
    stream.avail_in = size;
    lzma_ret result = drain(&stream, LZMA_FINISH, SIZE_MAX, out);
    lzma_end(&stream);
    if (result != LZMA_STREAM_END)
        bytes_undo(out, start);
    return result == LZMA_STREAM_END;
}

bool lzma_is_lump(const void *data, size_t size)
{
    return size >= LZMA_LUMP_HEADER && memcmp(data, "LZMA", LUMP_SIZE_AT) == 0;
}

uint32_t lzma_lump_size(const void *data, size_t size)
{
    const unsigned char *header = data;
    return lzma_is_lump(data, size) ? load_u32(header + LUMP_SIZE_AT) : 0;
}

enum status lzma_unpack_lump(const void *data, size_t size, size_t max,
                             const struct diag_where *where, struct diag *diag, struct bytes *out)
{
    const unsigned char *header = data;
    if (!lzma_is_lump(data, size))
        return diag_report(diag, DIAG_LZMA_DAMAGED, where, "no LZMA header");
    uint32_t claimed = load_u32(header + LUMP_SIZE_AT);
    uint32_t packed = load_u32(header + LUMP_PACKED_AT);
    if (packed > size - LZMA_LUMP_HEADER)
        return diag_report(diag, DIAG_LZMA_DAMAGED, where,
                           "header states %" PRIu32 " packed bytes, but there are %zu", packed,
                           size - LZMA_LUMP_HEADER);
    if (claimed > max)
        return diag_report(diag, DIAG_LZMA_DAMAGED, where,
                           "unpacks to %" PRIu32 " bytes; the maximum is %zu", claimed, max);
    if (!lzma_unpack(header + LUMP_PROPERTIES_AT, header + LZMA_LUMP_HEADER, packed, claimed, out))
        return diag_report(diag, DIAG_LZMA_DAMAGED, where,
                           "%" PRIu32 " packed bytes do not decode to %" PRIu32 " bytes", packed,
                           claimed);
    return STATUS_OK;
}

bool lzma_pack_lump(const void *data, size_t size, struct bytes *out)
{
    size_t start = out->size;
    unsigned char properties[LZMA_PROPERTIES];
    if (size > UINT32_MAX)
        return false;
    bytes_fill(out, 0, LZMA_LUMP_HEADER);
    bool packed = lzma_pack(data, size, properties, out);
    size_t packed_size = out->size - start - (packed ? LZMA_LUMP_HEADER : 0);
    if (!packed || packed_size > UINT32_MAX) {
        bytes_undo(out, start);
        return false;
    }
    struct bytes header = {0};
    bytes_append(&header, "LZMA", LUMP_SIZE_AT);
    bytes_u32(&header, (uint32_t)size);
    bytes_u32(&header, (uint32_t)packed_size);
    bytes_append(&header, properties, sizeof properties);
    memcpy(out->data + start, header.data, header.size);
    bytes_free(&header);
    out->size = start + LZMA_LUMP_HEADER + packed_size;
    return true;
}
