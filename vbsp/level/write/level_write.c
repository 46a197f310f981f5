#include "vbsp/level/write/level_write.h"

#include "common/bsp/export/map_side_write.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* Of materials whose image nobody knows. */
enum { IMAGE_SIZE = 128 };

struct level_writer {
    const struct level *level;
    const struct level_write_options *options;
    struct bytes *out;
    struct arena scratch;
    int next_id;    /* of a VMF */
    size_t sheared; /* sides of a .map whose texture the form cannot express */
};

static void image_size(const struct level_writer *writer, const char *material, int size[2])
{
    size[0] = size[1] = IMAGE_SIZE;
    if (writer->options->image_size)
        writer->options->image_size(writer->options->context, material, size);
}

/* How the texture lies, in images. */
static struct side_texture texture_of(const struct map_side *side, const int image[2])
{
    const struct map_texture_axis *axes[2] = {&side->u, &side->v};
    struct side_texture texture = {.shader = side->material};
    for (int k = 0; k < 2; k++) {
        double size = side->mapped_in_images ? 1 : image[k];
        texture.rows[k] = vec3_scale(axes[k]->axis, 1 / (axes[k]->scale * size));
        texture.shifts[k] = axes[k]->shift / size;
    }
    return texture;
}

/* Keys and values hold no quotes and stay in their line. */
static void write_text(const char *text, struct bytes *out)
{
    bytes_append_text(out, "\"");
    for (; *text; text++)
        bytes_u8(out, *text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : (uint8_t)*text);
    bytes_append_text(out, "\"");
}

static void write_keys(const struct level_writer *writer, const struct map_entity *entity,
                       const char *indent)
{
    for (size_t i = 0; i < arrlenu(entity->keys.pairs); i++) {
        bytes_append_text(writer->out, "%s", indent);
        write_text(entity->keys.pairs[i].key, writer->out);
        bytes_append_text(writer->out, " ");
        write_text(entity->keys.pairs[i].value, writer->out);
        bytes_append_text(writer->out, "\n");
    }
}

/* --- .map --- */

static void write_map_side(struct level_writer *writer, const struct map_side *side)
{
    struct map_side_text text = {.form = writer->options->form,
                                 .shader = side->material,
                                 .points = side->points,
                                 .has_texture = true,
                                 .contents = side->contents};
    if (!plane_from_points(side->points[0], side->points[1], side->points[2], &text.plane))
        return;
    image_size(writer, side->material, text.image);
    text.texture = texture_of(side, text.image);
    writer->sheared += !map_side_write(&text, writer->out);
}

static void write_map_patch(struct level_writer *writer, const struct map_patch *patch)
{
    size_t count = (size_t)patch->columns * (size_t)patch->rows;
    struct map_control_point *points =
        ARENA_ARRAY(&writer->scratch, struct map_control_point, count);
    int image[2] = {1, 1};
    if (patch->mapped_in_texels)
        image_size(writer, patch->material, image);
    for (size_t i = 0; i < count; i++) {
        points[i].p = patch->points[i].p;
        for (int k = 0; k < 2; k++)
            points[i].texture[k] = patch->points[i].texture[k] / image[k];
    }
    map_patch_write(patch->material, patch->columns, patch->rows, points, writer->out);
    arena_reset(&writer->scratch);
}

static void write_map_entity(struct level_writer *writer, const struct map_entity *entity)
{
    bool primitives = writer->options->form == MAP_FORM_PRIMITIVES;
    write_keys(writer, entity, "");
    size_t number = 0;
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        bytes_append_text(writer->out, "// brush %zu\n{\n%s", number++,
                          primitives ? "brushDef\n{\n" : "");
        for (size_t k = 0; k < arrlenu(entity->solids[i].sides); k++)
            write_map_side(writer, &entity->solids[i].sides[k]);
        bytes_append_text(writer->out, primitives ? "}\n}\n" : "}\n");
    }
    for (size_t i = 0; i < arrlenu(entity->patches); i++) {
        bytes_append_text(writer->out, "// brush %zu\n{\n", number++);
        write_map_patch(writer, &entity->patches[i]);
        bytes_append_text(writer->out, "}\n");
    }
}

size_t level_write_map(const struct level *level, const struct level_write_options *options,
                       struct bytes *out)
{
    static const char *const formats[] = {"Quake3", "Valve", "Quake3 (legacy)"};
    struct level_writer writer = {.level = level, .options = options, .out = out};
    if (options->game)
        bytes_append_text(out, "// Game: %s\n// Format: %s\n", options->game,
                          formats[options->form]);
    for (size_t i = 0; i < arrlenu(level->entities); i++) {
        bytes_append_text(out, "// entity %zu\n{\n", i);
        write_map_entity(&writer, &level->entities[i]);
        bytes_append_text(out, "}\n");
    }
    arena_free(&writer.scratch);
    return writer.sheared;
}

/* --- VMF --- */

static void write_axis(const struct map_texture_axis *axis, double row_scale, double shift,
                       const char *name, struct bytes *out)
{
    struct vec3 unit = vec3_normalize(axis->axis);
    double length = vec3_length(axis->axis) * row_scale;
    bytes_append_text(out, "\t\t\t\"%s\" \"[%.10g %.10g %.10g %.10g] %.10g\"\n", name, unit.x + 0.0,
                      unit.y + 0.0, unit.z + 0.0, shift, length > 0 ? 1 / length : 1);
}

static void write_vmf_side(struct level_writer *writer, const struct map_side *side)
{
    struct bytes *out = writer->out;
    int image[2];
    image_size(writer, side->material, image);
    bytes_append_text(out, "\t\tside\n\t\t{\n\t\t\t\"id\" \"%d\"\n\t\t\t\"plane\" \"",
                      writer->next_id++);
    for (int i = 0; i < 3; i++)
        bytes_append_text(out, "%s(%.10g %.10g %.10g)", i ? " " : "", side->points[i].x + 0.0,
                          side->points[i].y + 0.0, side->points[i].z + 0.0);
    bytes_append_text(out, "\"\n\t\t\t\"material\" ");
    write_text(side->material, out);
    bytes_append_text(out, "\n");
    const struct map_texture_axis *axes[2] = {&side->u, &side->v};
    for (int k = 0; k < 2; k++) {
        double size = side->mapped_in_images ? image[k] : 1;
        write_axis(axes[k], size / axes[k]->scale, axes[k]->shift * size, k ? "vaxis" : "uaxis",
                   out);
    }
    bytes_append_text(out,
                      "\t\t\t\"rotation\" \"0\"\n\t\t\t\"lightmapscale\" \"%g\"\n"
                      "\t\t\t\"smoothing_groups\" \"%u\"\n\t\t}\n",
                      side->lightmap_scale > 0 ? side->lightmap_scale : 16, side->smoothing_groups);
}

static void write_vmf_entity(struct level_writer *writer, const struct map_entity *entity,
                             const char *block)
{
    struct bytes *out = writer->out;
    bytes_append_text(out, "%s\n{\n\t\"id\" \"%d\"\n", block, writer->next_id++);
    write_keys(writer, entity, "\t");
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        bytes_append_text(out, "\tsolid\n\t{\n\t\t\"id\" \"%d\"\n", writer->next_id++);
        for (size_t k = 0; k < arrlenu(entity->solids[i].sides); k++)
            write_vmf_side(writer, &entity->solids[i].sides[k]);
        bytes_append_text(out, "\t}\n");
    }
    bytes_append_text(out, "}\n");
}

void level_write_vmf(const struct level *level, const struct level_write_options *options,
                     struct bytes *out)
{
    struct level_writer writer = {.level = level, .options = options, .out = out, .next_id = 1};
    bytes_append_text(out,
                      "versioninfo\n{\n\t\"mapversion\" \"%d\"\n\t\"formatversion\" \"100\"\n}\n",
                      level->revision > 0 ? level->revision : 1);
    for (size_t i = 0; i < arrlenu(level->entities); i++)
        write_vmf_entity(&writer, &level->entities[i], i ? "entity" : "world");
    arena_free(&writer.scratch);
}
