#include <stdlib.h>

#include "common/assets/models/mesh_build.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/text/lexer.h"

struct material {
    const char *name, *bitmap; /* "" when missing */
    struct material *subs;     /* stb_ds array; one level deep */
};

struct face {
    int corners[3], textures[3], colours[3]; /* -1: none */
    int material;                            /* number in the object's material */
    uint32_t groups;                         /* of smoothing */
    struct vec3 normals[3];
};

/* In the order of the file: those of a face follow it, or those of all points follow all faces. */
struct normal {
    int face, point;
    struct vec3 normal;
};

struct object {
    struct vec3 *points, *textures, *colours; /* stb_ds arrays */
    struct face *faces;                       /* stb_ds array */
    struct normal *normals;                   /* stb_ds array */
    int material;
};

struct reader {
    struct lexer lexer;
    struct token token; /* the next token */
    struct arena *arena;
    size_t max;                 /* of numbered items, as limited by the file's size */
    struct material *materials; /* stb_ds array */
    struct mesh_builder builder;
};

static void next(struct reader *reader)
{
    reader->token = lexer_next(&reader->lexer);
    if (reader->token.kind == TOKEN_UNTERMINATED)
        reader->token.kind = TOKEN_TEXT;
}

static bool is_keyword(const struct reader *reader)
{
    return reader->token.kind == TOKEN_TEXT && !reader->token.quoted && reader->token.length &&
           *reader->token.text == '*';
}

/* Skips a keyword if it is next, and returns true. */
static bool accept_keyword(struct reader *reader, const char *keyword)
{
    const struct token *token = &reader->token;
    if (!is_keyword(reader) || token->length != strlen(keyword) + 1)
        return false;
    char copy[32];
    memcpy(copy, token->text + 1, token->length - 1);
    copy[token->length - 1] = 0;
    if (!str_equal_nocase(copy, keyword))
        return false;
    next(reader);
    return true;
}

/* Reads the next word as a number; 0 when it is not one. */
static double read_number(struct reader *reader)
{
    char copy[64] = "";
    double value = 0;
    if (reader->token.kind != TOKEN_TEXT || is_keyword(reader))
        return 0;
    if (reader->token.length < sizeof copy) {
        memcpy(copy, reader->token.text, reader->token.length);
        copy[reader->token.length] = 0;
        char *colon = strchr(copy, ':');
        if (colon)
            *colon = 0;
        if (!str_to_double(copy, &value))
            value = 0;
    }
    next(reader);
    return value;
}

static int take_index(struct reader *reader)
{
    double value = read_number(reader);
    return value >= 0 && value < (double)reader->max ? (int)value : -1;
}

static struct vec3 take_vector(struct reader *reader)
{
    double x = read_number(reader), y = read_number(reader), z = read_number(reader);
    return vec3(x, y, z);
}

/* Skips the rest of an unknown item: its words, and its block if there is one. */
static void skip(struct reader *reader)
{
    if (is_keyword(reader))
        next(reader);
    while (reader->token.kind == TOKEN_TEXT && !is_keyword(reader))
        next(reader);
    if (reader->token.kind != TOKEN_OPEN)
        return;
    int depth = 0;
    do {
        depth += (reader->token.kind == TOKEN_OPEN) - (reader->token.kind == TOKEN_CLOSE);
        next(reader);
    } while (depth > 0 && reader->token.kind != TOKEN_END);
}

/* Enters a block; returns false when there is none. */
static bool enter_block(struct reader *reader)
{
    while (reader->token.kind == TOKEN_TEXT && !is_keyword(reader))
        next(reader);
    if (reader->token.kind != TOKEN_OPEN)
        return false;
    next(reader);
    return true;
}

/* Returns true until the block's end, which it skips. Unexpected words are skipped. */
static bool in_block(struct reader *reader)
{
    while (!is_keyword(reader) &&
           (reader->token.kind == TOKEN_TEXT || reader->token.kind == TOKEN_OPEN)) {
        if (reader->token.kind == TOKEN_OPEN)
            skip(reader);
        else
            next(reader);
    }
    if (reader->token.kind == TOKEN_CLOSE)
        next(reader);
    else
        return reader->token.kind == TOKEN_TEXT;
    return false;
}

/* The same for a block of which only one keyword is read: skips everything up to after it. */
static bool skip_to_keyword(struct reader *reader, const char *keyword)
{
    while (in_block(reader)) {
        if (accept_keyword(reader, keyword))
            return true;
        skip(reader);
    }
    return false;
}

static const char *take_text(struct reader *reader)
{
    const char *text = "";
    if (reader->token.kind == TOKEN_TEXT && !is_keyword(reader)) {
        text = arena_strndup(reader->arena, reader->token.text, reader->token.length);
        next(reader);
    }
    return text;
}

static void read_map(struct reader *reader, struct material *material)
{
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "BITMAP"))
            material->bitmap = take_text(reader);
        else
            skip(reader);
    }
}

/* Makes room for a numbered item that follows the previous ones; other indices become -1, because a
 * file could use numbers in the billions. */
#define NUMBERED(array, index, ...)                                                                \
    do {                                                                                           \
        if ((index) > arrlen(array))                                                               \
            (index) = -1;                                                                          \
        else if ((index) == arrlen(array))                                                         \
            arrput((array), (__VA_ARGS__));                                                        \
    } while (0)

static const struct material no_material = {"", "", NULL};

/* With one level of sub-materials, when `has_subs`. */
static void read_material(struct reader *reader, struct material *out, bool has_subs)
{
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "MATERIAL_NAME")) {
            out->name = take_text(reader);
        } else if (accept_keyword(reader, "MAP_DIFFUSE")) {
            read_map(reader, out);
        } else if (has_subs && accept_keyword(reader, "SUBMATERIAL")) {
            int index = take_index(reader);
            struct material sub = no_material;
            read_material(reader, &sub, false);
            NUMBERED(out->subs, index, no_material);
            if (index >= 0)
                out->subs[index] = sub;
        } else {
            skip(reader);
        }
    }
}

static void read_materials(struct reader *reader)
{
    if (!enter_block(reader))
        return;
    while (skip_to_keyword(reader, "MATERIAL")) {
        int index = take_index(reader);
        struct material material = no_material;
        read_material(reader, &material, true);
        NUMBERED(reader->materials, index, no_material);
        if (index < 0) {
            arrfree(material.subs);
            continue;
        }
        arrfree(reader->materials[index].subs);
        reader->materials[index] = material;
    }
}

/* Reads a list of points: `*WORD i x y z`. */
static void read_list(struct reader *reader, const char *keyword, struct vec3 **out)
{
    if (!enter_block(reader))
        return;
    while (skip_to_keyword(reader, keyword)) {
        int index = take_index(reader);
        struct vec3 value = take_vector(reader);
        NUMBERED(*out, index, vec3(0, 0, 0));
        if (index >= 0)
            (*out)[index] = value;
    }
}

static const struct face no_face = {
    .corners = {-1, -1, -1}, .textures = {-1, -1, -1}, .colours = {-1, -1, -1}};

/* Reads `i: A: a B: b C: c AB: ...`; labels may be joined to their numbers. */
static void read_corners(struct reader *reader, int corners[3])
{
    for (int k = 0; k < 3; k++) {
        const struct token *token = &reader->token;
        const char *colon =
            token->kind == TOKEN_TEXT ? memchr(token->text, ':', token->length) : NULL;
        if (colon && colon + 1 < token->text + token->length) {
            reader->token.length -= (size_t)(colon + 1 - token->text);
            reader->token.text = colon + 1;
        } else if (colon) {
            next(reader);
        }
        corners[k] = take_index(reader);
    }
}

/* Reads `1,5,12`; 0 or nothing: none. */
static uint32_t read_groups(struct reader *reader)
{
    uint32_t groups = 0;
    for (; reader->token.kind == TOKEN_TEXT && !is_keyword(reader); next(reader)) {
        int number = 0;
        for (size_t i = 0; i <= reader->token.length; i++) {
            char letter = i < reader->token.length ? reader->token.text[i] : ',';
            bool is_digit = letter >= '0' && letter <= '9';
            if (!is_digit && number >= 1 && number <= 32)
                groups |= 1U << (number - 1);
            number = is_digit && number < 100 ? 10 * number + letter - '0' : 0;
        }
    }
    return groups;
}

static void read_faces(struct reader *reader, struct object *object)
{
    int index = -1;
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "MESH_FACE")) {
            struct face face = no_face;
            index = take_index(reader);
            read_corners(reader, face.corners);
            NUMBERED(object->faces, index, no_face);
            if (index >= 0)
                memcpy(object->faces[index].corners, face.corners, sizeof face.corners);
        } else if (accept_keyword(reader, "MESH_SMOOTHING")) {
            uint32_t groups = read_groups(reader);
            if (index >= 0)
                object->faces[index].groups = groups;
        } else if (accept_keyword(reader, "MESH_MTLID")) {
            int material = take_index(reader);
            if (index >= 0)
                object->faces[index].material = material;
        } else {
            skip(reader);
        }
    }
}

/* Reads a list of three numbers per face. */
static void read_threes(struct reader *reader, const char *keyword, struct object *object,
                        bool colours)
{
    if (!enter_block(reader))
        return;
    while (skip_to_keyword(reader, keyword)) {
        int index = take_index(reader), three[3];
        for (int k = 0; k < 3; k++)
            three[k] = take_index(reader);
        NUMBERED(object->faces, index, no_face);
        if (index >= 0)
            memcpy(colours ? object->faces[index].colours : object->faces[index].textures, three,
                   sizeof three);
    }
}

static void read_normals(struct reader *reader, struct object *object)
{
    int face = -1;
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "MESH_FACENORMAL")) {
            face = take_index(reader);
        } else if (accept_keyword(reader, "MESH_VERTEXNORMAL")) {
            int point = take_index(reader);
            struct normal normal = {face, point, vec3_normalize(take_vector(reader))};
            arrput(object->normals, normal);
        } else {
            skip(reader);
        }
    }
}

/* Returns true when three normals follow each face that has any, as 3ds Max writes them. */
static bool has_normals_by_face(const struct object *object)
{
    size_t count = arrlenu(object->normals);
    for (size_t i = 0; i < count; i++)
        if (object->normals[i].face != object->normals[i - i % 3].face ||
            (i % 3 == 0 && i && object->normals[i].face == object->normals[i - 1].face))
            return false;
    return count % 3 == 0 && count / 3 == arrlenu(object->faces);
}

static void use_normals_by_face(struct object *object)
{
    for (size_t i = 0; i < arrlenu(object->normals); i++) {
        const struct normal *normal = &object->normals[i];
        if (normal->face >= 0 && normal->face < (int)arrlen(object->faces))
            object->faces[normal->face].normals[i % 3] = normal->normal;
    }
}

/* As q3map2 writes them: one for each point of the object. */
static void use_normals_by_point(struct object *object)
{
    size_t count = arrlenu(object->points);
    struct vec3 *normals = memory_zalloc(count + 1, sizeof *normals);
    for (size_t i = 0; i < arrlenu(object->normals); i++)
        if (object->normals[i].point >= 0 && object->normals[i].point < (int)count)
            normals[object->normals[i].point] = object->normals[i].normal;
    for (size_t i = 0; i < arrlenu(object->faces); i++)
        for (int k = 0; k < 3; k++) {
            int point = object->faces[i].corners[k];
            if (point >= 0 && point < (int)count)
                object->faces[i].normals[k] = normals[point];
        }
    memory_free(normals);
}

static void read_mesh(struct reader *reader, struct object *object)
{
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "MESH_VERTEX_LIST"))
            read_list(reader, "MESH_VERTEX", &object->points);
        else if (accept_keyword(reader, "MESH_TVERTLIST"))
            read_list(reader, "MESH_TVERT", &object->textures);
        else if (accept_keyword(reader, "MESH_CVERTLIST"))
            read_list(reader, "MESH_VERTCOL", &object->colours);
        else if (accept_keyword(reader, "MESH_FACE_LIST"))
            read_faces(reader, object);
        else if (accept_keyword(reader, "MESH_TFACELIST"))
            read_threes(reader, "MESH_TFACE", object, false);
        else if (accept_keyword(reader, "MESH_CFACELIST"))
            read_threes(reader, "MESH_CFACE", object, true);
        else if (accept_keyword(reader, "MESH_NORMALS"))
            read_normals(reader, object);
        else
            skip(reader);
    }
}

/* Uses the material's name if it is a path of the game, else the bitmap's path from such a folder
 * on. */
static const char *shader_of_material(struct reader *reader, const struct material *material)
{
    const char *name = mesh_shader_name(reader->arena, material->name, strlen(material->name));
    if (str_starts_nocase(name, "textures/") || str_starts_nocase(name, "models/") ||
        !*material->bitmap)
        return name;
    const char *bitmap =
        mesh_shader_name(reader->arena, material->bitmap, strlen(material->bitmap));
    for (const char *at = bitmap; *at; at++)
        if (str_starts_nocase(at, "textures/") || str_starts_nocase(at, "models/"))
            return at;
    return *name ? name : bitmap;
}

static const char *shader_of(struct reader *reader, const struct object *object, int sub)
{
    if (object->material < 0 || object->material >= (int)arrlen(reader->materials))
        return "";
    const struct material *material = &reader->materials[object->material];
    if (sub >= 0 && arrlen(material->subs))
        material = &material->subs[sub % (int)arrlen(material->subs)];
    return shader_of_material(reader, material);
}

static const struct vec3 *element(const struct vec3 *array, int index)
{
    return index >= 0 && index < (int)arrlen(array) ? &array[index] : NULL;
}

static bool make_corner(const struct object *object, const struct face *face, int k,
                        struct mesh_vertex *out)
{
    const struct vec3 *point = element(object->points, face->corners[k]);
    const struct vec3 *texture = element(object->textures, face->textures[k]);
    const struct vec3 *colour = element(object->colours, face->colours[k]);
    if (!point)
        return false;
    *out = (struct mesh_vertex){
        .p = *point, .normal = face->normals[k], .colour = {255, 255, 255, 255}};
    if (texture) {
        out->texture[0] = texture->x;
        out->texture[1] = 1 - texture->y;
    }
    for (int i = 0; colour && i < 3; i++)
        out->colour[i] = (uint8_t)lround(255 * portable_fmin(portable_fmax(colour->e[i], 0), 1));
    return true;
}

/* The file's faces are counter-clockwise seen from the front. */
static bool make_triangle(const struct object *object, const struct face *face,
                          struct mesh_triangle *out)
{
    static const int order[3] = {0, 2, 1};
    *out = (struct mesh_triangle){.groups = face->groups};
    for (int k = 0; k < 3; k++) {
        out->points[k] = face->corners[order[k]];
        if (!make_corner(object, face, order[k], &out->corners[k]))
            return false;
    }
    return true;
}

/* Faces with missing corners are left out. */
static void add_object(struct reader *reader, const struct object *object)
{
    int last = -2;
    const char *shader = "";
    struct mesh_triangle *triangles = NULL, triangle;
    for (size_t i = 0; i < arrlenu(object->faces); i++) {
        const struct face *face = &object->faces[i];
        if (!make_triangle(object, face, &triangle))
            continue;
        if (face->material != last) {
            shader = shader_of(reader, object, face->material);
            last = face->material;
        }
        triangle.shader = shader;
        arrput(triangles, triangle);
    }
    mesh_builder_add(&reader->builder, triangles, arrlenu(triangles));
    arrfree(triangles);
}

static void read_object(struct reader *reader)
{
    struct object object = {.material = -1};
    if (!enter_block(reader))
        return;
    while (in_block(reader)) {
        if (accept_keyword(reader, "MESH"))
            read_mesh(reader, &object);
        else if (accept_keyword(reader, "MATERIAL_REF"))
            object.material = take_index(reader);
        else
            skip(reader);
    }
    if (has_normals_by_face(&object))
        use_normals_by_face(&object);
    else
        use_normals_by_point(&object);
    add_object(reader, &object);
    arrfree(object.points);
    arrfree(object.textures);
    arrfree(object.colours);
    arrfree(object.faces);
    arrfree(object.normals);
}

/* Reads the top level; unmatched closing braces are skipped. */
static void read_file(struct reader *reader)
{
    next(reader);
    while (reader->token.kind != TOKEN_END) {
        if (accept_keyword(reader, "MATERIAL_LIST"))
            read_materials(reader);
        else if (accept_keyword(reader, "GEOMOBJECT"))
            read_object(reader);
        else if (reader->token.kind == TOKEN_CLOSE)
            next(reader);
        else
            skip(reader);
    }
}

enum status ase_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct arena *arena, struct mesh_model *out)
{
    const char *text = (const char *)file->data;
    struct reader reader = {.arena = arena,
                            .lexer = lexer_new(text ? text : "", text ? file->size : 0),
                            .max = file->size / 4};
    read_file(&reader);
    for (size_t i = 0; i < arrlenu(reader.materials); i++)
        arrfree(reader.materials[i].subs);
    arrfree(reader.materials);
    mesh_builder_finish(&reader.builder, arena, out);
    return out->part_count ? STATUS_OK : mesh_invalid(diag, where, "no faces");
}
