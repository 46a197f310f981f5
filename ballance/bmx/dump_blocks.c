#include "ballance/bmx/dump_blocks.h"

#include <string.h>

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
