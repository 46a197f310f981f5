/* Limits that are known to be exceeded before the bsp is complete: checked then, since a map that
 * is too large for the format is also one that takes longest. */
#include <string.h>

#include "common/core/array.h"
#include "vbsp/report/report.h"

static int64_t use_when_loaded(const struct compile *compile, const char *limit)
{
    int64_t brushes = arrlen(compile->brushes), sides = 0, max_sides = 0, models = 0;
    for (int64_t i = 0; i < brushes; i++) {
        int drawn = map_brush_drawn_sides(compile->brushes[i]);
        sides += compile->brushes[i]->side_count;
        max_sides = drawn > max_sides ? drawn : max_sides;
    }
    for (ptrdiff_t i = 0; i < arrlen(compile->entities); i++)
        models += compile->entities[i].model >= 0;
    return strcmp(limit, "brushes") == 0            ? brushes
           : strcmp(limit, "brush sides") == 0      ? sides
           : strcmp(limit, "sides of a brush") == 0 ? max_sides
           : strcmp(limit, "models") == 0           ? models
                                                    : 0;
}

enum status limits_check_loaded(const struct compile *compile, struct limit_report *out)
{
    const struct bsp_format *format = compile->options->format;
    bool exceeded = false;
    if (!format)
        return STATUS_OK;
    out->format = format;
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = bsp_limit_at(format, i);
        struct limit_use use = {.limit = limit, .used = use_when_loaded(compile, limit->name)};
        arrput(out->uses, use);
        exceeded |= use.used > limit->accepted;
    }
    if (exceeded)
        return limits_check_uses(compile, out);
    limit_report_free(out);
    return STATUS_OK;
}

bool limits_allow_nodes(const struct compile *compile, int64_t nodes)
{
    const struct bsp_format *format = compile->options->format;
    return nodes <= bsp_limit_accepted(format, "nodes") &&
           nodes <= bsp_limit_accepted(format, "leaves");
}
