#include "vrad/scene/scene_solids.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lightmap_extent.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"
#include "vrad/scene/disp_mesh.h"

/* --- scene alpha shadows --- */

enum {
    OPAQUE_CONTENTS = SURFACE_SKY | SURFACE_SKY2D | SURFACE_WARP | SURFACE_NODRAW | SURFACE_HINT |
                      SURFACE_SKIP | SURFACE_TRIGGER
};

struct corner {
    float position[3], uv[2], st[2];
};

static double along(const float axis[4], struct vec3 p)
{
    return p.x * (double)axis[0] + p.y * (double)axis[1] + p.z * (double)axis[2] + (double)axis[3];
}

static struct corner corner_at(const struct scene *scene, const struct bsp_face *face,
                               const struct lightmap_extent *extent, int model, int index)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
    const struct bsp_texdata *texdata = &bsp->texdata[texinfo->texdata];
    const int size[2] = {texdata->width, texdata->height};
    struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, index));
    struct vec3 place = vec3_add(p, scene->model_origins[model]);
    struct corner corner;
    for (int k = 0; k < 3; k++)
        corner.position[k] = (float)place.e[k];
    for (int i = 0; i < 2; i++) {
        corner.uv[i] = (float)(along(texinfo->texture[i], p) / (size[i] > 0 ? size[i] : 1));
        corner.st[i] = (float)(along(texinfo->lightmap[i], p) - extent->mins[i]);
    }
    return corner;
}

static void add_alpha_triangle(struct scene *scene, int texture, int number,
                               const struct corner *const corners[3])
{
    const struct bsp_face *face = &scene->bsp->faces[number];
    float positions[9], uv[3][2], st[3][2];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            positions[3 * i + k] = corners[i]->position[k];
        for (int k = 0; k < 2; k++) {
            uv[i][k] = corners[i]->uv[k];
            st[i][k] = corners[i]->st[k];
        }
    }
    alpha_triangle_add(scene, texture, number, positions, (const float(*)[2])uv,
                       (const float(*)[2])st, scene->bsp->planes[face->plane].normal);
}

static void add_face(struct scene *scene, int texture, int model, int number)
{
    const struct bsp_face *face = &scene->bsp->faces[number];
    const struct lightmap_extent extent = lightmap_extent_of(scene->bsp, face);
    struct corner first = corner_at(scene, face, &extent, model, 0);
    struct corner last = corner_at(scene, face, &extent, model, 1);
    for (int i = 2; i < face->edge_count; i++) {
        struct corner next = corner_at(scene, face, &extent, model, i);
        add_alpha_triangle(scene, texture, number,
                           (const struct corner *const[3]){&first, &last, &next});
        last = next;
    }
}

/* Adds the faces of `model` with a partly transparent material that lie on no occluding brush
 * (`blocking`, one byte per face) as alpha triangles. Water is not included. */
static void scene_add_alpha_faces(const struct env *env, const struct alpha_source *source,
                                  struct scene *scene, int model, const unsigned char *blocking)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_model *at = &bsp->models[model];
    for (int i = at->first_face; i < at->first_face + at->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        if (blocking[i] || face->dispinfo >= 0 || face->edge_count < 3 || face->texinfo < 0)
            continue;
        const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
        if (texinfo->flags & OPAQUE_CONTENTS || texinfo->texdata < 0)
            continue;
        int texture = alpha_texture_of(env, source, &scene->alpha_shadows,
                                       bsp_texinfo_name(bsp, face->texinfo),
                                       bsp->texdata[texinfo->texdata].reflectivity);
        if (texture >= 0)
            add_face(scene, texture, model, i);
    }
}

/* --- scene solids --- */

enum { BLOCKS_LIGHT = CONTENTS_SOLID | CONTENTS_MOVEABLE | CONTENTS_OPAQUE };
enum { IS_SKY = SURFACE_SKY | SURFACE_SKY2D };

/* Minimum common area, in units squared, of a face and a brush side that overlap: rounding may make
 * neighbours share less. */
#define MIN_OVERLAP 0.05

/* Corners of a brush are tested this fraction of the way towards its middle. */
#define CORNER_INSET 0.02

/* Bits of a face: it lies on a side of an occluding brush; of one that is not in the world's
 * tree. */
enum { FACE_ON_SOLID = 1, FACE_ON_LOOSE = 2 };

struct builder {
    struct scene *scene;
    const struct bsp *bsp;
    struct arena arena;        /* windings of one brush */
    struct arena faces;        /* windings of all faces */
    struct winding **windings; /* one per face; NULL: not a plain polygon */
    int *first_on_plane;       /* one per plane: its first face, or -1 */
    int *next_on_plane;        /* one per face */
    int *face_models;          /* one per face */
    unsigned char *blocking;   /* one per face: FACE_ON_ bits */
    int *marked;               /* stb_ds array: faces on the sides of one brush */
    struct vec3 *corners;      /* stb_ds array: of the sides of one brush */
    int model;
    struct vec3 origin; /* of the model */
};

/* Counts of triangles at some time. */
struct triangle_mark {
    size_t solids, face_triangles;
};

static struct triangle_mark triangles_so_far(const struct builder *b)
{
    struct triangle_mark mark;
    trace_positions(b->scene->trace, TRACE_SOLID, &mark.solids);
    trace_positions(b->scene->trace, TRACE_FACE, &mark.face_triangles);
    return mark;
}

/* Marks the triangles added since then as not in the tree. */
static void add_loose(struct builder *b, struct triangle_mark since)
{
    size_t solids, face_triangles;
    const float *solid = trace_positions(b->scene->trace, TRACE_SOLID, &solids);
    const float *positions = trace_positions(b->scene->trace, TRACE_FACE, &face_triangles);
    trace_add(b->scene->trace, TRACE_LOOSE_SOLID, solid + 9 * since.solids, NULL,
              solids - since.solids);
    for (size_t i = since.face_triangles; i < face_triangles; i++) {
        uint32_t number = (uint32_t)i;
        trace_add(b->scene->trace, TRACE_LOOSE_FACE, positions + 9 * i, &number, 1);
    }
}

static void add_triangle(struct builder *b, enum trace_class class, const struct vec3 points[3],
                         const uint32_t *user)
{
    float positions[9];
    for (int i = 0; i < 9; i++)
        positions[i] = (float)(points[i / 3].e[i % 3] + b->origin.e[i % 3]);
    trace_add(b->scene->trace, class, positions, user, 1);
}

static void add_winding(struct builder *b, enum trace_class class, const struct winding *winding)
{
    for (int i = 2; i < winding->count; i++) {
        const struct vec3 points[3] = {winding->points[0], winding->points[i - 1],
                                       winding->points[i]};
        add_triangle(b, class, points, NULL);
    }
}

/* Adds a triangle of the FACE class. `st` are luxel coordinates of its corners; NULL for blank. */
static void add_face_triangle(struct builder *b, int face, const struct vec3 points[3],
                              const float (*st)[2], struct vec3 normal)
{
    bool one_sided = face >= 0 && b->bsp->faces[face].dispinfo >= 0;
    const float out[3] = {(float)normal.x, (float)normal.y, (float)normal.z};
    struct scene_triangle triangle = scene_triangle_of(face, st, out);
    uint32_t number = (uint32_t)arrlen(b->scene->triangles);
    arrput(b->scene->triangles, triangle);
    arrput(b->scene->one_sided, one_sided);
    add_triangle(b, TRACE_FACE, points, &number);
}

static struct vec3 plane_normal(const struct bsp *bsp, int plane)
{
    const float *n = bsp->planes[plane].normal;
    return vec3((double)n[0], (double)n[1], (double)n[2]);
}

static void add_blank(struct builder *b, const struct winding *winding, struct vec3 normal)
{
    for (int i = 2; i < winding->count; i++) {
        const struct vec3 points[3] = {winding->points[0], winding->points[i - 1],
                                       winding->points[i]};
        add_face_triangle(b, SCENE_BLANK, points, NULL, normal);
    }
}

static void luxel_coordinates(const struct bsp_texinfo *texinfo,
                              const struct lightmap_extent *extent, struct vec3 p, float st[2])
{
    for (int i = 0; i < 2; i++) {
        const float *v = texinfo->lightmap[i];
        st[i] = (float)(p.x * (double)v[0] + p.y * (double)v[1] + p.z * (double)v[2] +
                        (double)v[3] - extent->mins[i]);
    }
}

static void add_to_tree(struct builder *b, int number, const struct lightmap_extent *extent,
                        struct vec3 normal)
{
    const struct bsp_face *face = &b->bsp->faces[number];
    float luxel[2][4];
    memcpy(luxel, b->bsp->texinfo[face->texinfo].lightmap, sizeof luxel);
    for (int i = 0; i < 2; i++)
        luxel[i][3] -= (float)extent->mins[i];
    scene_tree_add_face(&b->scene->world, number, b->windings[number], normal,
                        (const float(*)[4])luxel);
}

static void add_face_to_tree(struct builder *b, int number)
{
    const struct bsp_face *face = &b->bsp->faces[number];
    const struct winding *winding = b->windings[number];
    struct vec3 normal = plane_normal(b->bsp, face->plane);
    const struct lightmap_extent extent = lightmap_extent_of(b->bsp, face);
    struct triangle_mark mark = triangles_so_far(b);
    if (b->model == 0)
        add_to_tree(b, number, &extent, normal);
    for (int i = 2; i < winding->count; i++) {
        const struct vec3 points[3] = {winding->points[0], winding->points[i - 1],
                                       winding->points[i]};
        float st[3][2];
        for (int k = 0; k < 3; k++)
            luxel_coordinates(&b->bsp->texinfo[face->texinfo], &extent, points[k], st[k]);
        add_face_triangle(b, number, points, (const float(*)[2])st, normal);
    }
    if (b->blocking[number] & FACE_ON_LOOSE)
        add_loose(b, mark);
}

/* The surfaces that it covers are hidden. */
static void add_curve(struct builder *b, const struct disp_mesh *mesh)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < mesh->columns * mesh->rows; i++)
        bounds_add_point(&box, mesh->points[i]);
    arrput(b->scene->curves, box);
}

static void add_displacement(struct builder *b, int number)
{
    const struct bsp_face *face = &b->bsp->faces[number];
    struct arena_mark mark = arena_mark(&b->arena);
    struct triangle_mark triangles = triangles_so_far(b);
    struct disp_mesh mesh;
    if (disp_mesh_build(b->bsp, face, &b->arena, &mesh)) {
        int side = mesh.columns, cells = side - 1;
        add_curve(b, &mesh);
        for (int i = 0; i < disp_mesh_triangles(&mesh); i++) {
            int corners[3];
            struct vec3 points[3];
            float st[3][2];
            disp_mesh_triangle(&mesh, i, corners);
            for (int k = 0; k < 3; k++) {
                points[k] = mesh.points[corners[k]];
                st[k][0] = (float)(corners[k] % side * face->lightmap_size[0]) / (float)cells;
                st[k][1] = (float)(corners[k] / side * face->lightmap_size[1]) / (float)cells;
            }
            struct vec3 normal = vec3_normalize(
                vec3_cross(vec3_sub(points[2], points[0]), vec3_sub(points[1], points[0])));
            add_triangle(b, TRACE_SOLID, points, NULL);
            add_face_triangle(b, number, points, (const float(*)[2])st, normal);
        }
    }
    add_loose(b, triangles);
    arena_release(&b->arena, mark);
}

static int face_flags(const struct bsp *bsp, const struct bsp_face *face)
{
    return face->texinfo >= 0 ? bsp->texinfo[face->texinfo].flags : SURFACE_NOLIGHT;
}

/* Merged vertices may lie off their face's plane, which would raise the face over its own
 * luxels. */
static struct vec3 onto_plane(const struct bsp *bsp, int plane, struct vec3 point)
{
    struct vec3 normal = plane_normal(bsp, plane);
    double above = vec3_dot(normal, point) - (double)bsp->planes[plane].dist;
    return vec3_mad(point, normal, -above);
}

/* Collects the polygons of the faces, in lists by plane. */
static void collect_faces(struct builder *b)
{
    const struct bsp *bsp = b->bsp;
    size_t count = arrlenu(bsp->faces), planes = arrlenu(bsp->planes);
    b->windings = ARENA_ARRAY(&b->faces, struct winding *, count);
    b->next_on_plane = ARENA_ARRAY(&b->faces, int, count);
    b->face_models = ARENA_ARRAY(&b->faces, int, count);
    b->blocking = ARENA_ARRAY(&b->faces, unsigned char, count);
    b->first_on_plane = ARENA_ARRAY(&b->faces, int, planes);
    for (size_t i = 0; i < planes; i++)
        b->first_on_plane[i] = -1;
    for (size_t i = 0; i < count; i++)
        b->face_models[i] = -1;
    for (ptrdiff_t m = 0; m < arrlen(bsp->models); m++)
        for (int i = 0; i < bsp->models[m].face_count; i++)
            b->face_models[bsp->models[m].first_face + i] = (int)m;
    for (int i = (int)count - 1; i >= 0; i--) {
        const struct bsp_face *face = &bsp->faces[i];
        if (face->dispinfo >= 0 || face->edge_count < 3 || face_flags(bsp, face) & IS_SKY)
            continue;
        struct winding *winding = arena_alloc(
            &b->faces, 1, sizeof *winding + (size_t)face->edge_count * sizeof(struct vec3));
        winding->count = face->edge_count;
        for (int k = 0; k < face->edge_count; k++)
            winding->points[k] =
                onto_plane(bsp, face->plane, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k)));
        b->windings[i] = winding;
        b->next_on_plane[i] = b->first_on_plane[face->plane];
        b->first_on_plane[face->plane] = i;
    }
}

/* Returns true if face `number` lies on the side's polygon: clips it by the brush's other
 * planes. */
static bool overlaps(struct builder *b, int number, const struct bounds *side,
                     const struct scene_brush *brush, int own)
{
    struct winding *rest = b->windings[number];
    struct bounds bounds = winding_bounds(rest);
    if (!bounds_touch(&bounds, side, 0))
        return false;
    struct arena_mark mark = arena_mark(&b->arena);
    for (int i = 0; i < brush->plane_count && rest; i++)
        if (i != own)
            rest =
                winding_clip_behind(&b->arena, rest, &b->scene->planes[brush->first_plane + i], 0);
    bool result = rest && winding_area(rest) > MIN_OVERLAP;
    arena_release(&b->arena, mark);
    return result;
}

/* Water and glass lie over solids that end at their surface, but belong to the sides of their own
 * brushes only. */
static bool can_be_side_face(const struct bsp *bsp, int number, const struct bsp_brush_side *side)
{
    const struct bsp_face *face = &bsp->faces[number];
    return face->texinfo == side->texinfo ||
           !(face_flags(bsp, face) & (SURFACE_WARP | SURFACE_TRANS));
}

/* Marks the faces on a side of a brush; returns true if there are any. */
static bool mark_faces(struct builder *b, const struct bsp_brush_side *side,
                       const struct winding *winding, const struct scene_brush *brush, int own)
{
    bool found = false;
    struct bounds bounds = winding_bounds(winding);
    for (int i = b->first_on_plane[side->plane]; i >= 0; i = b->next_on_plane[i]) {
        if (b->face_models[i] == b->model && can_be_side_face(b->bsp, i, side) &&
            overlaps(b, i, &bounds, brush, own)) {
            b->blocking[i] |= FACE_ON_SOLID;
            arrput(b->marked, i);
            found = true;
        }
    }
    return found;
}

static struct winding *side_winding(struct builder *b, const struct scene_brush *brush, int own)
{
    const struct plane *planes = b->scene->planes + brush->first_plane;
    struct winding *winding = winding_of_side(&b->arena, planes, (size_t)brush->plane_count,
                                              (size_t)own, EPSILON_BRUSH_CLIP);
    return winding && winding->count >= 3 && !winding_is_huge(winding) ? winding : NULL;
}

static void add_side(struct builder *b, const struct bsp_brush_side *side,
                     struct scene_brush *brush, int own)
{
    struct arena_mark mark = arena_mark(&b->arena);
    struct winding *winding = side_winding(b, brush, own);
    if (winding) {
        for (int i = 0; i < winding->count; i++) {
            bounds_add_point(&brush->bounds, vec3_add(winding->points[i], b->origin));
            arrput(b->corners, winding->points[i]);
        }
        int flags = side->texinfo >= 0 ? b->bsp->texinfo[side->texinfo].flags : 0;
        if (!(flags & IS_SKY)) {
            add_winding(b, TRACE_SOLID, winding);
            if (!mark_faces(b, side, winding, brush, own))
                add_blank(b, winding, plane_normal(b->bsp, side->plane));
        }
    }
    arena_release(&b->arena, mark);
}

/* Returns true if the tree of the world is solid where the brush is: a compiler may have dropped a
 * small one, or a kind of brush. Tested slightly inside of its corners. */
static bool is_in_tree(const struct builder *b)
{
    struct vec3 middle = vec3(0, 0, 0);
    ptrdiff_t count = arrlen(b->corners);
    if (b->model != 0)
        return false;
    for (ptrdiff_t i = 0; i < count; i++)
        middle = vec3_mad(middle, b->corners[i], 1.0 / (double)count);
    for (ptrdiff_t i = 0; i < count; i++)
        if (!scene_tree_is_solid_at(&b->scene->world,
                                    vec3_lerp(b->corners[i], middle, CORNER_INSET)))
            return false;
    return true;
}

static void add_brush(struct builder *b, int number)
{
    const struct bsp_brush *source = &b->bsp->brushes[number];
    struct scene_brush brush = {.bounds = bounds_empty(),
                                .first_plane = (int)arrlen(b->scene->planes)};
    const struct bsp_brush_side *sides = b->bsp->brush_sides + source->first_side;
    for (int i = 0; i < source->side_count; i++) {
        if (sides[i].bevel)
            continue;
        struct plane plane = {plane_normal(b->bsp, sides[i].plane),
                              (double)b->bsp->planes[sides[i].plane].dist};
        arrput(b->scene->planes, plane);
        brush.plane_count++;
    }
    struct triangle_mark mark = triangles_so_far(b);
    arrsetlen(b->corners, 0);
    arrsetlen(b->marked, 0);
    for (int i = 0, own = 0; i < source->side_count; i++)
        if (!sides[i].bevel)
            add_side(b, &sides[i], &brush, own++);
    if (!is_in_tree(b)) {
        add_loose(b, mark);
        for (ptrdiff_t i = 0; i < arrlen(b->marked); i++)
            b->blocking[b->marked[i]] |= FACE_ON_LOOSE;
    }
    /* From here on the planes are in world space. */
    for (int i = 0; i < brush.plane_count; i++) {
        struct plane *plane = &b->scene->planes[brush.first_plane + i];
        plane->dist += vec3_dot(plane->normal, b->origin);
    }
    b->scene->brush_numbers[number] = (int)arrlen(b->scene->brushes);
    arrput(b->scene->brushes, brush);
}

/* The brushes in the leaves of the model's tree, in their own order. */
static void add_model(struct builder *b, unsigned char *seen_nodes, unsigned char *wanted)
{
    const struct bsp *bsp = b->bsp;
    int *stack = NULL;
    arrput(stack, bsp->models[b->model].head_node);
    while (arrlen(stack) > 0) {
        int node = arrpop(stack);
        if (node >= 0) {
            if (seen_nodes[node])
                continue;
            seen_nodes[node] = 1;
            arrput(stack, bsp->nodes[node].children[0]);
            arrput(stack, bsp->nodes[node].children[1]);
            continue;
        }
        const struct bsp_leaf *leaf = &bsp->leaves[-1 - node];
        for (int i = 0; i < leaf->brush_count; i++) {
            int brush = bsp->leaf_brushes[leaf->first_brush + i];
            if (bsp->brushes[brush].contents & BLOCKS_LIGHT)
                wanted[brush] = 1;
        }
    }
    arrfree(stack);
    for (ptrdiff_t i = 0; i < arrlen(bsp->brushes); i++) {
        if (wanted[i] && b->scene->brush_numbers[i] < 0)
            add_brush(b, (int)i);
        wanted[i] = 0;
    }
}

static void add_sky_face(struct builder *b, int number)
{
    const struct bsp_face *face = &b->bsp->faces[number];
    struct arena_mark mark = arena_mark(&b->arena);
    struct winding *winding =
        arena_alloc(&b->arena, 1, sizeof *winding + (size_t)face->edge_count * sizeof(struct vec3));
    winding->count = face->edge_count;
    for (int i = 0; i < face->edge_count; i++)
        winding->points[i] = onto_plane(b->bsp, face->plane,
                                        bsp_vertex_at(b->bsp, bsp_face_vertex(b->bsp, face, i)));
    scene_tree_add_face(&b->scene->world, SCENE_SKY, winding, plane_normal(b->bsp, face->plane),
                        NULL);
    arena_release(&b->arena, mark);
}

static void add_world_faces(struct builder *b)
{
    const struct bsp *bsp = b->bsp;
    const struct bsp_model *world = &bsp->models[0];
    for (int i = world->first_face; i < world->first_face + world->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        if (face->dispinfo >= 0) {
            add_displacement(b, i);
        } else if (face_flags(bsp, face) & IS_SKY && face->edge_count >= 3) {
            struct vec3 points[3];
            add_sky_face(b, i);
            points[0] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, 0));
            for (int k = 2; k < face->edge_count; k++) {
                points[1] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k - 1));
                points[2] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
                add_triangle(b, TRACE_SKY, points, NULL);
            }
            b->scene->has_sky = true;
        }
    }
}

void scene_add_solids(struct scene *scene, const unsigned char *casts, const struct env *env,
                      const struct alpha_source *source)
{
    const struct bsp *bsp = scene->bsp;
    struct builder b = {.scene = scene, .bsp = bsp};
    scene_tree_begin(bsp, &scene->tree, BLOCKS_LIGHT, &scene->world);
    collect_faces(&b);
    unsigned char *seen = memory_zalloc(arrlenu(bsp->nodes) + 1, 1);
    unsigned char *wanted = memory_zalloc(arrlenu(bsp->brushes) + 1, 1);
    for (ptrdiff_t m = 0; m < arrlen(bsp->models); m++) {
        if (m > 0 && !casts[m])
            continue;
        b.model = (int)m;
        b.origin = scene->model_origins[m];
        add_model(&b, seen, wanted);
        for (int i = 0; i < bsp->models[m].face_count; i++)
            if (b.blocking[bsp->models[m].first_face + i])
                add_face_to_tree(&b, bsp->models[m].first_face + i);
        if (source)
            scene_add_alpha_faces(env, source, scene, (int)m, b.blocking);
    }
    b.origin = vec3(0, 0, 0);
    if (arrlen(bsp->models) > 0)
        add_world_faces(&b);
    memory_free(seen);
    memory_free(wanted);
    arrfree(b.marked);
    arrfree(b.corners);
    arena_free(&b.arena);
    arena_free(&b.faces);
}
