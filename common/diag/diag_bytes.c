#include "common/diag/diag_bytes.h"

#include <math.h>
#include <string.h>

#include "common/core/arena.h"

/* Instances within instances. */
enum { DEPTH_MAX = 64 };

enum where_flag { HAS_FILE = 1, IS_COUNTED = 2, HAS_POINT = 4, IS_PLACED = 16 };

static bool has_properties(const struct diag_where *where)
{
    for (int depth = 0; where; where = where->placed_by)
        if (where->property_count || ++depth > DEPTH_MAX)
            return true;
    return false;
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
    if (where->placed_by)
        append_where(where->placed_by, out);
}

bool diag_append(const struct diag *diag, struct bytes *out)
{
    size_t count = diag_entries(diag);
    for (size_t i = 0; i < count; i++)
        if (has_properties(&diag_entry(diag, i)->where))
            return false;
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        bytes_u32(out, (uint32_t)entry->code);
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

static void read_numbers(struct byte_reader *from, double out[3])
{
    const unsigned char *data = read_block(from, 3 * sizeof *out);
    if (data)
        memcpy(out, data, 3 * sizeof *out);
    for (int i = 0; i < 3; i++)
        if (!isfinite(out[i]))
            from->failed = true;
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
    read_numbers(from, where.point);
    if (depth > DEPTH_MAX)
        from->failed = true;
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
        uint32_t code = read_u32(from);
        uint8_t severity = read_u8(from);
        const char *message = read_text(from, &arena);
        struct diag_where where = read_where(from, &arena, 0);
        if (code >= DIAG_CODES || severity >= DIAG_SEVERITIES)
            from->failed = true;
        if (!from->failed)
            (void)diag_report_as(diag, (enum diag_severity)severity, (enum diag_code)code, &where,
                                 "%s", message);
        arena_free(&arena);
    }
    return !from->failed;
}
