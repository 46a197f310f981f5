#include <stdlib.h>

#include "common/assets/models/mesh_build.h"
#include "common/core/array.h"
#include "common/core/strings.h"

struct obj_corner {
    struct mesh_vertex vertex;
    int32_t point;
};

struct reader {
    struct arena *arena;
    const char *shader;
    struct vec3 *points, *normals, *textures; /* stb_ds arrays */
    struct obj_corner *corners;               /* stb_ds array: of the current face */
    struct mesh_triangle *triangles;          /* stb_ds array */
    uint32_t groups;
    struct mesh_builder builder;
    char *line; /* stb_ds array: with continuation lines, NUL-terminated */
};

/* Reads the next line, with continuation lines after a `\`; returns false at the end. */
static bool next_line(struct reader *reader, const char **at, const char *end)
{
    arrsetlen(reader->line, 0);
    if (*at >= end)
        return false;
    for (; *at < end && **at != '\n'; ++*at) {
        bool goes_on = **at == '\\' && *at + 1 < end && ((*at)[1] == '\n' || (*at)[1] == '\r');
        if (goes_on) {
            *at += (*at)[1] == '\r' && *at + 2 < end && (*at)[2] == '\n' ? 2 : 1;
            arrput(reader->line, ' ');
        } else {
            arrput(reader->line, **at == '\r' || !**at ? ' ' : **at);
        }
    }
    ++*at;
    arrput(reader->line, 0);
    return true;
}

static const char *word_end(const char *at)
{
    while (*at && *at != ' ' && *at != '\t')
        at++;
    return at;
}

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool is_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(line, word, length) && (line[length] == ' ' || line[length] == '\t');
}

static struct vec3 read_numbers(const char *text)
{
    double values[3] = {0, 0, 0};
    str_to_doubles(text, values, 3);
    return vec3(values[0], values[1], values[2]);
}

/* Returns the element with the number in the file: from 1, or negative from the end; NULL when
 * there is none. */
static const struct vec3 *element(const struct vec3 *array, int64_t number)
{
    int64_t count = (int64_t)arrlen(array);
    if (number < 0 && number >= -count)
        return &array[count + number];
    return number > 0 && number <= count ? &array[number - 1] : NULL;
}

/* a, a/b, a//c or a/b/c. */
static bool read_corner(const struct reader *reader, const char *text, struct obj_corner *out)
{
    int64_t numbers[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        char *end;
        numbers[i] = strtoll(text, &end, 10);
        text = end;
        if (*text != '/')
            break;
        text++;
    }
    const struct vec3 *point = element(reader->points, numbers[0]);
    const struct vec3 *texture = element(reader->textures, numbers[1]);
    const struct vec3 *normal = element(reader->normals, numbers[2]);
    if (!point)
        return false;
    *out = (struct obj_corner){.vertex = {.p = *point, .colour = {255, 255, 255, 255}},
                               .point = (int32_t)(point - reader->points)};
    if (texture) {
        out->vertex.texture[0] = texture->x;
        out->vertex.texture[1] = 1 - texture->y;
    }
    if (normal)
        out->vertex.normal = vec3_normalize(*normal);
    return true;
}

/* A face with missing corners is left out. The file's faces are counter-clockwise seen from the
 * front. */
static void read_face(struct reader *reader, const char *text)
{
    arrsetlen(reader->corners, 0);
    for (text = skip_blanks(text); *text; text = skip_blanks(word_end(text))) {
        struct obj_corner corner;
        if (!read_corner(reader, text, &corner))
            return;
        arrput(reader->corners, corner);
    }
    for (size_t i = 2; i < arrlenu(reader->corners); i++) {
        const struct obj_corner *c = reader->corners;
        arrput(reader->triangles,
               ((struct mesh_triangle){.corners = {c[0].vertex, c[i].vertex, c[i - 1].vertex},
                                       .points = {c[0].point, c[i].point, c[i - 1].point},
                                       .groups = reader->groups,
                                       .shader = reader->shader}));
    }
}

/* `s off` or a number; numbers that differ by a multiple of 32 share a bit. */
static uint32_t read_group(const char *text)
{
    int64_t number = strtoll(text, NULL, 10);
    return number > 0 ? 1U << ((number - 1) % 32) : 0;
}

static void read_line(struct reader *reader)
{
    const char *line = skip_blanks(reader->line);
    if (is_word(line, "v")) {
        arrput(reader->points, read_numbers(line + 1));
    } else if (is_word(line, "vt")) {
        arrput(reader->textures, read_numbers(line + 2));
    } else if (is_word(line, "vn")) {
        arrput(reader->normals, read_numbers(line + 2));
    } else if (is_word(line, "f")) {
        read_face(reader, line + 1);
    } else if (is_word(line, "s")) {
        reader->groups = read_group(line + 1);
    } else if (is_word(line, "usemtl")) {
        const char *name = skip_blanks(line + 6);
        reader->shader = mesh_shader_name(reader->arena, name, (size_t)(word_end(name) - name));
    }
}

enum status obj_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct arena *arena, struct mesh_model *out)
{
    struct reader reader = {.arena = arena, .shader = ""};
    const char *at = (const char *)file->data, *end = file->size ? at + file->size : at;
    while (next_line(&reader, &at, end))
        read_line(&reader);
    mesh_builder_add(&reader.builder, reader.triangles, arrlenu(reader.triangles));
    mesh_builder_finish(&reader.builder, arena, out);
    arrfree(reader.points);
    arrfree(reader.normals);
    arrfree(reader.textures);
    arrfree(reader.corners);
    arrfree(reader.triangles);
    arrfree(reader.line);
    return out->part_count ? STATUS_OK : mesh_invalid(diag, where, "no faces");
}
