/* Occluders: drawn surfaces, the sky, and opaque brushes. */
#include "common/bsp/engine.h"
#include "vrad/target/quake3/scene/scene.h"

#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"
#include "vrad/target/quake3/level/srgb.h"

/* Undrawn sides of structural brushes: caulk behind a curve stops the light that curves let pass.
 * Detail caulk does not, since the tree is open there. */

/* Distance of the points that are tested before and behind a side, in units. */
#define NEAR 0.25

/* Points tested between the middle of a side and each of its corners. */
enum { STEPS = 3 };

struct side_job {
    struct quake3_light *q;
    const struct scene_brush *brush;
    struct arena arena;
};

static bool is_solid_at(const struct bsp *bsp, struct vec3 point)
{
    return bsp->leaves[bsp_leaf_at(bsp, 0, point)].cluster < 0;
}

/* Returns true if the tree is solid behind the side and open before it, somewhere. */
static bool bounds_solid(const struct bsp *bsp, const struct winding *winding, struct vec3 normal)
{
    struct vec3 middle = winding_center(winding);
    for (int i = 0; i < winding->count; i++)
        for (int k = 0; k < STEPS; k++) {
            double share = (k + 0.5) / (double)STEPS;
            struct vec3 toward = vec3_sub(winding->points[i], middle);
            struct vec3 point = vec3_mad(middle, toward, share);
            if (!is_solid_at(bsp, vec3_mad(point, normal, NEAR)) &&
                is_solid_at(bsp, vec3_mad(point, normal, -NEAR)))
                return true;
        }
    return false;
}

static void add_triangles(struct scene *scene, const struct winding *winding, struct vec3 normal)
{
    float out[3];
    for (int k = 0; k < 3; k++)
        out[k] = (float)normal.e[k];
    for (int i = 1; i + 1 < winding->count; i++) {
        const struct vec3 *corners[3] = {&winding->points[0], &winding->points[i],
                                         &winding->points[i + 1]};
        float positions[9];
        for (int k = 0; k < 9; k++)
            positions[k] = (float)corners[k / 3]->e[k % 3];
        uint32_t number = (uint32_t)arrlen(scene->triangles);
        struct scene_triangle triangle = scene_triangle_of(SCENE_BLANK, NULL, out);
        arrput(scene->triangles, triangle);
        arrput(scene->one_sided, false);
        trace_add(scene->trace, TRACE_SOLID, positions, NULL, 1);
        trace_add(scene->trace, TRACE_FACE, positions, &number, 1);
    }
}

static void add_side(struct side_job *job, int own)
{
    struct scene *scene = &job->q->scene;
    struct arena_mark mark = arena_mark(&job->arena);
    const struct plane *planes = scene->planes + job->brush->first_plane;
    const struct winding *winding = winding_of_side(
        &job->arena, planes, (size_t)job->brush->plane_count, (size_t)own, EPSILON_BRUSH_CLIP);
    if (winding && winding->count >= 3 &&
        !winding_is_beyond(winding, job->q->bsp->engine->geometry.world_limit) &&
        bounds_solid(job->q->bsp, winding, planes[own].normal))
        add_triangles(scene, winding, planes[own].normal);
    arena_release(&job->arena, mark);
}

/* Adds the undrawn sides of an opaque brush of the world that bound solid leaves. */
static void quake3_add_solid_sides(struct quake3_light *q, int brush)
{
    struct side_job job = {.q = q, .brush = &q->scene.brushes[q->scene.brush_numbers[brush]]};
    const struct bsp_brush *from = &q->bsp->brushes[brush];
    for (int i = 0; i < from->side_count; i++) {
        int shader = q->bsp->brush_sides[from->first_side + i].texinfo;
        bool known = shader >= 0 && shader < arrlen(q->bsp->shaders);
        int flags = known ? bsp_shader_surface(q->bsp, shader) : 0;
        if (flags & Q3_SURFACE_NODRAW && !(flags & Q3_SURFACE_SKY))
            add_side(&job, i);
    }
    arena_free(&job.arena);
}

/* ---- triangles ---- */

struct corner {
    struct vec3 p;
    float st[2]; /* luxel coordinates */
    float uv[2]; /* texture coordinates, in repetitions */
    struct vec3 normal;
};

/* All by which a triangle that blocks light differs from another in the same place, except for
 * where its light is looked up. Integers instead of flags, so that there are no gaps. */
struct occluding_triangle {
    float positions[9], normal[3];
    int32_t casts, lit, one_sided;
};

struct known_triangle {
    struct occluding_triangle key;
    bool value;
};

struct known_box {
    struct bounds key;
    bool value;
};

/* The scene while it is filled. */
struct occluding {
    struct quake3_light *q;
    struct known_triangle *known; /* stb_ds hash maps */
    struct known_box *curves;
    int64_t repeated; /* triangles left out */
};

static struct vec3 facing(const struct corner corners[3])
{
    struct vec3 plane =
        vec3_cross(vec3_sub(corners[2].p, corners[0].p), vec3_sub(corners[1].p, corners[0].p));
    struct vec3 out = vec3_add(vec3_add(corners[0].normal, corners[1].normal), corners[2].normal);
    return vec3_normalize(vec3_dot(plane, out) < 0 ? vec3_neg(plane) : plane);
}

static void add_alpha_triangle(struct scene *scene, const struct lit_surface *lit,
                               const float positions[9], const struct corner corners[3],
                               const float normal[3])
{
    float uv[3][2], st[3][2];
    for (int i = 0; i < 3; i++) {
        memcpy(uv[i], corners[i].uv, sizeof uv[i]);
        memcpy(st[i], corners[i].st, sizeof st[i]);
    }
    int receiver = lit->receiver >= 0 ? lit->receiver : SCENE_BLANK;
    alpha_triangle_add(scene, lit->material->alpha_texture, receiver, positions,
                       (const float(*)[2])uv, receiver >= 0 ? (const float(*)[2])st : NULL, normal);
}

/* Returns true if there is an equal triangle already. Rays would test every one of those that lie
 * in the same place, as of a surface that was placed many times, and it would depend on the order
 * in which they are stored which of them is hit: now it is the first. */
static bool is_repeated(struct occluding *to, const struct occluding_triangle *triangle)
{
    if (hmgeti(to->known, *triangle) >= 0) {
        to->repeated++;
        return true;
    }
    hmput(to->known, *triangle, true);
    return false;
}

/* Reflects light that bounces; blocks that of lights if it `casts` shadows. */
static void add_triangle(struct occluding *to, const struct lit_surface *lit,
                         const struct corner corners[3], bool casts)
{
    struct scene *scene = &to->q->scene;
    float positions[9], st[3][2], out[3];
    struct vec3 normal = facing(corners);
    for (int i = 0; i < 3; i++) {
        if (!vec3_is_finite(corners[i].p))
            return;
        memcpy(st[i], corners[i].st, sizeof st[i]);
        out[i] = (float)normal.e[i];
        for (int k = 0; k < 3; k++)
            positions[3 * i + k] = (float)corners[i].p.e[k];
    }
    if (lit->material->blocking == MATERIAL_SKY) {
        trace_add(scene->trace, TRACE_SKY, positions, NULL, 1);
        scene->has_sky = true;
        return;
    }
    if (lit->material->blocking == MATERIAL_ALPHA) {
        if (casts)
            add_alpha_triangle(scene, lit, positions, corners, out);
        return;
    }
    bool lit_there = lit->receiver >= 0;
    const struct shader *shader = lit->material->shader;
    bool one_sided = !(shader && shader->compile_flags & SHADER_TWO_SIDED);
    struct occluding_triangle key = {.casts = casts, .lit = lit_there, .one_sided = one_sided};
    memcpy(key.positions, positions, sizeof positions);
    memcpy(key.normal, out, sizeof out);
    if (is_repeated(to, &key))
        return;
    uint32_t number = (uint32_t)arrlen(scene->triangles);
    struct scene_triangle triangle = scene_triangle_of(
        lit_there ? lit->receiver : SCENE_BLANK, lit_there ? (const float(*)[2])st : NULL, out);
    arrput(scene->triangles, triangle);
    arrput(scene->one_sided, one_sided);
    if (casts)
        trace_add(scene->trace, TRACE_SOLID, positions, NULL, 1);
    trace_add(scene->trace, TRACE_FACE, positions, &number, 1);
}

static struct corner corner_of(const struct quake3_light *q, int surface, int index)
{
    const struct lit_surface *lit = &q->surfaces[surface];
    const struct bsp_draw_vertex *vertex =
        &q->bsp->draw_vertices[q->bsp->surfaces[surface].first_vertex + index];
    struct corner corner = {.p = vec3_add(vec3_from_floats(vertex->p), q->origins[lit->model]),
                            .uv = {vertex->texture[0], vertex->texture[1]}};
    if (vec3_is_finite(vec3_from_floats(vertex->normal)))
        corner.normal = vec3_from_floats(vertex->normal);
    if (lit->receiver >= 0) {
        double st[2];
        quake3_luxel_at(q, surface, index, st);
        corner.st[0] = (float)st[0];
        corner.st[1] = (float)st[1];
    }
    return corner;
}

static void add_indexed(struct occluding *to, int number)
{
    const struct quake3_light *q = to->q;
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    bool casts = !(q->options->quake3.no_surfaces && surface->type == SURFACE_MESH);
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct corner corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = corner_of(q, number, q->bsp->draw_indices[surface->first_index + i + k]);
        add_triangle(to, &q->surfaces[number], corners, casts);
    }
}

/* Patches cast shadows on request: of the options, their shader or their entity. */
static bool patch_casts(const struct quake3_light *q, int number)
{
    const struct surface_note *note = quake3_note(q, number);
    const struct shader *shader = q->surfaces[number].material->shader;
    if (q->options->quake3.no_surfaces)
        return false;
    return q->options->quake3.patch_shadows ||
           (shader && shader->compile_flags & SHADER_PATCH_SHADOWS) ||
           (note && note->cast_shadows != SHADOWS_OF_PATCH);
}

/* Equal boxes count once. */
static void add_curve(struct occluding *to, const struct bounds *box)
{
    if (hmgeti(to->curves, *box) >= 0)
        return;
    hmput(to->curves, *box, true);
    arrput(to->q->scene.curves, *box);
}

/* The same triangles as in its grid of luxels, so that rays from there do not hit the patch
 * itself. */
static void add_patch(struct occluding *to, int number)
{
    struct quake3_light *q = to->q;
    const struct lit_surface *lit = &q->surfaces[number];
    const struct patch_surface *patch = &lit->patch;
    const struct disp_mesh shape = {.columns = patch->columns, .rows = patch->rows};
    const struct shader *shader = lit->material->shader;
    struct bounds box = bounds_empty();
    bool casts = patch_casts(q, number);
    for (int i = 0; i < patch->columns * patch->rows; i++)
        bounds_add_point(&box, vec3_add(patch->points[i].p, q->origins[lit->model]));
    if (lit->material->blocking == MATERIAL_OPAQUE &&
        !(shader && shader->compile_flags & SHADER_TWO_SIDED))
        add_curve(to, &box);
    float luxels[2] = {0, 0};
    if (lit->receiver >= 0) {
        luxels[0] = (float)(q->receivers[lit->receiver].light.width - 1);
        luxels[1] = (float)(q->receivers[lit->receiver].light.height - 1);
    }
    for (int i = 0; i < disp_mesh_triangles(&shape); i++) {
        struct corner corners[3];
        int at[3];
        disp_mesh_triangle(&shape, i, at);
        for (int k = 0; k < 3; k++) {
            const struct patch_point *point = &patch->points[at[k]];
            int column = at[k] % patch->columns, row = at[k] / patch->columns;
            corners[k] = (struct corner){.p = vec3_add(point->p, q->origins[lit->model]),
                                         .normal = point->normal};
            corners[k].st[0] = luxels[0] * (float)column / (float)(patch->columns - 1);
            corners[k].st[1] = luxels[1] * (float)row / (float)(patch->rows - 1);
            for (int n = 0; n < 2; n++)
                corners[k].uv[n] = (float)point->texture[n];
        }
        add_triangle(to, lit, corners, casts);
    }
}

static void add_surface(struct occluding *to, int number)
{
    struct quake3_light *q = to->q;
    const struct lit_surface *lit = &q->surfaces[number];
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    const struct surface_note *note = quake3_note(q, number);
    if ((note && note->cast_shadows == 0) || lit->material->blocking == MATERIAL_TRANSPARENT ||
        surface->vertex_count < 3 ||
        (lit->material->blocking == MATERIAL_ALPHA && lit->material->alpha_texture < 0))
        return;
    if (lit->patch.points)
        add_patch(to, number);
    else if (surface->type == SURFACE_PLANAR || surface->type == SURFACE_MESH)
        add_indexed(to, number);
}

/* ---- alpha shadows ---- */

/* Alpha shadows use the image's alpha, light filters its mean colour. */
static bool load_alpha_texture(struct quake3_light *q, const struct quake3_material *material,
                               struct alpha_texture *out)
{
    uint8_t *pixels;
    int width, height;
    struct vec3 mean = vec3(0, 0, 0);
    bool filter = !material->by_alpha;
    if (!assets_shader_pixels(q->assets, material->shader, &pixels, &width, &height))
        return false;
    size_t count = (size_t)width * (size_t)height;
    *out = (struct alpha_texture){.width = width, .height = height, .opacity = 1};
    out->alpha = memory_alloc(count + 1);
    for (size_t i = 0; i < count; i++) {
        out->alpha[i] = filter ? 255 : pixels[4 * i + 3];
        for (int k = 0; k < 3; k++)
            mean.e[k] += pixels[4 * i + (size_t)k] / (255.0 * (double)count);
    }
    for (int k = 0; k < 3 && filter; k++)
        out->colour[k] = (float)srgb_colour(mean, q->options->quake3.srgb_textures).e[k];
    memory_free(pixels);
    return true;
}

static void load_alpha_textures(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->shaders); i++) {
        struct alpha_texture texture;
        if (q->materials[i].blocking != MATERIAL_ALPHA ||
            !load_alpha_texture(q, &q->materials[i], &texture))
            continue;
        q->materials[i].alpha_texture = (int)arrlen(q->scene.alpha_shadows.textures);
        arrput(q->scene.alpha_shadows.textures, texture);
    }
}

/* ---- solids ---- */

/* Brushes that hide points inside of them; clip brushes and the like do not. */
static bool is_opaque(const struct bsp_brush *brush)
{
    return brush->contents & Q3_CONTENTS_SOLID && !(brush->contents & Q3_CONTENTS_TRANSLUCENT);
}

/* The first six sides of a brush are its bounding box. */
static struct bounds bounds_of(const struct bsp *bsp, const struct bsp_brush *brush)
{
    struct bounds box = {vec3(-1e6, -1e6, -1e6), vec3(1e6, 1e6, 1e6)};
    for (int i = 0; i < 6 && i < brush->side_count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->brush_sides[brush->first_side + i].plane];
        for (int k = 0; k < 3; k++) {
            if (plane->normal[k] >= 1)
                box.maxs.e[k] = portable_fmin(box.maxs.e[k], (double)plane->dist);
            else if (plane->normal[k] <= -1)
                box.mins.e[k] = portable_fmax(box.mins.e[k], -(double)plane->dist);
        }
    }
    return box;
}

static void add_brush(struct quake3_light *q, int number, struct vec3 origin)
{
    const struct bsp *bsp = q->bsp;
    const struct bsp_brush *from = &bsp->brushes[number];
    struct scene_brush brush = {.bounds = bounds_of(bsp, from),
                                .first_plane = (int)arrlen(q->scene.planes),
                                .plane_count = from->side_count};
    brush.bounds.mins = vec3_add(brush.bounds.mins, origin);
    brush.bounds.maxs = vec3_add(brush.bounds.maxs, origin);
    for (int i = 0; i < from->side_count; i++) {
        const struct bsp_plane *side = &bsp->planes[bsp->brush_sides[from->first_side + i].plane];
        struct plane plane = {vec3_from_floats(side->normal), (double)side->dist};
        plane.dist += vec3_dot(plane.normal, origin);
        arrput(q->scene.planes, plane);
    }
    q->scene.brush_numbers[number] = (int)arrlen(q->scene.brushes);
    arrput(q->scene.brushes, brush);
}

/* ---- all ---- */

static unsigned char *sky_leaves(const struct quake3_light *q)
{
    const struct bsp *bsp = q->bsp;
    unsigned char *sky = memory_zalloc(arrlenu(bsp->leaves) + 1, 1);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        for (int k = 0; k < bsp->leaves[i].face_count && !sky[i]; k++) {
            int surface = bsp->leaf_faces[bsp->leaves[i].first_face + k];
            sky[i] = q->surfaces[surface].material->blocking == MATERIAL_SKY;
        }
    return sky;
}

enum status quake3_build_scene(struct quake3_light *q)
{
    const struct bsp *bsp = q->bsp;
    struct occluding to = {.q = q};
    TRY(scene_begin(q->env, bsp, &q->scene));
    q->scene.solid_leaves = true;
    load_alpha_textures(q);
    for (ptrdiff_t m = 0; m < arrlen(bsp->models); m++) {
        const struct bsp_model *model = &bsp->models[m];
        q->scene.model_origins[m] = q->origins[m];
        if (!q->casts[m])
            continue;
        for (int i = 0; i < model->face_count; i++)
            add_surface(&to, model->first_face + i);
        for (int i = 0; i < model->brush_count; i++) {
            int brush = model->first_brush + i;
            if (!is_opaque(&bsp->brushes[brush]))
                continue;
            add_brush(q, brush, q->origins[m]);
            if (m == 0)
                quake3_add_solid_sides(q, brush);
        }
    }
    hmfree(to.known);
    hmfree(to.curves);
    if (to.repeated)
        progress_count(q->env->progress, "repeated triangles", to.repeated);
    unsigned char *sky = sky_leaves(q);
    enum status status = scene_finish(q->env, &q->scene, sky);
    memory_free(sky);
    return status;
}
