#include "vbsp/load_report.h"

#include "common/core/array.h"
#include "vbsp/entity_class.h"

static void report_class(const struct compile *compile, const struct class_row *row,
                         const struct map_entity *first, size_t count)
{
    struct diag_where where = map_where(compile->source, first, NULL, NULL);
    if (row->loss)
        diag_report(compile->env->diag, DIAG_CLASS_NOT_COMPILED, &where,
                    "%s (%zu in the map) is not compiled yet: %s", row->name, count, row->loss);
    else
        diag_report(compile->env->diag, DIAG_VISCLUSTER, &where,
                    "%s (%zu in the map) has no effect yet: leaves keep their own clusters",
                    row->name, count);
}

static void report_classes(const struct compile *compile)
{
    size_t counts[CLASS_ROWS] = {0};
    const struct map_entity *firsts[CLASS_ROWS] = {NULL};
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *source = compile->entities[i].source;
        const struct class_row *row = class_row_of(&source->keys);
        if (!row)
            continue;
        ptrdiff_t number = row - class_rows;
        if (!counts[number]++)
            firsts[number] = source;
    }
    for (int i = 0; i < CLASS_ROWS; i++)
        if (counts[i] && (class_rows[i].loss || class_rows[i].use == USE_VISCLUSTER))
            report_class(compile, &class_rows[i], firsts[i], counts[i]);
}

enum { NAMED_IDS = 8 };

static void report_displacements(const struct compile *compile)
{
    struct map_brush *const *brushes = compile->displacement_brushes;
    if (!arrlen(brushes))
        return;
    struct arena scratch = {0};
    const char *ids = "";
    int sides = 0;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        for (int j = 0; j < brushes[i]->side_count; j++)
            sides += brushes[i]->sides[j].displacement;
        if (i < NAMED_IDS)
            ids = arena_printf(&scratch, "%s%s%d", ids, i ? ", " : "", brushes[i]->source->id);
    }
    struct diag_where where = brush_where(compile, brushes[0], NULL);
    diag_report(compile->env->diag, DIAG_DISPLACEMENT_FLAT, &where,
                "%d displacements are not compiled yet: their faces stay flat and block nothing "
                "(solids %s%s)",
                sides, ids, arrlen(brushes) > NAMED_IDS ? " ..." : "");
    arena_free(&scratch);
}

void load_report_losses(const struct compile *compile)
{
    report_classes(compile);
    report_displacements(compile);
}
