#include "ballance/bmx/dump_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

/* --- name index --- */

static int order(const void *a, const void *b)
{
    const struct name_entry *left = a, *right = b;
    int names = bmx_text_compare(left->name, right->name);
    return names ? names : (left->block > right->block) - (left->block < right->block);
}

void name_index_make(struct name_index *index, const struct bmx *bmx, enum bmx_kind kind)
{
    size_t count = bmx_count(bmx, kind);
    for (size_t i = 0; i < count; i++)
        arrput(index->entries, ((struct name_entry){bmx_name(bmx, kind, i), (uint32_t)i}));
    if (count)
        qsort(index->entries, count, sizeof *index->entries, order);
}

void name_index_free(struct name_index *index)
{
    arrfree(index->entries);
}

/* Returns the first entry that is not before the name. */
static size_t lower_bound(const struct name_index *index, const struct bmx_text *name)
{
    size_t low = 0, high = arrlenu(index->entries);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bmx_text_compare(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t name_index_find(const struct name_index *index, const struct bmx_text *name, uint32_t *block)
{
    size_t first = lower_bound(index, name), end = first;
    while (end < arrlenu(index->entries) && bmx_text_compare(index->entries[end].name, name) == 0)
        end++;
    if (end > first)
        *block = index->entries[first].block;
    return end - first;
}

/* --- dump blocks --- */

uint32_t dump_take_number(struct dump_reader *in, const char *keyword, uint32_t max)
{
    dump_expect(in, keyword);
    uint32_t value = (uint32_t)dump_number(in, max);
    dump_end_line(in);
    return value;
}

static uint8_t take_bool(struct dump_reader *in, const char *keyword)
{
    return (uint8_t)dump_take_number(in, keyword, UINT8_MAX);
}

void dump_take_floats(struct dump_reader *in, const char *keyword, float *out, int count)
{
    dump_expect(in, keyword);
    for (int i = 0; i < count; i++) {
        float value = dump_float(in);
        memcpy(&out[i], &value, sizeof value);
    }
    dump_end_line(in);
}

static void put(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text));
}

void dump_put_floats(struct bytes *out, const char *keyword, const float *values, size_t count)
{
    put(out, keyword);
    for (size_t i = 0; i < count; i++)
        dump_put_float(out, values[i]);
    put(out, "\n");
}

void dump_put_number_line(struct bytes *out, const char *keyword, uint32_t value)
{
    put(out, keyword);
    dump_put_number(out, value);
    put(out, "\n");
}

void dump_take_material(struct dump_reader *in, struct bmx_material *material)
{
    dump_take_floats(in, "ambient", material->ambient, 3);
    dump_take_floats(in, "diffuse", material->diffuse, 3);
    dump_take_floats(in, "specular", material->specular, 3);
    dump_take_floats(in, "emissive", material->emissive, 3);
    dump_take_floats(in, "power", &material->power, 1);
    material->alpha_test = take_bool(in, "alpha_test");
    material->alpha_blend = take_bool(in, "alpha_blend");
    material->z_buffer = take_bool(in, "z_buffer");
    material->two_sided = take_bool(in, "two_sided");
    material->use_texture = take_bool(in, "use_texture");
}

void dump_take_texture(struct dump_reader *in, struct bmx_texture *texture)
{
    dump_expect(in, "file");
    texture->file_name = dump_text(in);
    dump_end_line(in);
    texture->is_external = take_bool(in, "external");
}

void dump_put_material(struct bytes *out, const struct bmx_material *material)
{
    dump_put_floats(out, "  ambient", material->ambient, 3);
    dump_put_floats(out, "  diffuse", material->diffuse, 3);
    dump_put_floats(out, "  specular", material->specular, 3);
    dump_put_floats(out, "  emissive", material->emissive, 3);
    dump_put_floats(out, "  power", &material->power, 1);
    dump_put_number_line(out, "  alpha_test", material->alpha_test);
    dump_put_number_line(out, "  alpha_blend", material->alpha_blend);
    dump_put_number_line(out, "  z_buffer", material->z_buffer);
    dump_put_number_line(out, "  two_sided", material->two_sided);
    dump_put_number_line(out, "  use_texture", material->use_texture);
}

void dump_put_texture(struct bytes *out, const struct bmx_texture *texture)
{
    put(out, "  file");
    dump_put_text(out, &texture->file_name);
    put(out, "\n");
    dump_put_number_line(out, "  external", texture->is_external);
}
