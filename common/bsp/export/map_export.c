#include "common/bsp/export/map_export.h"

#include <string.h>

#include "common/assets/shaders/shader.h"
#include "common/bsp/bsp.h"
#include "common/bsp/export/map_side_write.h"
#include "common/bsp/export/pieces.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"
#include "common/text/entities.h"

/* A brush as the sides that enclose its volume. */

struct solid_side {
    int number; /* in bsp->brush_sides */
    struct plane plane;
    struct winding *winding;
};

struct solid {
    int count;
    struct solid_side *sides;
    struct bounds bounds;
};

/* Planes of the file are in single precision: corners far out are not more exact than this. */
#define CLIP_EPSILON 0.01

/* A volume that grows by more when slivers of sides are left out needs them. */
#define MAX_GROWTH 0.25

struct sides {
    size_t count;
    struct plane *planes;
    int *numbers;
};

static bool is_known(const struct sides *sides, const struct plane *plane)
{
    for (size_t i = 0; i < sides->count; i++)
        if (vec3_distance(sides->planes[i].normal, plane->normal) < EPSILON_PLANE_NORMAL &&
            fabs(sides->planes[i].dist - plane->dist) < EPSILON_PLANE_DIST)
            return true;
    return false;
}

static struct sides gather_sides(const struct bsp *bsp, const struct bsp_brush *brush,
                                 struct arena *arena)
{
    struct sides sides = {0, ARENA_ARRAY(arena, struct plane, (size_t)brush->side_count),
                          ARENA_ARRAY(arena, int, (size_t)brush->side_count)};
    for (int i = 0; i < brush->side_count; i++) {
        int number = brush->first_side + i;
        const struct bsp_plane *record = &bsp->planes[bsp->brush_sides[number].plane];
        struct vec3 normal = vec3_from_floats(record->normal);
        double length = vec3_length(normal);
        struct plane plane = {vec3_scale(normal, 1 / length), (double)record->dist / length};
        if (!(length > 0) || !isfinite(plane.dist) || is_known(&sides, &plane))
            continue;
        sides.planes[sides.count] = plane;
        sides.numbers[sides.count++] = number;
    }
    return sides;
}

/* Sets the sides with an area, or with any winding at all. */
static void enclose(const struct sides *sides, bool with_slivers, struct arena *arena,
                    struct solid *out)
{
    *out = (struct solid){.sides = ARENA_ARRAY(arena, struct solid_side, sides->count),
                          .bounds = bounds_empty()};
    for (size_t i = 0; i < sides->count; i++) {
        struct arena_mark mark = arena_mark(arena);
        struct winding *winding = winding_keep(
            arena, mark, winding_of_side(arena, sides->planes, sides->count, i, CLIP_EPSILON));
        if (!winding || winding->count < 3 || (!with_slivers && winding_is_tiny(winding)))
            continue;
        struct bounds bounds = winding_bounds(winding);
        bounds_add(&out->bounds, &bounds);
        out->sides[out->count++] =
            (struct solid_side){sides->numbers[i], sides->planes[i], winding};
    }
}

static bool is_larger(const struct bounds *a, const struct bounds *b)
{
    for (int k = 0; k < 3; k++)
        if (a->mins.e[k] < b->mins.e[k] - MAX_GROWTH || a->maxs.e[k] > b->maxs.e[k] + MAX_GROWTH)
            return true;
    return false;
}

/* Sides without an area are left out: those are bevels for collision. In the arena. Returns false
 * when the sides enclose nothing. */
static bool solid_of_brush(const struct bsp *bsp, const struct bsp_brush *brush,
                           struct arena *arena, struct solid *out)
{
    struct sides sides = gather_sides(bsp, brush, arena);
    struct solid whole, plain;
    enclose(&sides, true, arena, &whole);
    enclose(&sides, false, arena, out);
    sides.count = (size_t)out->count;
    for (int i = 0; i < out->count; i++) {
        sides.planes[i] = out->sides[i].plane;
        sides.numbers[i] = out->sides[i].number;
    }
    enclose(&sides, false, arena, &plain);
    *out = plain.count >= 4 && !is_larger(&plain.bounds, &whole.bounds) ? plain : whole;
    return out->count >= 4;
}

/* Returns a point inside. */
static struct vec3 solid_middle(const struct solid *solid)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < solid->count; i++)
        sum = vec3_add(sum, winding_center(solid->sides[i].winding));
    return vec3_scale(sum, 1.0 / solid->count);
}

/* --- map export --- */

/* Half the size of the brush that holds the origin of an entity. */
#define ORIGIN_HALF 8

struct map_writer {
    const struct bsp *bsp;
    const struct map_export_options *options;
    const char *const *shaders; /* names */
    struct bytes *out;
    struct map_export_counts *counts;
    struct arena arena;   /* for all */
    struct arena scratch; /* for a brush */
    bool is_mixed;        /* the brush */
    size_t primitives;    /* brushes and patches of the entity so far */
};

static void begin_primitive(struct map_writer *writer)
{
    bytes_append_text(writer->out, "// brush %zu\n{\n", writer->primitives++);
    if (writer->options->form == MAP_FORM_PRIMITIVES)
        bytes_append_text(writer->out, "brushDef\n{\n");
}

static void end_primitive(struct map_writer *writer)
{
    bytes_append_text(writer->out, "%s",
                      writer->options->form == MAP_FORM_PRIMITIVES ? "}\n}\n" : "}\n");
}

static void image_size(const struct map_writer *writer, const char *shader, int size[2])
{
    size[0] = size[1] = 64;
    if (writer->options->image_size)
        writer->options->image_size(writer->options->context, shader, size);
    for (int k = 0; k < 2; k++)
        size[k] = size[k] > 0 ? size[k] : 64;
}

/* For sides of solid brushes that are not drawn. */
static const char hidden_solid[] = "textures/common/caulk";

static bool is_bevel_shader(const char *name)
{
    return !*name || str_equal_nocase(name, "noshader");
}

/* Sets the shader and texture of a side. The BSP has the shader; what is drawn on a visible side of
 * a solid brush may have another, where the compiler replaced it. A visible side on which nothing
 * is drawn was hidden, and stays so. Sides that are not solid must not decide on the contents of a
 * solid brush either, unless they show something: compilers differ in which side does. */
static void find_texture(struct map_writer *writer, struct drawn_triangles *drawn,
                         const struct bsp_brush *brush, const struct solid_side *side,
                         struct map_side_text *text)
{
    const struct bsp *bsp = writer->bsp;
    const int number = bsp->brush_sides[side->number].texinfo;
    bool in_solid = brush->contents & Q3_CONTENTS_SOLID,
         solid = bsp_shader_contents(bsp, number) & Q3_CONTENTS_SOLID,
         visible = !(bsp_shader_surface(bsp, number) & Q3_SURFACE_NODRAW);
    text->shader = writer->shaders[number];
    text->has_texture = drawn_texture(drawn, &writer->scratch, text->shader, &side->plane,
                                      side->winding, &text->texture);
    if (text->has_texture && strcmp(text->texture.shader, text->shader) != 0) {
        text->has_texture = in_solid && solid && visible;
        if (text->has_texture)
            text->shader = text->texture.shader;
    }
    if (!text->has_texture && (is_bevel_shader(text->shader) || (in_solid && (!solid || visible))))
        text->shader = hidden_solid;
    writer->counts->hidden_sides += !text->has_texture;
    writer->is_mixed |= text->has_texture && in_solid && !solid;
    image_size(writer, text->shader, text->image);
}

/* The world's solid leaves are the volumes of its structural brushes: one with an open leaf in its
 * middle is detail, whether its contents say so or not. */
static bool is_detail(const struct map_writer *writer, const struct bsp_brush *brush,
                      const struct solid *solid, bool in_world)
{
    const int contents = brush->contents;
    if (contents & Q3_CONTENTS_DETAIL)
        return true;
    if (!in_world || !(contents & Q3_CONTENTS_SOLID) || contents & Q3_CONTENTS_TRANSLUCENT)
        return false;
    int leaf = bsp_leaf_at(writer->bsp, 0, solid_middle(solid));
    return writer->bsp->leaves[leaf].cluster >= 0;
}

static void write_brush(struct map_writer *writer, struct drawn_triangles *drawn,
                        const struct bsp_brush *brush, struct vec3 origin, bool in_world)
{
    struct map_export_counts *counts = writer->counts;
    struct solid solid;
    if (!solid_of_brush(writer->bsp, brush, &writer->scratch, &solid)) {
        counts->flat_brushes++;
        return;
    }
    const int contents = is_detail(writer, brush, &solid, in_world) ? Q3_CONTENTS_DETAIL : 0;
    writer->is_mixed = false;
    begin_primitive(writer);
    for (int i = 0; i < solid.count; i++) {
        const struct solid_side *side = &solid.sides[i];
        struct map_side_text text = {.form = writer->options->form,
                                     .plane = side->plane,
                                     .winding = side->winding,
                                     .origin = origin,
                                     .contents = contents};
        find_texture(writer, drawn, brush, side, &text);
        counts->sheared_sides += !map_side_write(&text, writer->out);
    }
    end_primitive(writer);
    counts->brushes++;
    counts->mixed_brushes += writer->is_mixed;
}

static void write_origin_brush(struct map_writer *writer, struct vec3 origin)
{
    begin_primitive(writer);
    for (int i = 0; i < 6; i++) {
        struct map_side_text text = {.form = writer->options->form,
                                     .shader = "textures/common/origin",
                                     .plane = {.dist = ORIGIN_HALF},
                                     .origin = origin};
        text.plane.normal.e[i / 2] = i % 2 ? 1 : -1;
        image_size(writer, text.shader, text.image);
        (void)map_side_write(&text, writer->out);
    }
    end_primitive(writer);
}

static void write_patch(struct map_writer *writer, const struct bsp_surface *surface,
                        struct vec3 origin)
{
    const int columns = surface->patch_size[0], rows = surface->patch_size[1];
    struct bytes *out = writer->out;
    struct map_control_point *points =
        ARENA_ARRAY(&writer->scratch, struct map_control_point, (size_t)columns * (size_t)rows);
    for (int i = 0; i < columns * rows; i++) {
        const struct bsp_draw_vertex *vertex =
            &writer->bsp->draw_vertices[surface->first_vertex + i];
        points[i].p = vec3_add(vec3_from_floats(vertex->p), origin);
        for (int k = 0; k < 2; k++)
            points[i].texture[k] = isfinite(vertex->texture[k]) ? (double)vertex->texture[k] : 0;
    }
    bytes_append_text(out, "// brush %zu\n{\n", writer->primitives++);
    map_patch_write(writer->shaders[surface->shader], columns, rows, points, out);
    bytes_append_text(out, "}\n");
    writer->counts->patches++;
}

static void write_model(struct map_writer *writer, int number, struct vec3 origin)
{
    const struct bsp *bsp = writer->bsp;
    const struct bsp_model *model = &bsp->models[number];
    struct drawn_triangles *drawn = drawn_triangles_new(bsp, model, writer->shaders);
    for (int i = 0; i < model->brush_count; i++) {
        write_brush(writer, drawn, &bsp->brushes[model->first_brush + i], origin, number == 0);
        arena_reset(&writer->scratch);
    }
    for (int i = 0; i < model->face_count; i++) {
        const struct bsp_surface *surface = &bsp->surfaces[model->first_face + i];
        if (surface->type == SURFACE_PATCH)
            write_patch(writer, surface, origin);
    }
    writer->counts->loose_triangles += drawn_loose(drawn);
    drawn_triangles_free(drawn);
}

static void write_text(const char *text, struct bytes *out)
{
    bytes_append(out, "\"", 1);
    for (; *text; text++) {
        char c = *text == '"' ? '\'' : (unsigned char)*text < ' ' ? ' ' : *text;
        bytes_append(out, &c, 1);
    }
    bytes_append(out, "\"", 1);
}

static void write_keys(const struct entity *entity, bool has_model, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(entity->pairs); i++) {
        const struct key_value *pair = &entity->pairs[i];
        if (has_model &&
            (str_equal_nocase(pair->key, "model") || str_equal_nocase(pair->key, "origin")))
            continue;
        write_text(pair->key, out);
        bytes_append(out, " ", 1);
        write_text(pair->value, out);
        bytes_append(out, "\n", 1);
    }
}

static void write_entity(struct map_writer *writer, const struct entity *entity)
{
    bool is_world = writer->counts->entities == 0;
    int model = model_of_entity(writer->bsp, entity, is_world);
    bytes_append_text(writer->out, "// entity %zu\n{\n", writer->counts->entities++);
    write_keys(entity, model > 0, writer->out);
    writer->primitives = 0;
    if (model >= 0) {
        struct vec3 origin = vec3(0, 0, 0);
        if (model > 0 && entity_vector(entity, "origin", &origin) && vec3_length(origin) > 0)
            write_origin_brush(writer, origin);
        write_model(writer, model, origin);
    }
    bytes_append_text(writer->out, "}\n");
}

static enum status write_entities(struct map_writer *writer, const char *text, size_t size,
                                  const char *name, struct diag *diag)
{
    struct entity_list list;
    TRY(entities_parse(text, size, name, diag, &list));
    for (size_t i = 0; i < arrlenu(list.entities); i++)
        write_entity(writer, &list.entities[i]);
    entities_free(&list);
    return STATUS_OK;
}

enum status map_export(const struct bsp *bsp, const struct map_export_options *options,
                       const char *name, struct diag *diag, struct bytes *out,
                       struct map_export_counts *counts)
{
    *counts = (struct map_export_counts){0};
    struct map_writer writer = {.bsp = bsp, .options = options, .out = out, .counts = counts};
    writer.shaders = shader_names(bsp, &writer.arena);
    enum status status = write_entities(&writer, bsp->entities, arrlenu(bsp->entities), name, diag);
    if (status == STATUS_OK && options->lights)
        status = write_entities(&writer, options->lights, options->lights_size, name, diag);
    arena_free(&writer.scratch);
    arena_free(&writer.arena);
    return status;
}
