/* Surface lights: the pieces of emissive surfaces, and their backsplash. The model is described in
 * docs/light-artefacts.md. */
#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/lights/surface_model.h"
#include "vrad/target/quake3/scene/scene.h"

/* Radiosity of a surface per unit of q3map_surfacelight: its intensity is a quarter of that per
 * unit of area. */
#define EMISSION (PI / 4)

/* Other tools take light so far above the surface that receives it: a lamp's backsplash is that
 * much nearer to it. */
#define BACKSPLASH_LIFT 1.0

/* Size of the pieces of an emissive surface: a fraction of its length within these limits, in
 * units, unless its shader asks for less. */
#define PIECE_SHARE 0.25
#define MIN_PIECE   64.0
#define MAX_PIECE   512.0

/* A surface's pieces end at a minimum of their part of its light to this power: that of the whole
 * at 1, each on its own at 0. With -fast, all end sooner than other lights. */
#define PART_POWER 0.75
#define FAST_MIN   4.0

static const struct surface_model *model_of(const struct quake3_light *q)
{
    return surface_model_of(q->options->physical ? SURFACE_PHYSICAL : SURFACE_QUAKE3);
}

struct vec3 quake3_unit_colour(struct vec3 colour)
{
    double max = portable_fmax(colour.x, portable_fmax(colour.y, colour.z));
    return max > 0 ? vec3_scale(colour, 1 / max) : vec3(1, 1, 1);
}

struct vec3 quake3_emission(const struct quake3_light *q, const struct quake3_material *material)
{
    double value = material->shader->surface_light * EMISSION * q->options->quake3.area_scale;
    return vec3_scale(quake3_unit_colour(material->average), value);
}

/* ---- lights of one surface ---- */

static double area_of(const struct emissive_piece *pieces)
{
    double area = 0;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++)
        area += pieces[i].area;
    return area;
}

/* Adds the light of a piece, with the others of a surface of `area`. */
static void add_piece(struct quake3_light *q, const struct quake3_material *material,
                      const struct emissive_piece *piece, double area, int face)
{
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .face = face,
                          .quadratic = 1,
                          .origin = piece->center,
                          .normal = piece->normal,
                          .side = {piece->side[0], piece->side[1]},
                          .near_share = model_of(q)->near_share,
                          .softening = piece->area / PI,
                          .half_lambert = q->options->quake3.half_lambert != 0};
    light.intensity = vec3_scale(quake3_emission(q, material), piece->area / PI);
    light.parts = portable_pow(area / piece->area, PART_POWER) / (q->options->fast ? FAST_MIN : 1);
    arrput(q->lights.lights, light);
}

/* Surfaces that are drawn from both sides, or that light passes, emit on both. */
static bool emits_on_both_sides(const struct quake3_material *material)
{
    return material->shader->compile_flags & SHADER_TWO_SIDED ||
           material->blocking == MATERIAL_TRANSPARENT;
}

/* The back of a light. */
static void add_back(struct quake3_light *q, struct light light)
{
    light.normal = vec3_neg(light.normal);
    arrput(q->lights.lights, light);
}

/* The backsplash of a light: the same shape before the surface, that faces it. */
static void add_backsplash(struct quake3_light *q, const struct shader *shader, struct light light)
{
    const struct surface_model *model = model_of(q);
    bool own = shader->backsplash >= 0;
    const double *asked = q->options->quake3.backsplash;
    double share = (own ? shader->backsplash : model->backsplash) * model->backsplash_gain;
    double away = own ? shader->backsplash_distance : model->backsplash_distance;
    share *= asked[0];
    away = asked[1] >= 0 ? asked[1] : away;
    if (!(share > 0) || !(away > BACKSPLASH_LIFT))
        return;
    light.origin = vec3_mad(light.origin, light.normal, away - BACKSPLASH_LIFT);
    light.normal = vec3_neg(light.normal);
    light.intensity = vec3_scale(light.intensity, share);
    light.near_share = 1;
    arrput(q->lights.lights, light);
}

/* Adds the lights of a surface, on which vertices or luxels have the number `face` (-1: none).
 * Styles other than 0 need external pages. */
static void add_surface(struct quake3_light *q, const struct quake3_material *material,
                        const struct emissive_piece *pieces, int face)
{
    const struct shader *shader = material->shader;
    ptrdiff_t first = arrlen(q->lights.lights);
    double area = area_of(pieces);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++)
        add_piece(q, material, &pieces[i], area, face);
    ptrdiff_t count = arrlen(q->lights.lights);
    for (ptrdiff_t i = first; i < count; i++) {
        struct light light = q->lights.lights[i];
        if (emits_on_both_sides(material))
            add_back(q, light);
        add_backsplash(q, shader, light);
    }
    bool styled = q->map_name && !q->options->quake3.no_styles && shader->light_style > 0 &&
                  shader->light_style < 64;
    for (ptrdiff_t i = first; i < arrlen(q->lights.lights) && styled; i++)
        q->lights.lights[i].style = shader->light_style;
}

/* ---- surfaces ---- */

static double piece_size(const struct shader *shader, double area)
{
    double size = portable_fmin(portable_fmax(PIECE_SHARE * sqrt(area), MIN_PIECE), MAX_PIECE);
    bool less = shader->light_subdivide > 0 && shader->light_subdivide < size;
    return less ? portable_fmax(shader->light_subdivide, MIN_PIECE / 4) : size;
}

static void add_receiver(struct quake3_light *q, int number, const struct quake3_material *material)
{
    const struct face_light *face = &q->map.faces[number];
    struct emissive_piece *pieces = NULL;
    double area = 0;
    for (int i = 0; i < face->count; i++)
        area += (double)face->luxels[i].area;
    int step =
        (int)portable_fmax(piece_size(material->shader, area) / q->receivers[number].size, 1);
    emissive_pieces(face, step, &pieces);
    add_surface(q, material, pieces, number);
    arrfree(pieces);
}

/* Models and cut surfaces have no luxels. */
static void add_mesh(struct quake3_light *q, int number, const struct quake3_material *material)
{
    struct emissive_piece *pieces = NULL;
    struct emissive_triangle *triangles = NULL;
    double area = emissive_triangles(q, number, &triangles);
    emissive_mesh_pieces(triangles, piece_size(material->shader, area), &pieces);
    add_surface(q, material, pieces, -1);
    arrfree(triangles);
    arrfree(pieces);
}

void quake3_add_surface_lights(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        const struct quake3_material *material = q->surfaces[q->receivers[i].surfaces[0]].material;
        if (material->shader && material->shader->surface_light > 0)
            add_receiver(q, (int)i, material);
    }
    for (ptrdiff_t i = 0; i < arrlen(q->bsp->surfaces); i++) {
        const struct quake3_material *material = q->surfaces[i].material;
        if (q->bsp->surfaces[i].type == SURFACE_MESH && material->drawn && material->shader &&
            material->shader->surface_light > 0)
            add_mesh(q, (int)i, material);
    }
}
