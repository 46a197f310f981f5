#include "vbsp/target/quake3/models/models.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_models.def"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* Default in units. */
#define MODEL_CLIP_DEPTH 2.0

/* --- clip bodies --- */

/* Triangles with less area, in square units, or a smaller height, do not collide. */
#define MIN_AREA   0.05
#define MIN_HEIGHT 0.1

/* Corners this close to a plane, in units, lie on it. */
#define ON_PLANE 0.02

/* Minimum thickness of a body behind its face, in units, for a depth of two: below it the direction
 * is too flat for the face. */
#define MIN_COSINE 0.2

struct outline {
    struct vec3 points[4]; /* clockwise seen from the front */
    int count;
    struct plane plane;
};

struct clipper {
    const struct draw_surface *surface;
    int flags;
    double depth;
    struct clip_body **out;
};

static bool outline_of(const struct draw_surface *surface, size_t first, struct outline *out)
{
    double longest = 0;
    for (size_t k = 0; k < 3; k++)
        out->points[k] = surface->vertices[surface->indices[first + k]].p;
    out->count = 3;
    for (int k = 0; k < 3; k++)
        longest = portable_fmax(longest, vec3_distance(out->points[k], out->points[(k + 1) % 3]));
    struct vec3 across = vec3_cross(vec3_sub(out->points[2], out->points[0]),
                                    vec3_sub(out->points[1], out->points[0]));
    double area = vec3_length(across) / 2;
    if (area < MIN_AREA || 2 * area / longest < MIN_HEIGHT)
        return false;
    out->plane.normal = vec3_normalize(across);
    out->plane.dist = vec3_dot(out->plane.normal, out->points[0]);
    return true;
}

/* True if the outline is convex at each corner. */
static bool is_convex(const struct outline *outline)
{
    for (int i = 0; i < outline->count; i++) {
        struct vec3 a = outline->points[i], b = outline->points[(i + 1) % outline->count],
                    c = outline->points[(i + 2) % outline->count];
        struct vec3 turn = vec3_cross(vec3_sub(c, b), vec3_sub(b, a));
        if (vec3_dot(turn, outline->plane.normal) < -ON_PLANE)
            return false;
    }
    return true;
}

/* Inserts the corner of another triangle that is not on the shared edge into the outline. */
static bool join_outlines(const struct outline *a, const struct outline *b, struct outline *out)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (vec3_distance(a->points[i], b->points[(k + 1) % 3]) > 0 ||
                vec3_distance(a->points[(i + 1) % 3], b->points[k]) > 0)
                continue;
            struct vec3 other = b->points[(k + 2) % 3];
            if (fabs(plane_distance(&a->plane, other)) > ON_PLANE ||
                vec3_dot(a->plane.normal, b->plane.normal) < 0.99)
                return false;
            *out = (struct outline){.count = 4, .plane = a->plane};
            out->points[0] = a->points[(i + 1) % 3];
            out->points[1] = a->points[(i + 2) % 3];
            out->points[2] = a->points[i];
            out->points[3] = other;
            return is_convex(out);
        }
    }
    return false;
}

/* Direction of the extrusion, unit. */
static struct vec3 depth_of(const struct clipper *clipper, struct vec3 normal)
{
    int axis = vec3_major_axis(normal);
    struct vec3 way = vec3(0, 0, 0);
    if (clipper->flags & MISC_MODEL_CLIP_ALONG)
        return vec3_neg(normal);
    if (clipper->flags & MISC_MODEL_CLIP_UP && fabs(normal.z) >= MIN_COSINE)
        axis = 2;
    way.e[axis] = normal.e[axis] > 0 ? -1 : 1;
    return way;
}

static void add_body(const struct clipper *clipper, const struct outline *outline)
{
    struct vec3 way = depth_of(clipper, outline->plane.normal);
    struct clip_body body = {.shader = clipper->surface->shader,
                             .entity = clipper->surface->entity,
                             .where = clipper->surface->where};
    arrput(body.planes, outline->plane);
    struct plane back = plane_flip(&outline->plane);
    back.dist += clipper->depth * vec3_dot(back.normal, way);
    arrput(body.planes, back);
    for (int i = 0; i < outline->count; i++) {
        struct vec3 from = outline->points[i], to = outline->points[(i + 1) % outline->count];
        struct plane side;
        side.normal = vec3_normalize(vec3_cross(vec3_sub(to, from), way));
        side.dist = vec3_dot(side.normal, from);
        arrput(body.planes, side);
    }
    arrput(*clipper->out, body);
}

/* Appends a body for each triangle of a surface, extruded `depth` units behind it: by default along
 * the axis closest to its normal, so that bodies of a curved surface meet without gaps. Two
 * triangles that form a flat convex quad become one body. Shaders that are not solid get none. */
static void model_clip(const struct draw_surface *surface, int flags, double depth,
                       struct clip_body **out)
{
    struct clipper clipper = {surface, flags, depth > 0 ? depth : MODEL_CLIP_DEPTH, out};
    const int stops = Q3_CONTENTS_SOLID | Q3_CONTENTS_PLAYERCLIP;
    if (!(surface->shader->contents & stops))
        return;
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct outline one, two, both;
        if (!outline_of(surface, i, &one))
            continue;
        /* Files have the two halves of a quad in sequence. */
        if (i + 5 < arrlenu(surface->indices) && outline_of(surface, i + 3, &two) &&
            join_outlines(&one, &two, &both)) {
            add_body(&clipper, &both);
            i += 3;
        } else {
            add_body(&clipper, &one);
        }
    }
}

/* Range of the engine's collision, in units. */
#define FARTHEST 65535.0

/* --- places --- */

struct renaming {
    const char *from, *to;
};

struct placer {
    const struct entity *entity;
    const struct model_owner *owner;
    struct assets *assets;
    struct diag *diag;
    struct placed_models *out;
    struct arena arena;
    struct transform transform;
    bool mirrored;
    int flags; /* enum misc_model_flag */
    double clip_depth;
    const char *name;           /* of the model */
    struct renaming *renamings; /* stb_ds array */
    struct renaming *skin;      /* stb_ds array: shaders by part name */
};

static struct transform entity_transform(const struct entity *entity, struct vec3 origin)
{
    struct vec3 at = vec3(0, 0, 0), angles = vec3(0, entity_number(entity, "angle", 0), 0);
    double scale = entity_number(entity, "modelscale", 1);
    struct vec3 scales = vec3(scale, scale, scale);
    entity_vector(entity, "origin", &at);
    entity_vector(entity, "angles", &angles);
    entity_vector(entity, "modelscale_vec", &scales);
    struct transform transform = transform_from_angles(vec3_sub(at, origin), angles, 1);
    for (int i = 0; i < 3; i++)
        transform.axes[i] = vec3_scale(transform.axes[i], scales.e[i]);
    return transform;
}

/* Reads "from;to" of keys that begin with _remap. */
static void read_renamings(struct placer *placer)
{
    for (size_t i = 0; i < arrlenu(placer->entity->pairs); i++) {
        const struct key_value *pair = &placer->entity->pairs[i];
        const char *semicolon = strchr(pair->value, ';');
        if (!str_starts_nocase(pair->key, "_remap") || !semicolon)
            continue;
        struct renaming renaming = {
            arena_strndup(&placer->arena, pair->value, (size_t)(semicolon - pair->value)),
            arena_strdup(&placer->arena, semicolon + 1)};
        arrput(placer->renamings, renaming);
    }
}

/* Parses the lines of a skin: "part,shader". */
static void read_skin_lines(struct placer *placer, char *text)
{
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line[strcspn(line, "\r")] = 0;
        char *comma = strchr(line, ',');
        if (!comma || !comma[1])
            continue;
        *comma = 0;
        struct renaming renaming = {line, comma + 1};
        arrput(placer->skin, renaming);
    }
}

/* The skin of models/x.md3 with skin 2 is models/x_2.skin. */
static void read_skin(struct placer *placer)
{
    const char *key = entity_has(placer->entity, "_skin") ? "_skin" : "skin";
    const char *number = entity_value(placer->entity, key), *dot = strrchr(placer->name, '.');
    struct bytes file = {0};
    if (!*number || !dot)
        return;
    const char *name = arena_printf(&placer->arena, "%.*s_%d.skin", (int)(dot - placer->name),
                                    placer->name, (int)entity_number(placer->entity, key, 0));
    if (assets_read(placer->assets, name, &file))
        read_skin_lines(placer, arena_strndup(&placer->arena, (const char *)file.data, file.size));
    bytes_free(&file);
}

/* Matches the whole name, or its end after a slash. */
static bool name_matches(const char *shader, const char *from)
{
    size_t length = strlen(shader), part = strlen(from);
    if (!part || part > length || !str_equal_nocase(shader + length - part, from))
        return false;
    return part == length || from[0] == '/' || shader[length - part - 1] == '/';
}

static const char *renamed(const struct placer *placer, const char *shader)
{
    const char *all = NULL;
    for (size_t i = 0; i < arrlenu(placer->renamings); i++) {
        if (name_matches(shader, placer->renamings[i].from))
            return placer->renamings[i].to;
        if (!all && !strcmp(placer->renamings[i].from, "*"))
            all = placer->renamings[i].to;
    }
    return all ? all : shader;
}

static const struct shader *shader_of_part(struct placer *placer, const struct mesh_part *part)
{
    const char *name = part->shader, *every = entity_value(placer->entity, "_shader");
    for (size_t i = 0; i < arrlenu(placer->skin); i++)
        if (str_equal_nocase(placer->skin[i].from, part->name))
            name = mesh_model_shader(&placer->arena, placer->skin[i].to);
    name = *every ? every : renamed(placer, name);
    return assets_shader(placer->assets, *name ? name : "noshader");
}

static struct draw_vertex place_vertex(const struct placer *placer, const struct mesh_vertex *from)
{
    struct draw_vertex vertex = {.p = transform_point(&placer->transform, from->p),
                                 .normal = transform_normal(&placer->transform, from->normal),
                                 .texture = {from->texture[0], from->texture[1]}};
    memcpy(vertex.colour, from->colour, sizeof vertex.colour);
    if (placer->flags & MISC_MODEL_COLOUR_TO_ALPHA) {
        int sum = from->colour[0] + from->colour[1] + from->colour[2];
        memset(vertex.colour, 255, 3);
        vertex.colour[3] = (uint8_t)((sum + 1) / 3);
    }
    return vertex;
}

static struct vec3 front_of(const struct draw_surface *surface, const int *triangle)
{
    const struct draw_vertex *v = surface->vertices;
    return vec3_cross(vec3_sub(v[triangle[2]].p, v[triangle[0]].p),
                      vec3_sub(v[triangle[1]].p, v[triangle[0]].p));
}

/* Drops degenerate triangles, of a scale of 0 or of the file. */
static void place_triangles(const struct placer *placer, const struct mesh_part *part,
                            struct draw_surface *out)
{
    for (int32_t i = 0; i + 2 < part->index_count; i += 3) {
        int triangle[3] = {part->indices[i], part->indices[i + 1], part->indices[i + 2]};
        if (placer->mirrored) {
            triangle[1] = part->indices[i + 2];
            triangle[2] = part->indices[i + 1];
        }
        if (!(vec3_length(front_of(out, triangle)) > 1e-9))
            continue;
        for (int k = 0; k < 3; k++)
            arrput(out->indices, triangle[k]);
    }
}

/* Corners without a normal get the mean of their triangles', weighted by area. */
static void add_missing_normals(struct draw_surface *surface)
{
    bool *missing = memory_alloc(arrlenu(surface->vertices) * sizeof *missing);
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        missing[i] = !(vec3_length(surface->vertices[i].normal) > 0.5);
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3)
        for (size_t k = 0; k < 3; k++) {
            int vertex = surface->indices[i + k];
            if (missing[vertex])
                surface->vertices[vertex].normal = vec3_add(
                    surface->vertices[vertex].normal, front_of(surface, surface->indices + i));
        }
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        struct vec3 normal = vec3_normalize(surface->vertices[i].normal);
        surface->vertices[i].normal = vec3_length(normal) > 0.5 ? normal : vec3(0, 0, 1);
    }
    memory_free(missing);
}

/* Gives each triangle its own corners. */
static void make_flat(struct draw_surface *surface)
{
    struct draw_vertex *vertices = NULL;
    for (size_t i = 0; i < arrlenu(surface->indices); i++) {
        struct vec3 normal = vec3_normalize(front_of(surface, surface->indices + i - i % 3));
        struct draw_vertex vertex = surface->vertices[surface->indices[i]];
        vertex.normal = normal;
        arrput(vertices, vertex);
    }
    for (size_t i = 0; i < arrlenu(surface->indices); i++)
        surface->indices[i] = (int)i;
    arrfree(surface->vertices);
    surface->vertices = vertices;
}

static bool is_in_the_world(const struct draw_surface *surface)
{
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        for (int k = 0; k < 3; k++)
            if (!(fabs(surface->vertices[i].p.e[k]) <= FARTHEST))
                return false;
    return true;
}

static struct draw_surface surface_of_part(struct placer *placer, const struct mesh_part *part)
{
    const struct model_owner *owner = placer->owner;
    struct draw_surface surface = {.type = SURFACE_MESH,
                                   .shader = shader_of_part(placer, part),
                                   .entity = owner->entity,
                                   .model = owner->model,
                                   .fog = -1,
                                   .keys = owner->keys,
                                   .where = owner->where};
    bool meta =
        placer->flags & MISC_MODEL_META || surface.shader->compile_flags & SHADER_FORCE_META;
    surface.lightmapped = meta && shader_wants_lightmap(surface.shader);
    surface.no_tjunctions = !meta || surface.shader->compile_flags & SHADER_NO_TJUNCTIONS;
    for (int32_t i = 0; i < part->vertex_count; i++)
        arrput(surface.vertices, place_vertex(placer, &part->vertices[i]));
    place_triangles(placer, part, &surface);
    if (placer->flags & MISC_MODEL_NO_SMOOTHING) {
        surface.keys.shade_angle = -1;
        make_flat(&surface);
    } else {
        add_missing_normals(&surface);
    }
    return surface;
}

static bool wants_bodies(const struct placer *placer, const struct shader *shader)
{
    if (shader->compile_flags & SHADER_NO_CLIP)
        return false;
    return placer->flags & MISC_MODEL_CLIP || shader->compile_flags & SHADER_CLIP_MODEL;
}

static void place_part(struct placer *placer, const struct mesh_part *part)
{
    struct draw_surface surface = surface_of_part(placer, part);
    if (!is_in_the_world(&surface)) {
        diag_report(placer->diag, DIAG_MODEL_FAR, &placer->owner->where,
                    "a part of \"%s\" is more than %.0f units from the origin", placer->name,
                    FARTHEST);
        draw_surface_free(&surface);
        return;
    }
    if (wants_bodies(placer, surface.shader))
        model_clip(&surface, placer->flags, placer->clip_depth, &placer->out->bodies);
    if (!arrlenu(surface.indices) || surface.shader->surface_flags & Q3_SURFACE_NODRAW)
        draw_surface_free(&surface);
    else
        surface_split(&surface, &META_LIMITS, &placer->out->surfaces);
}

static void place_model(struct placer *placer)
{
    struct mesh_model model;
    const char *frame = entity_has(placer->entity, "_frame") ? "_frame" : "frame";
    enum mesh_model_found found =
        mesh_model_load(placer->assets, placer->name, (int)entity_number(placer->entity, frame, 0),
                        &placer->owner->where, placer->diag, &placer->arena, &model);
    if (found == MESH_MODEL_MISSING)
        diag_report(placer->diag, DIAG_MODEL_ABSENT, &placer->owner->where, "\"%s\"", placer->name);
    if (found != MESH_MODEL_LOADED)
        return;
    read_renamings(placer);
    read_skin(placer);
    for (int32_t i = 0; i < model.part_count; i++)
        place_part(placer, &model.parts[i]);
    arrfree(placer->renamings);
    arrfree(placer->skin);
}

static bool is_mirrored(const struct transform *transform)
{
    return vec3_dot(vec3_cross(transform->axes[0], transform->axes[1]), transform->axes[2]) < 0;
}

void model_place_entity(const struct entity *entity, const struct model_owner *owner,
                        struct assets *assets, struct diag *diag, struct placed_models *out)
{
    double depth = owner->clip_depth > 0 ? owner->clip_depth : MODEL_CLIP_DEPTH;
    struct placer placer = {.entity = entity,
                            .owner = owner,
                            .assets = assets,
                            .diag = diag,
                            .out = out,
                            .transform = entity_transform(entity, owner->origin),
                            .flags = (int)entity_number(entity, "spawnflags", 0),
                            .clip_depth = entity_number(entity, "_clipdepth", depth),
                            .name = entity_value(entity, "model")};
    placer.mirrored = is_mirrored(&placer.transform);
    place_model(&placer);
    arena_free(&placer.arena);
}

void model_place_at(const struct mesh_model *model, const char *name,
                    const struct transform *transform, const struct model_owner *owner,
                    struct assets *assets, struct diag *diag, struct placed_models *out)
{
    const struct entity no_keys = {0};
    struct placer placer = {.entity = &no_keys,
                            .owner = owner,
                            .assets = assets,
                            .diag = diag,
                            .out = out,
                            .transform = *transform,
                            .mirrored = is_mirrored(transform),
                            .clip_depth = MODEL_CLIP_DEPTH,
                            .name = name};
    for (int32_t i = 0; i < model->part_count; i++)
        place_part(&placer, &model->parts[i]);
    arena_free(&placer.arena);
}

void clip_bodies_free(struct clip_body *bodies)
{
    for (size_t i = 0; i < arrlenu(bodies); i++)
        arrfree(bodies[i].planes);
    arrfree(bodies);
}
