/* Surfaces that enclose nothing, as models. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"
#include "common/core/strings.h"

/* Models that lie on each other are drawn through: misc_model's flags for clip brushes and light.
 */
#define MODEL_FLAGS "6"

enum { MODEL_NAME_MAX = 40 };

/* The mesh's own space, or that of the map when the entity cannot place it. */
struct model_space {
    const float *matrix; /* NULL: the mesh's own */
    bool mirrored;
};

static struct vec3 place_point(const struct model_space *space, const float xyz[3])
{
    if (!space->matrix)
        return bmx_to_map(xyz);
    return vec3_sub(bmx_place(space->matrix, xyz), bmx_to_map(space->matrix + 12));
}

static struct vec3 place_normal(const struct model_space *space, const float xyz[3])
{
    return space->matrix ? bmx_place_normal(space->matrix, xyz)
                         : vec3((double)xyz[0], (double)xyz[2], (double)xyz[1]);
}

/* Numbers in the model of what is used, from 1; 0: not used. */
static void use(uint32_t *numbers, uint32_t *next, uint32_t index)
{
    if (!numbers[index])
        numbers[index] = ++*next;
}

struct model_writer {
    const struct bmx_mesh *mesh;
    const uint32_t *faces;
    struct model_space space;
    uint32_t *numbers[3]; /* of positions, coordinates and normals */
    struct bytes text;
};

static void write_points(struct model_writer *writer, const char *word, int kind, size_t count)
{
    uint32_t *order = NULL, used = 0;
    arrsetlen(order, count);
    for (size_t i = 0; i < arrlenu(writer->faces); i++)
        for (int k = 0; k < 3; k++) {
            const struct bmx_corner *c = &writer->mesh->faces[writer->faces[i]].corners[k];
            uint32_t index = kind == 0 ? c->position : kind == 1 ? c->uv : c->normal;
            use(writer->numbers[kind], &used, index);
            order[writer->numbers[kind][index] - 1] = index;
        }
    for (uint32_t i = 0; i < used; i++) {
        const struct bmx_mesh *mesh = writer->mesh;
        if (kind == 1) {
            const float *uv = mesh->uvs[order[i]].uv;
            bytes_append_text(&writer->text, "vt %.9g %.9g\n", (double)uv[0], 1 - (double)uv[1]);
            continue;
        }
        struct vec3 p = kind == 0 ? place_point(&writer->space, mesh->positions[order[i]].xyz)
                                  : place_normal(&writer->space, mesh->normals[order[i]].xyz);
        bytes_append_text(&writer->text, "%s %.9g %.9g %.9g\n", word, p.x + 0.0, p.y + 0.0,
                          p.z + 0.0);
    }
    arrfree(order);
}

/* Faces of an OBJ are counter-clockwise. */
static void write_faces(struct level_maker *maker, struct model_writer *writer)
{
    int last = -2;
    for (size_t i = 0; i < arrlenu(writer->faces); i++) {
        const struct bmx_face *face = &writer->mesh->faces[writer->faces[i]];
        int material = face->use_material ? (int)face->material : -1;
        if (material != last)
            bytes_append_text(&writer->text, "usemtl %s\n", maker_material(maker, material));
        last = material;
        bytes_append_text(&writer->text, "f");
        for (int k = 0; k < 3; k++) {
            const struct bmx_corner *c = &face->corners[writer->space.mirrored ? k : 2 - k];
            bytes_append_text(&writer->text, " %u/%u/%u", writer->numbers[0][c->position],
                              writer->numbers[1][c->uv], writer->numbers[2][c->normal]);
        }
        bytes_append_text(&writer->text, "\n");
    }
}

static void write_model(struct level_maker *maker, struct model_writer *writer)
{
    struct arena scratch = {0};
    const struct bmx_mesh *mesh = writer->mesh;
    writer->numbers[0] = ARENA_ARRAY(&scratch, uint32_t, arrlenu(mesh->positions));
    writer->numbers[1] = ARENA_ARRAY(&scratch, uint32_t, arrlenu(mesh->uvs));
    writer->numbers[2] = ARENA_ARRAY(&scratch, uint32_t, arrlenu(mesh->normals));
    write_points(writer, "v", 0, arrlenu(mesh->positions));
    write_points(writer, "vt", 1, arrlenu(mesh->uvs));
    write_points(writer, "vn", 2, arrlenu(mesh->normals));
    write_faces(maker, writer);
    arena_free(&scratch);
}

/* Adds the file, or finds the one of an object with the same mesh, and returns its path. */
static const char *share_file(struct level_maker *maker, uint32_t mesh, struct bytes *text)
{
    ptrdiff_t known = hmgeti(maker->models, mesh);
    const struct bmx_level_file *file =
        known >= 0 ? &maker->files->list[maker->models[known].value] : NULL;
    if (file && bytes_equal(&file->data, text)) {
        bytes_free(text);
        return file->path;
    }
    const char *own = bmx_text_utf8(&maker->bmx->meshes[mesh].name, &maker->scratch);
    const char *plain = bmx_plain_name(&maker->scratch, own, MODEL_NAME_MAX);
    const char *name = bmx_unique_name(&maker->scratch, plain, MODEL_NAME_MAX, &maker->model_names);
    hmput(maker->models, mesh, arrlenu(maker->files->list));
    return maker_add_file(
        maker, arena_printf(&maker->scratch, "models/bmx/%s/%s.obj", maker->name, name), text);
}

/* The game's own name of the model, which studiomdl makes of the OBJ. */
static void set_model(struct level_maker *maker, struct map_entity *entity, const char *path)
{
    if (maker->engine->has_compiled_models) {
        size_t stem = strlen(path) - strlen(".obj");
        maker_set(maker, entity, "model", "%.*s.mdl", (int)stem, path);
        maker_set(maker, entity, "solid", "6");
        maker_lose(maker, LOSS_STUDIO, "%s", path);
    } else {
        maker_set(maker, entity, "model", "%s", path);
        if (maker->options->playable)
            maker_set(maker, entity, "spawnflags", MODEL_FLAGS);
    }
}

void maker_add_model(struct level_maker *maker, const struct bmx_object *object,
                     const uint32_t *faces)
{
    struct model_writer writer = {.mesh = &maker->bmx->meshes[object->mesh], .faces = faces};
    struct map_entity entity = maker_model_entity(maker, object);
    bool mirrored = bmx_is_mirrored(object->matrix);
    bool placed = maker_place(maker, &entity, object->matrix, "modelscale_vec") && !mirrored;
    if (!placed) {
        writer.space = (struct model_space){object->matrix, mirrored};
        entity_remove(&entity.keys, "angles");
        entity_remove(&entity.keys, "modelscale_vec");
        entity_remove(&entity.keys, "_matrix");
    }
    write_model(maker, &writer);
    set_model(maker, &entity, share_file(maker, object->mesh, &writer.text));
    arrput(maker->level->entities, entity);
}
