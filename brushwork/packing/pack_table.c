#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "brushwork/packing/pack_auto.h"
#include "brushwork/shared/print.h"
#include "common/core/array.h"

/* In the order of the table. */
enum row_group {
    ROW_ADD,
    ROW_REMOVE,
    ROW_EXCLUDED,
    ROW_MISSING,
    ROW_NEEDLESS,
    ROW_PACKED,
    ROW_STOCK
};

static const char *const group_names[] = {"add",      "remove", "excluded", "missing",
                                          "needless", "packed", "stock"};

struct row {
    enum row_group group;
    const char *name;
    ptrdiff_t file; /* in usage.files; -1: packed, and used by nothing */
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    if (first->group != second->group)
        return first->group < second->group ? -1 : 1;
    return strcmp(first->name, second->name);
}

static enum row_group group_of(const struct pack_auto_result *result, const struct usage_file *file)
{
    switch (file->place) {
    case USAGE_OWN:
        return ROW_ADD;
    case USAGE_PACKED:
        if (result->is_pruned && file->is_copy)
            return ROW_REMOVE;
        return file->is_stock && !file->is_changed ? ROW_NEEDLESS : ROW_PACKED;
    case USAGE_STOCK:
        return ROW_STOCK;
    case USAGE_EXCLUDED:
        return ROW_EXCLUDED;
    case USAGE_MISSING:
    case USAGE_PLACES:
        break;
    }
    return ROW_MISSING;
}

/* Returns an stb_ds array. */
static struct row *rows_of(const struct pack_auto_result *result)
{
    const struct usage *usage = &result->usage;
    struct row *rows = NULL;
    for (size_t i = 0; i < arrlenu(usage->files); i++) {
        const struct usage_file *file = &usage->files[i];
        arrput(rows, ((struct row){group_of(result, file), file->name, (ptrdiff_t)i}));
    }
    for (size_t i = 0; i < arrlenu(usage->unneeded); i++)
        arrput(rows, ((struct row){pack_auto_removes(result, usage->unneeded[i]) ? ROW_REMOVE
                                                                                 : ROW_NEEDLESS,
                                   usage->unneeded[i], -1}));
    if (rows)
        qsort(rows, arrlenu(rows), sizeof *rows, compare_rows);
    return rows;
}

static const char *reason_of(const struct usage *usage, const struct row *row, struct arena *arena)
{
    if (row->file < 0)
        return "used by nothing";
    const char *why = usage_reason(usage, (size_t)row->file, arena);
    if (usage->files[row->file].is_shadowed)
        return arena_printf(arena, "%s (another version is here)", why);
    if (usage->files[row->file].is_changed)
        return arena_printf(arena, "%s (in the place of the game's)", why);
    return row->group == ROW_NEEDLESS || row->group == ROW_REMOVE
               ? arena_printf(arena, "%s (the game has it)", why)
               : why;
}

const char *pack_auto_summary(const struct pack_auto_result *result, struct arena *arena)
{
    const char *removed =
        result->is_pruned ? arena_printf(arena, "removed %zu, ", result->removed) : "";
    return arena_printf(arena,
                        "files added %zu (%" PRIu64
                        " bytes), %smissing %zu, packed before %zu, needless %zu, of the game %zu",
                        result->count[USAGE_OWN], result->added, removed,
                        result->count[USAGE_MISSING],
                        result->count[USAGE_PACKED] + arrlenu(result->usage.unneeded),
                        result->needless, result->count[USAGE_STOCK]);
}

void pack_auto_print_rows(const struct pack_auto_result *result, FILE *out)
{
    struct row *rows = rows_of(result);
    struct arena scratch = {0};
    int width = 0;
    for (size_t i = 0; i < arrlenu(rows); i++)
        if (strlen(rows[i].name) <= 60 && (int)strlen(rows[i].name) > width)
            width = (int)strlen(rows[i].name);
    for (size_t i = 0; i < arrlenu(rows); i++) {
        const char *why = reason_of(&result->usage, &rows[i], &scratch);
        print_safely(arena_printf(&scratch, "%-8s  %-*s  %s", group_names[rows[i].group], width,
                                  rows[i].name, why),
                     out);
        fputc('\n', out);
        arena_reset(&scratch);
    }
    arena_free(&scratch);
    arrfree(rows);
}

void pack_auto_print(const struct pack_auto_result *result, FILE *out)
{
    struct arena scratch = {0};
    pack_auto_print_rows(result, out);
    fprintf(out, "%s\n", pack_auto_summary(result, &scratch));
    arena_free(&scratch);
}

static json_t *row_json(const struct pack_auto_result *result, const struct row *row)
{
    const struct usage *usage = &result->usage;
    struct arena scratch = {0};
    json_t *object = json_object();
    json_object_set_new(object, "name", print_json_text(row->name));
    json_object_set_new(object, "status", json_string(group_names[row->group]));
    json_object_set_new(object, "reason", print_json_text(reason_of(usage, row, &scratch)));
    if (row->file >= 0) {
        const struct usage_file *file = &usage->files[row->file];
        json_object_set_new(object, "kind", json_string(usage_kind_name(file->kind)));
        if (file->from >= 0)
            json_object_set_new(object, "from", print_json_text(usage->files[file->from].name));
        if (result->sources[row->file])
            json_object_set_new(object, "source", print_json_text(result->sources[row->file]));
        if (row->group == ROW_ADD)
            json_object_set_new(object, "bytes",
                                json_integer((json_int_t)result->sizes[row->file]));
        if (file->is_shadowed)
            json_object_set_new(object, "hidden", json_true());
    }
    arena_free(&scratch);
    return object;
}

void pack_auto_print_json(const struct pack_auto_result *result, const char *path, FILE *out)
{
    struct row *rows = rows_of(result);
    json_t *object = print_json_object(), *files = json_array();
    json_object_set_new(object, "file", print_json_text(path));
    json_object_set_new(object, "bytes", json_integer((json_int_t)result->added));
    json_object_set_new(object, "knows_sounds", json_boolean(result->usage.knows_sounds));
    json_object_set_new(object, "knows_particles", json_boolean(result->usage.knows_effects));
    for (size_t i = 0; i < arrlenu(rows); i++)
        json_array_append_new(files, row_json(result, &rows[i]));
    json_object_set_new(object, "files", files);
    print_json(object, out);
    arrfree(rows);
}
