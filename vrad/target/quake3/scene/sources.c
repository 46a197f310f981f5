/* Light sources: emissive surfaces, suns and skies, on the scale of the lightmap bytes: 255 is
 * white. */
#include <math.h>
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/core/array.h"
#include "common/geom/angle.h"
#include "vrad/lights/surface_model.h"
#include "vrad/target/quake3/scene/scene.h"

/* Minimum distance of attenuation. */
#define MIN_DISTANCE 16.0

/* Radiosity of a surface per unit of q3map_surfacelight. */
#define EMISSION 0.5

/* Size of the pieces of an emissive surface: a fraction of its length within these limits, in
 * units, unless its shader asks for less. */
#define PIECE_SHARE 0.25
#define MIN_PIECE   64.0
#define MAX_PIECE   512.0

/* Light of a fully visible sky per unit of q3map_skyLight. */
#define SKY_EMISSION 0.45

static const struct surface_model *model_of(const struct quake3_light *q)
{
    return surface_model_of(q->options->physical ? SURFACE_PHYSICAL : SURFACE_QUAKE3);
}

static struct vec3 unit_colour(struct vec3 colour)
{
    double max = fmax(colour.x, fmax(colour.y, colour.z));
    return max > 0 ? vec3_scale(colour, 1 / max) : vec3(1, 1, 1);
}

/* ---- emissive surfaces ---- */

struct piece {
    struct vec3 center, normal;
    double area;
};

static void add_piece(struct quake3_light *q, const struct piece *sum, struct vec3 emission,
                      int face)
{
    struct light light = {.type = WORLDLIGHT_SURFACE, .face = face, .entity = -1, .quadratic = 1};
    if (!(sum->area > 0) || !(vec3_length(sum->normal) > 0))
        return;
    light.origin = vec3_scale(sum->center, 1 / sum->area);
    light.normal = vec3_normalize(sum->normal);
    light.softening = sum->area / PI;
    light.intensity = vec3_scale(emission, sum->area / PI);
    arrput(q->lights.lights, light);
}

static void add_to_piece(struct piece *sum, struct vec3 center, struct vec3 normal, double area)
{
    sum->center = vec3_mad(sum->center, center, area);
    sum->normal = vec3_mad(sum->normal, normal, area);
    sum->area += area;
}

/* Backsplash: an emissive surface lights what is beside it by a point light in front of it. */
static void add_backsplash(struct quake3_light *q, const struct shader *shader,
                           const struct piece *whole, struct vec3 emission, int face)
{
    const struct surface_model *model = model_of(q);
    bool own = shader->backsplash >= 0;
    double share = own ? shader->backsplash : model->backsplash;
    double away = own ? shader->backsplash_distance : model->backsplash_distance;
    struct light light = {.type = WORLDLIGHT_POINT, .face = face, .entity = -1, .quadratic = 1};
    if (!(share > 0) || !(whole->area > 0) || !(vec3_length(whole->normal) > 0))
        return;
    light.min_distance = MIN_DISTANCE;
    light.origin =
        vec3_mad(vec3_scale(whole->center, 1 / whole->area), vec3_normalize(whole->normal), away);
    light.intensity = vec3_scale(emission, share * whole->area / PI);
    arrput(q->lights.lights, light);
}

static struct vec3 emission_of(const struct quake3_light *q, const struct shader *shader)
{
    double value = shader->surface_light * EMISSION * q->options->quake3.area_scale;
    return vec3_scale(unit_colour(shader->average), value);
}

static double piece_size(const struct shader *shader, const struct face_light *face)
{
    double area = 0;
    for (int i = 0; i < face->count; i++)
        area += (double)face->luxels[i].area;
    double size = fmin(fmax(PIECE_SHARE * sqrt(area), MIN_PIECE), MAX_PIECE);
    bool less = shader->light_subdivide > 0 && shader->light_subdivide < size;
    return less ? fmax(shader->light_subdivide, MIN_PIECE / 4) : size;
}

/* By blocks of its luxels. */
static void add_emissive_receiver(struct quake3_light *q, int number)
{
    const struct receiver *receiver = &q->receivers[number];
    const struct face_light *face = &q->map.faces[number];
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    struct vec3 emission = emission_of(q, shader);
    struct piece whole = {0};
    struct emissive_piece *pieces = NULL;
    emissive_pieces(face, (int)fmax(piece_size(shader, face) / receiver->size, 1), &pieces);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        struct piece piece = {0};
        add_to_piece(&piece, pieces[i].center, pieces[i].normal, pieces[i].area);
        add_to_piece(&whole, pieces[i].center, pieces[i].normal, pieces[i].area);
        add_piece(q, &piece, emission, number);
        arrlast(q->lights.lights).side[0] = pieces[i].side[0];
        arrlast(q->lights.lights).side[1] = pieces[i].side[1];
        arrlast(q->lights.lights).near_share = model_of(q)->near_share;
    }
    arrfree(pieces);
    add_backsplash(q, shader, &whole, emission, number);
}

/* Models have no luxels: by triangles. */
static void add_emissive_mesh(struct quake3_light *q, int number)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    const struct lit_surface *lit = &q->surfaces[number];
    struct vec3 emission = emission_of(q, lit->material->shader);
    struct piece whole = {0};
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct vec3 p[3], out = vec3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            const struct bsp_draw_vertex *vertex =
                &q->bsp->draw_vertices[surface->first_vertex +
                                       q->bsp->draw_indices[surface->first_index + i + k]];
            p[k] = vec3_add(vec3_from_floats(vertex->p), q->origins[lit->model]);
            out = vec3_add(out, vec3_from_floats(vertex->normal));
        }
        struct vec3 cross = vec3_cross(vec3_sub(p[2], p[0]), vec3_sub(p[1], p[0]));
        if (!vec3_is_finite(cross) || !vec3_is_finite(out))
            continue;
        struct piece piece = {0};
        struct vec3 normal = vec3_normalize(vec3_dot(cross, out) < 0 ? vec3_neg(cross) : cross);
        struct vec3 center = vec3_scale(vec3_add(p[0], vec3_add(p[1], p[2])), 1.0 / 3);
        add_to_piece(&piece, center, normal, vec3_length(cross) / 2);
        add_piece(q, &piece, emission, -1);
        add_to_piece(&whole, center, normal, piece.area);
    }
    add_backsplash(q, lit->material->shader, &whole, emission, -1);
}

/* Sets the style of lights from `first` on: styles other than 0 need external pages. */
static void set_style(struct quake3_light *q, ptrdiff_t first, const struct shader *shader)
{
    bool known = q->map_name && shader->light_style > 0 && shader->light_style < 64;
    for (ptrdiff_t i = first; i < arrlen(q->lights.lights) && known; i++)
        q->lights.lights[i].style = shader->light_style;
}

static void add_emissive(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        const struct quake3_material *material = q->surfaces[q->receivers[i].surfaces[0]].material;
        ptrdiff_t first = arrlen(q->lights.lights);
        if (!material->shader || !(material->shader->surface_light > 0))
            continue;
        add_emissive_receiver(q, (int)i);
        set_style(q, first, material->shader);
    }
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++) {
        const struct quake3_material *material = q->surfaces[i].material;
        ptrdiff_t first = arrlen(q->lights.lights);
        if (q->bsp->surfaces[i].type != SURFACE_MESH || !material->drawn || !material->shader ||
            !(material->shader->surface_light > 0))
            continue;
        add_emissive_mesh(q, (int)i);
        set_style(q, first, material->shader);
    }
}

/* ---- suns and skies ---- */

static void add_sun(struct quake3_light *q, const struct shader_sun *from)
{
    struct light light = {.type = WORLDLIGHT_SKY, .face = -1, .entity = -1};
    if (!(from->intensity > 0))
        return;
    light.normal = vec3_neg(from->direction);
    light.intensity = vec3_scale(from->colour, from->intensity);
    light.spread = sin(from->deviance * PI / 180);
    arrput(q->lights.lights, light);
}

static void add_sky(struct quake3_light *q, struct vec3 emission)
{
    struct light light = {.type = WORLDLIGHT_SKY_AMBIENT, .face = -1, .entity = -1};
    if (!(emission.x > 0 || emission.y > 0 || emission.z > 0))
        return;
    light.intensity = vec3_scale(emission, q->options->sky_scale);
    arrput(q->lights.lights, light);
}

static double surface_area(const struct bsp *bsp, const struct bsp_surface *surface)
{
    double area = 0;
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] =
                vec3_from_floats(bsp->draw_vertices[surface->first_vertex +
                                                    bsp->draw_indices[surface->first_index + i + k]]
                                     .p);
        double cross = vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        area += isfinite(cross) ? cross / 2 : 0;
    }
    return area;
}

static struct vec3 sky_emission(const struct quake3_light *q, const struct shader *shader)
{
    struct vec3 emission = shader->surface_light > 0 ? emission_of(q, shader) : vec3(0, 0, 0);
    for (ptrdiff_t k = 0; k < arrlen(shader->sky_lights); k++)
        emission = vec3_mad(emission, unit_colour(shader->average),
                            shader->sky_lights[k].value * SKY_EMISSION);
    return emission;
}

/* The ambient light of suns that came from a Source map. */
static struct vec3 emission_of_suns(const struct quake3_light *q)
{
    struct vec3 emission = vec3(0, 0, 0), colour;
    for (ptrdiff_t i = 1; i < arrlen(q->entities.entities); i++) {
        const struct entity *entity = &q->entities.entities[i];
        if (entity_is_light(entity) && entity_number(entity, "_sun", 0) != 0 &&
            light_colour(entity_value(entity, "_ambient"), false, &colour))
            emission = vec3_add(emission, colour);
    }
    return emission;
}

/* From the visible skies: each sun, and the mean of their sky lights by area. */
static void add_skies(struct quake3_light *q)
{
    struct vec3 sky = vec3(0, 0, 0);
    double total = 0;
    double *areas = memory_zalloc(arrlenu(q->bsp->shaders) + 1, sizeof *areas);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++)
        if (q->surfaces[i].material->blocking == MATERIAL_SKY)
            areas[q->bsp->surfaces[i].shader] += surface_area(q->bsp, &q->bsp->surfaces[i]);
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->shaders); i++) {
        const struct shader *shader = q->materials[i].shader;
        if (!(areas[i] > 0) || !shader)
            continue;
        for (ptrdiff_t k = 0; k < arrlen(shader->suns) && !q->no_shader_sun; k++)
            add_sun(q, &shader->suns[k]);
        sky = vec3_mad(sky, sky_emission(q, shader), areas[i]);
        total += areas[i];
    }
    if (total > 0)
        add_sky(q, vec3_add(vec3_scale(sky, 1 / total), emission_of_suns(q)));
    memory_free(areas);
}

/* Finds the sun and the sky among the lights, and which clusters each reaches. */
static void place_lights(struct quake3_light *q)
{
    q->lights.sun = q->lights.sky = -1;
    for (int i = 0; i < (int)arrlen(q->lights.lights); i++) {
        if (q->lights.lights[i].type == WORLDLIGHT_SKY && q->lights.sun < 0)
            q->lights.sun = i;
        if (q->lights.lights[i].type == WORLDLIGHT_SKY_AMBIENT)
            q->lights.sky = i;
    }
    lights_place(q->bsp, &q->lights);
}

void quake3_find_lights(struct quake3_light *q)
{
    quake3_add_entity_lights(q);
    add_emissive(q);
    add_skies(q);
    place_lights(q);
}

void quake3_use_grid_lights(struct quake3_light *q)
{
    struct light *lights = q->lights.lights;
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < arrlen(lights); i++)
        if (!(lights[i].flags & LIGHT_NOT_ON_GRID))
            lights[kept++] = lights[i];
    if (kept == arrlen(lights) && !arrlen(q->grid_lights))
        return;
    if (lights)
        arrsetlen(q->lights.lights, (size_t)kept);
    for (ptrdiff_t i = 0; i < arrlen(q->grid_lights); i++)
        arrput(q->lights.lights, q->grid_lights[i]);
    place_lights(q);
}
