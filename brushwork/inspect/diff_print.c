/* Text and JSON output of `brushwork diff`. */
#include "brushwork/inspect/diff.h"

#include <math.h>
#include <string.h>

#include "brushwork/shared/print.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"

static void print_file(const struct diff_view *view, int side, FILE *out)
{
    const struct bsp *bsp = view->bsp[side];
    fprintf(out, "%c: ", 'A' + side);
    print_safely(view->paths[side], out);
    fprintf(out, ": %s (%s), revision %d, %lld bytes\n", bsp->format->title, bsp->format->target,
            bsp->revision, (long long)bsp->layout.size);
}

static void print_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(*name == '_' ? ' ' : *name, out);
}

static bool is_whole(double value)
{
    return fabs(value) < 1e15 && value == floor(value);
}

static void print_section(const struct bsp_diff_section *section, FILE *out)
{
    fprintf(out, "%-16s %9lld %9lld %9lld ", section->name, (long long)section->count[0],
            (long long)section->count[1], (long long)section->differing);
    if (!section->differing)
        fputs(" same", out);
    for (size_t i = 0; i < arrlenu(section->figures); i++) {
        const struct bsp_diff_figure *figure = &section->figures[i];
        fputs(i || !section->differing ? ", " : " ", out);
        print_name(figure->name, out);
        fprintf(out, is_whole(figure->value) ? " %.0f" : " %.4g", figure->value);
    }
    fputc('\n', out);
}

static void print_examples(const struct bsp_diff_section *section, FILE *out)
{
    if (!arrlen(section->examples))
        return;
    fprintf(out, "\n%s\n", section->name);
    for (size_t i = 0; i < arrlenu(section->examples); i++) {
        fputs("  ", out);
        print_safely(section->examples[i], out);
        fputc('\n', out);
    }
}

void diff_print(const struct diff_view *view, FILE *out)
{
    const struct bsp_diff_section *sections = view->diff->sections;
    for (int side = 0; side < 2; side++)
        print_file(view, side, out);
    fputs("\nsection                  A         B    differ\n", out);
    for (size_t i = 0; i < arrlenu(sections); i++)
        if (sections[i].count[0] || sections[i].count[1] || sections[i].differing)
            print_section(&sections[i], out);
    for (size_t i = 0; i < arrlenu(sections) && !view->summary; i++)
        print_examples(&sections[i], out);
    fputs(bsp_diff_is_same(view->diff) ? "\nthe same\n" : "\ndifferent\n", out);
}

static json_t *json_file(const struct diff_view *view, int side)
{
    const struct bsp *bsp = view->bsp[side];
    json_t *object = json_object();
    json_object_set_new(object, "file", print_json_text(view->paths[side]));
    json_object_set_new(object, "format", json_string(bsp->format->title));
    json_object_set_new(object, "target", json_string(bsp->format->target));
    json_object_set_new(object, "bsp_version", json_integer(bsp->format->version));
    json_object_set_new(object, "revision", json_integer(bsp->revision));
    json_object_set_new(object, "bytes", json_integer((json_int_t)bsp->layout.size));
    return object;
}

/* Prints counts as integers. */
static json_t *json_figure(double value)
{
    if (is_whole(value))
        return json_integer((json_int_t)value);
    return json_real(value);
}

static json_t *json_section(const struct bsp_diff_section *section)
{
    json_t *object = json_object(), *figures = json_object(), *examples = json_array();
    for (size_t i = 0; i < arrlenu(section->figures); i++)
        json_object_set_new(figures, section->figures[i].name,
                            json_figure(section->figures[i].value));
    for (size_t i = 0; i < arrlenu(section->examples); i++)
        json_array_append_new(examples, print_json_text(section->examples[i]));
    json_object_set_new(object, "name", json_string(section->name));
    json_object_set_new(object, "a", json_integer((json_int_t)section->count[0]));
    json_object_set_new(object, "b", json_integer((json_int_t)section->count[1]));
    json_object_set_new(object, "differing", json_integer((json_int_t)section->differing));
    json_object_set_new(object, "metrics", figures);
    json_object_set_new(object, "examples", examples);
    return object;
}

void diff_print_json(const struct diff_view *view, FILE *out)
{
    json_t *object = print_json_object(), *sections = json_array();
    for (size_t i = 0; i < arrlenu(view->diff->sections); i++)
        json_array_append_new(sections, json_section(&view->diff->sections[i]));
    json_object_set_new(object, "a", json_file(view, 0));
    json_object_set_new(object, "b", json_file(view, 1));
    json_object_set_new(object, "same", json_boolean(bsp_diff_is_same(view->diff)));
    json_object_set_new(object, "sections", sections);
    print_json(object, out);
}
