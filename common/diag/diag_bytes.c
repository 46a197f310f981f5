#include "common/diag/diag_bytes.h"

#include <math.h>
#include <string.h>

#include "common/core/arena.h"
#include "common/diag/diag_property.h"

/* Instances within instances. */
enum { DEPTH_MAX = 64, PLACE_MIN = 45 /* bytes */ };

enum where_flag { HAS_FILE = 1, IS_COUNTED = 2, HAS_POINT = 4, IS_PLACED = 16 };

static void append_where(const struct diag_where *where, struct bytes *out);

static void append_property(const struct diag_property *property, struct bytes *out)
{
    bytes_u8(out, (uint8_t)property->name);
    switch (diag_property_info(property->name)->kind) {
    case DIAG_KIND_TEXT:
        bytes_sized_text(out, property->text);
        break;
    case DIAG_KIND_BOOL:
        bytes_u8(out, property->is_true);
        break;
    case DIAG_KIND_NUMBERS:
        bytes_u32(out, (uint32_t)property->count);
        bytes_append(out, property->numbers, property->count * sizeof *property->numbers);
        break;
    case DIAG_KIND_PLACES:
        bytes_u32(out, (uint32_t)property->count);
        for (size_t i = 0; i < property->count; i++)
            append_where(&property->places[i], out);
        break;
    }
}

static void append_where(const struct diag_where *where, struct bytes *out)
{
    bytes_u8(out,
             (uint8_t)((where->file ? HAS_FILE : 0) | (where->counted ? IS_COUNTED : 0) |
                       (where->has_point ? HAS_POINT : 0) | (where->placed_by ? IS_PLACED : 0)));
    if (where->file)
        bytes_sized_text(out, where->file);
    bytes_i32(out, where->line);
    bytes_i32(out, where->entity_id);
    bytes_i32(out, where->solid_id);
    bytes_i32(out, where->side_id);
    bytes_append(out, where->point, sizeof where->point);
    bytes_u32(out, (uint32_t)where->property_count);
    for (size_t i = 0; i < where->property_count; i++)
        append_property(&where->properties[i], out);
    if (where->placed_by)
        append_where(where->placed_by, out);
}

/* Places within places. */
static bool is_too_deep(const struct diag_where *where)
{
    for (int depth = 0; where; where = where->placed_by)
        if (++depth > DEPTH_MAX)
            return true;
    return false;
}

bool diag_append(const struct diag *diag, struct bytes *out)
{
    size_t count = diag_entries(diag);
    for (size_t i = 0; i < count; i++)
        if (is_too_deep(&diag_entry(diag, i)->where))
            return false;
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        bytes_i32(out, entry->code);
        bytes_u8(out, (uint8_t)entry->severity);
        bytes_sized_text(out, entry->message);
        append_where(&entry->where, out);
    }
    return true;
}

static const char *read_text(struct byte_reader *from, struct arena *arena)
{
    const char *text = read_sized_text(from, arena);
    return text ? text : "";
}

static void read_numbers(struct byte_reader *from, double *out, size_t count)
{
    const unsigned char *data = read_block(from, count * sizeof *out);
    if (data)
        memcpy(out, data, count * sizeof *out);
    for (size_t i = 0; data && i < count; i++)
        if (!isfinite(out[i]))
            from->failed = true;
}

/* Returns how many there are, each of at least so many bytes, or 0: there are not so many. */
static size_t read_count(struct byte_reader *from, size_t bytes)
{
    uint32_t count = read_u32(from);
    if (count > (from->size - from->at) / bytes)
        from->failed = true;
    return from->failed ? 0 : count;
}

static struct diag_where read_where(struct byte_reader *from, struct arena *arena, int depth);

/* Lists of any length are of points. */
static void read_number_list(struct byte_reader *from, const struct diag_property_info *info,
                             struct arena *arena, struct diag_property *out)
{
    out->count = read_count(from, sizeof *out->numbers);
    if (info->count ? out->count != info->count : out->count % 3 != 0)
        from->failed = true;
    if (from->failed)
        return;
    double *numbers = ARENA_ARRAY(arena, double, out->count);
    read_numbers(from, numbers, out->count);
    out->numbers = numbers;
}

static void read_places(struct byte_reader *from, struct arena *arena, int depth,
                        struct diag_property *out)
{
    out->count = read_count(from, PLACE_MIN);
    struct diag_where *places = ARENA_ARRAY(arena, struct diag_where, out->count);
    for (size_t i = 0; i < out->count && !from->failed; i++)
        places[i] = read_where(from, arena, depth + 1);
    out->places = places;
}

static struct diag_property read_property(struct byte_reader *from, struct arena *arena, int depth)
{
    struct diag_property property = {.name = read_u8(from)};
    const struct diag_property_info *info = diag_property_info(property.name);
    if (!info) {
        from->failed = true;
        return property;
    }
    switch (info->kind) {
    case DIAG_KIND_TEXT:
        property.text = read_text(from, arena);
        break;
    case DIAG_KIND_BOOL:
        property.is_true = read_u8(from) != 0;
        break;
    case DIAG_KIND_NUMBERS:
        read_number_list(from, info, arena, &property);
        break;
    case DIAG_KIND_PLACES:
        read_places(from, arena, depth, &property);
        break;
    }
    return property;
}

static void read_properties(struct byte_reader *from, struct arena *arena, int depth,
                            struct diag_where *where)
{
    size_t count = read_count(from, 2);
    if (!count)
        return;
    struct diag_property *list = ARENA_ARRAY(arena, struct diag_property, count);
    for (size_t i = 0; i < count && !from->failed; i++)
        list[i] = read_property(from, arena, depth);
    where->properties = list;
    where->property_count = from->failed ? 0 : count;
}

static struct diag_where read_where(struct byte_reader *from, struct arena *arena, int depth)
{
    struct diag_where where = {0};
    uint8_t flags = read_u8(from);
    if (flags & HAS_FILE)
        where.file = read_text(from, arena);
    where.line = read_i32(from);
    where.entity_id = read_i32(from);
    where.solid_id = read_i32(from);
    where.side_id = read_i32(from);
    where.counted = (flags & IS_COUNTED) != 0;
    where.has_point = (flags & HAS_POINT) != 0;
    read_numbers(from, where.point, 3);
    if (depth > DEPTH_MAX)
        from->failed = true;
    if (!from->failed)
        read_properties(from, arena, depth, &where);
    if ((flags & IS_PLACED) && !from->failed) {
        struct diag_where *outer = ARENA_NEW(arena, struct diag_where);
        *outer = read_where(from, arena, depth + 1);
        where.placed_by = outer;
    }
    return where;
}

bool diag_read(struct byte_reader *from, struct diag *diag)
{
    uint32_t count = read_u32(from);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        struct arena arena = {0};
        int32_t code = read_i32(from);
        uint8_t severity = read_u8(from);
        const char *message = read_text(from, &arena);
        struct diag_where where = read_where(from, &arena, 0);
        if (!diag_info(code) || severity >= DIAG_SEVERITIES)
            from->failed = true;
        if (!from->failed)
            (void)diag_report_as(diag, (enum diag_severity)severity, code, &where, "%s", message);
        arena_free(&arena);
    }
    return !from->failed;
}
