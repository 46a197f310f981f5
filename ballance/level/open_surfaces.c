/* Surfaces that enclose nothing: thin brushes behind them, or a model. */
#include "ballance/level/level_maker.h"

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/strings.h"

#define PRISM_DEPTH 8.0

/* Polygons of a plane that are joined: their number is tried by pairs. */
enum { JOINED_MAX = 512, CORNERS_MAX = 64 };

/* The least sine of a corner that is one. */
#define CORNER 1e-4

struct loop {
    struct vec3 points[CORNERS_MAX]; /* clockwise */
    int count;
};

static bool same_point(struct vec3 a, struct vec3 b)
{
    return !(vec3_distance(a, b) > 0);
}

/* Returns whether the corner turns as those of a convex polygon do: 1, not at all: 0, or back: -1.
 */
static int corner_turn(const struct loop *loop, int i, struct vec3 normal)
{
    struct vec3 p = loop->points[i];
    struct vec3 in = vec3_normalize(vec3_sub(p, loop->points[(i + loop->count - 1) % loop->count]));
    struct vec3 out = vec3_normalize(vec3_sub(loop->points[(i + 1) % loop->count], p));
    double turn = -vec3_dot(vec3_cross(in, out), normal);
    return turn > CORNER ? 1 : turn < -CORNER ? -1 : 0;
}

static void drop_point(struct loop *loop, int i)
{
    loop->count--;
    memmove(&loop->points[i], &loop->points[i + 1],
            (size_t)(loop->count - i) * sizeof *loop->points);
}

/* Removes corners on straight lines; returns false when it is not convex. */
static bool tidy(struct loop *loop, struct vec3 normal)
{
    for (int i = loop->count - 1; i >= 0 && loop->count > 3; i--)
        if (corner_turn(loop, i, normal) == 0)
            drop_point(loop, i);
    for (int i = 0; i < loop->count; i++)
        if (corner_turn(loop, i, normal) <= 0)
            return false;
    return true;
}

/* Joins two loops along an edge of both, if they have one and the whole is convex. */
static bool join_loops(const struct loop *a, const struct loop *b, struct vec3 normal,
                       struct loop *out)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            if (!same_point(a->points[i], b->points[(k + 1) % b->count]) ||
                !same_point(a->points[(i + 1) % a->count], b->points[k]) ||
                a->count + b->count - 2 > CORNERS_MAX)
                continue;
            out->count = 0;
            for (int j = 1; j <= a->count; j++)
                out->points[out->count++] = a->points[(i + j) % a->count];
            for (int j = 2; j < b->count; j++)
                out->points[out->count++] = b->points[(k + j) % b->count];
            return tidy(out, normal);
        }
    return false;
}

static void join_all(struct loop *loops, struct vec3 normal, double *work)
{
    bool joined = arrlen(loops) <= JOINED_MAX;
    while (joined) {
        joined = false;
        for (size_t i = 0; i < arrlenu(loops); i++)
            for (size_t k = i + 1; k < arrlenu(loops) && *work > 0; k++) {
                struct loop both;
                *work -= loops[i].count;
                if (!join_loops(&loops[i], &loops[k], normal, &both))
                    continue;
                loops[i] = both;
                arrdel(loops, k);
                k = i;
                joined = true;
            }
    }
}

static void add_side(struct piece_side **sides, struct vec3 a, struct vec3 b, struct vec3 c,
                     int mapping)
{
    struct piece_side side = {.drawn = {.points = {a, b, c}}, .mapping = mapping};
    if (plane_from_points(a, b, c, &side.drawn.plane))
        arrput(*sides, side);
}

static void add_prism(struct level_maker *maker, const struct loop *loop, struct vec3 normal,
                      const struct texture_mapping *mapping, struct map_entity *entity)
{
    struct piece_side *sides = NULL;
    struct vec3 down = vec3_scale(normal, -PRISM_DEPTH);
    const struct vec3 *p = loop->points;
    add_side(&sides, p[0], p[1], p[2], 0);
    add_side(&sides, vec3_add(p[2], down), vec3_add(p[1], down), vec3_add(p[0], down), -1);
    for (int i = 0; i < loop->count; i++) {
        struct vec3 from = p[i], to = p[(i + 1) % loop->count];
        add_side(&sides, vec3_add(from, down), to, from, -1);
    }
    if ((int)arrlen(sides) == loop->count + 2)
        maker_add_solid(maker, sides, mapping, entity);
    arrfree(sides);
}

static struct loop loop_of(const struct placed_mesh *mesh, int triangle)
{
    struct loop loop = {.count = 3};
    for (int k = 0; k < 3; k++)
        loop.points[k] = placed_corner(mesh, &mesh->triangles[triangle], k);
    return loop;
}

/* Those of a mapping. */
static void add_mapping(struct level_maker *maker, const struct solid_surface *surface,
                        const struct surface_plane *plane, int mapping, struct map_entity *entity)
{
    struct loop *loops = NULL;
    struct vec3 normal = plane->drawn.plane.normal;
    for (size_t i = 0; i < arrlenu(plane->triangles); i++)
        if (surface->mapping_of[plane->triangles[i]] == mapping)
            arrput(loops, loop_of(surface->mesh, plane->triangles[i]));
    join_all(loops, normal, &maker->work);
    for (size_t i = 0; i < arrlenu(loops); i++)
        add_prism(maker, &loops[i], normal, &surface->mappings[mapping], entity);
    arrfree(loops);
}

static void add_plane(struct level_maker *maker, const struct solid_surface *surface,
                      const struct surface_plane *plane, struct map_entity *entity)
{
    int low = (int)arrlen(surface->mappings), high = -1;
    for (size_t i = 0; i < arrlenu(plane->triangles); i++) {
        int mapping = surface->mapping_of[plane->triangles[i]];
        low = mapping < low ? mapping : low;
        high = mapping > high ? mapping : high;
    }
    for (int i = low; i <= high; i++)
        add_mapping(maker, surface, plane, i, entity);
}

/* Surfaces with many planes are curved: few triangles could be joined. */
static void add_each(struct level_maker *maker, const struct placed_mesh *mesh,
                     const int *triangles, struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(triangles); i++) {
        const struct placed_triangle *triangle = &mesh->triangles[triangles[i]];
        struct texture_mapping mapping;
        if (!(triangle->area > 0))
            continue;
        struct loop loop = loop_of(mesh, triangles[i]);
        mapping_of_triangle(mesh, triangle, &mapping);
        add_prism(maker, &loop, triangle->plane.normal, &mapping, entity);
    }
}

void maker_add_prisms(struct level_maker *maker, const struct placed_mesh *mesh,
                      const int *triangles, struct map_entity *entity)
{
    struct solid_surface surface;
    if (!solid_surface_make(mesh, triangles, &surface)) {
        add_each(maker, mesh, triangles, entity);
        return;
    }
    for (size_t i = 0; i < arrlenu(surface.planes); i++)
        add_plane(maker, &surface, &surface.planes[i], entity);
    solid_surface_free(&surface);
}

/* --- as a model --- */

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
