#include "export/obj/obj.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_json.h"
#include "common/geom/vec.h"
#include "common/text/obj_text.h"
#include "export/model/model.h"

struct name_row {
    char *key;
    int value;
};

struct obj_job {
    const struct export_model *scene;
    const char *file;
    const char **materials; /* names, each once */
    struct arena arena;
    struct bytes text, library;
    size_t vertices; /* so far */
};

/* A name as text of a line without blanks. */
static const char *word_of(struct arena *arena, const char *name)
{
    char *utf8 = diag_utf8(name), *word = arena_strdup(arena, utf8);
    memory_free(utf8);
    for (char *c = word; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            *c = '_';
    return *word ? word : "_";
}

static void name_materials(struct obj_job *job)
{
    struct name_row *known = NULL;
    size_t count = arrlenu(job->scene->materials);
    job->materials = arena_alloc(&job->arena, count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *plain = word_of(&job->arena, job->scene->materials[i].name), *name = plain;
        for (int k = 2; shgeti(known, name) >= 0; k++)
            name = arena_printf(&job->arena, "%s_%d", plain, k);
        shput(known, name, 0);
        job->materials[i] = name;
    }
    shfree(known);
}

static void write_materials(struct obj_job *job)
{
    const char *folder = word_of(&job->arena, job->file);
    for (size_t i = 0; i < arrlenu(job->scene->materials); i++) {
        const struct export_material *from = &job->scene->materials[i];
        const double colour[3] = {(double)from->colour[0], (double)from->colour[1],
                                  (double)from->colour[2]},
                     opacity = (double)from->colour[3];
        bytes_append_text(&job->library, "newmtl %s\n", job->materials[i]);
        obj_text_numbers("Kd", colour, 3, &job->library);
        obj_text_numbers("d", &opacity, 1, &job->library);
        if (from->image < 0)
            continue;
        const struct export_image *image = &job->scene->images[from->image];
        bytes_append_text(&job->library, "map_Kd %s_textures/%s\n", folder, image->name);
        if (!image->jpeg)
            bytes_append_text(&job->library, "map_d %s_textures/%s\n", folder, image->name);
    }
}

/* --- meshes --- */

static struct vec3 turned(const float q[4], struct vec3 v)
{
    struct vec3 axis = vec3_from_floats(q);
    struct vec3 across = vec3_scale(vec3_cross(axis, v), 2);
    return vec3_add(vec3_mad(v, across, (double)q[3]), vec3_cross(axis, across));
}

static struct vec3 point_at(const struct export_node *node, const float position[3])
{
    struct vec3 p = vec3((double)position[0] * (double)node->scale[0],
                         (double)position[1] * (double)node->scale[1],
                         (double)position[2] * (double)node->scale[2]);
    return vec3_add(turned(node->rotation, p), vec3_from_floats(node->translation));
}

static struct vec3 normal_at(const struct export_node *node, const float normal[3])
{
    struct vec3 n = vec3_from_floats(normal);
    for (int k = 0; k < 3; k++)
        if (fabsf(node->scale[k]) > 0)
            n.e[k] /= (double)node->scale[k];
    return vec3_normalize(turned(node->rotation, n));
}

static void write_part(struct obj_job *job, const struct export_node *node,
                       const struct export_part *part)
{
    size_t count = arrlenu(part->vertices);
    for (size_t i = 0; i < count; i++)
        obj_text_numbers("v", point_at(node, part->vertices[i].position).e, 3, &job->text);
    for (size_t i = 0; i < count; i++) {
        const float *uv = part->vertices[i].uv;
        const double up[2] = {(double)uv[0], 1 - (double)uv[1]};
        obj_text_numbers("vt", up, 2, &job->text);
    }
    for (size_t i = 0; i < count; i++)
        obj_text_numbers("vn", normal_at(node, part->vertices[i].normal).e, 3, &job->text);
    bytes_append_text(&job->text, "usemtl %s\n", job->materials[part->material]);
    for (size_t i = 0; i + 2 < arrlenu(part->indices); i += 3) {
        size_t corners[3];
        for (size_t k = 0; k < 3; k++)
            corners[k] = job->vertices + 1 + part->indices[i + k];
        obj_text_triangle(corners, &job->text);
    }
    job->vertices += count;
}

static void write_nodes(struct obj_job *job)
{
    const struct export_model *scene = job->scene;
    bytes_append_text(&job->text, "mtllib %s.mtl\n", word_of(&job->arena, job->file));
    for (size_t i = 0; i < arrlenu(scene->nodes); i++) {
        const struct export_node *node = &scene->nodes[i];
        if (node->mesh < 0)
            continue;
        bytes_append_text(&job->text, "o %s_%zu\n", word_of(&job->arena, node->name), i);
        const struct export_mesh *mesh = &scene->meshes[node->mesh];
        for (size_t k = 0; k < arrlenu(mesh->parts); k++)
            write_part(job, node, &mesh->parts[k]);
    }
}

void obj_write(const struct export_model *scene, const char *file, struct export_file **files)
{
    struct obj_job job = {.scene = scene, .file = file};
    name_materials(&job);
    write_materials(&job);
    write_nodes(&job);
    const char *beside = word_of(&job.arena, file);
    for (size_t i = 0; i < arrlenu(scene->images); i++)
        export_file_add(files,
                        arena_printf(&job.arena, "%s_textures/%s", beside, scene->images[i].name),
                        &scene->images[i].file);
    export_file_add(files, arena_printf(&job.arena, "%s.mtl", beside), &job.library);
    export_file_add(files, arena_printf(&job.arena, "%s.obj", file), &job.text);
    bytes_free(&job.text);
    bytes_free(&job.library);
    arena_free(&job.arena);
}
