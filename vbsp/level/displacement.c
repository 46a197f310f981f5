#include "vbsp/level/displacement.h"

#include <string.h>

#include "common/core/strings.h"
#include "common/geom/epsilon.h"

/* Maximum valid distance of a vertex from its side. */
#define VECTOR_LIMIT (WORLD_LIMIT * 4)

struct row_reader {
    struct arena scratch;
    const struct kv *block; /* the dispinfo */
    int missing;
    bool beyond; /* some number exceeds the limit */
};

/* Returns the `count` numbers of row `row` of a list, 0 where the list has none. A missing list is
 * all zeros: older editors wrote fewer lists. */
static const double *read_row(struct row_reader *reader, const char *list, int row, int count)
{
    arena_reset(&reader->scratch);
    double *numbers = ARENA_ARRAY(&reader->scratch, double, (size_t)count);
    const struct kv *rows = kv_find(reader->block, list);
    if (!rows || rows->value)
        return numbers;
    const char *text = kv_value(rows, arena_printf(&reader->scratch, "row%d", row));
    int have = text ? (int)str_to_doubles(text, numbers, (size_t)count) : 0;
    for (int i = 0; i < count; i++) {
        if (i >= have)
            numbers[i] = 0;
        if (fabs(numbers[i]) > VECTOR_LIMIT)
            reader->beyond = true;
    }
    reader->missing += count - have;
    return numbers;
}

static struct vec3 triple(const double *numbers, int index)
{
    return vec3(numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]);
}

static void read_vertex_row(struct row_reader *reader, int row, struct map_displacement *out)
{
    int side = out->side;
    struct map_displacement_vertex *vertices = out->vertices + (size_t)row * (size_t)side;
    const double *numbers = read_row(reader, "normals", row, 3 * side);
    for (int i = 0; i < side; i++)
        vertices[i].vector = triple(numbers, i);
    numbers = read_row(reader, "distances", row, side);
    for (int i = 0; i < side; i++)
        vertices[i].vector = vec3_scale(vertices[i].vector, numbers[i]);
    numbers = read_row(reader, "offsets", row, 3 * side);
    for (int i = 0; i < side; i++)
        vertices[i].vector = vec3_add(vertices[i].vector, triple(numbers, i));
    numbers = read_row(reader, "alphas", row, side);
    for (int i = 0; i < side; i++)
        vertices[i].alpha = numbers[i];
    for (int i = 0; i < side; i++)
        if (vec3_length(vertices[i].vector) > VECTOR_LIMIT)
            reader->beyond = true;
}

static void read_tag_row(struct row_reader *reader, int row, struct map_displacement *out)
{
    int count = 2 * (out->side - 1);
    const double *numbers = read_row(reader, "triangle_tags", row, count);
    for (int i = 0; i < count; i++)
        if (numbers[i] >= 0 && numbers[i] <= UINT8_MAX)
            out->tags[row * count + i] = (uint8_t)numbers[i];
}

static bool read_number(const struct kv *block, const char *key, double min, double max,
                        double *out)
{
    const char *text = kv_value(block, key);
    return text && str_to_doubles(text, out, 1) == 1 && *out >= min && *out <= max;
}

static bool read_head(const struct kv *block, struct map_displacement *out, const char **problem)
{
    double power, flags, start[3];
    if (!read_number(block, "power", DISPLACEMENT_MIN_POWER, DISPLACEMENT_MAX_POWER, &power) ||
        fabs(power - floor(power)) > 0) {
        *problem = "power must be 2, 3 or 4";
        return false;
    }
    out->power = (int)power;
    out->side = (1 << out->power) + 1;
    const char *text = kv_value(block, "startposition");
    if (!text || str_to_doubles(text, start, 3) != 3 ||
        fabs(start[0]) + fabs(start[1]) + fabs(start[2]) > VECTOR_LIMIT) {
        *problem = "start position must be a point inside the world";
        return false;
    }
    out->start = vec3(start[0], start[1], start[2]);
    if (read_number(block, "flags", 0, INT32_MAX, &flags))
        out->flags = (uint32_t)flags;
    return true;
}

bool map_displacement_read(const struct kv *block, struct arena *arena,
                           struct map_displacement *out, const char **problem)
{
    *out = (struct map_displacement){0};
    if (!read_head(block, out, problem))
        return false;
    size_t side = (size_t)out->side;
    out->vertices = ARENA_ARRAY(arena, struct map_displacement_vertex, side * side);
    if (kv_find(block, "triangle_tags"))
        out->tags = ARENA_ARRAY(arena, uint8_t, 2 * (side - 1) * (side - 1));
    struct row_reader reader = {.block = block};
    for (int row = 0; row < out->side; row++)
        read_vertex_row(&reader, row, out);
    for (int row = 0; row < out->side - 1 && out->tags; row++)
        read_tag_row(&reader, row, out);
    arena_free(&reader.scratch);
    out->missing = reader.missing;
    if (reader.beyond)
        *problem = "a vertex is outside the world";
    return !reader.beyond;
}
