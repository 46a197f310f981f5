/* Light sources: surface lights, lights of entities, suns and skies, on the scale of the lightmap
 * bytes: 255 is white. */
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/target/quake3/scene/scene.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/lights/surface_model.h"
#include "vrad/target/quake3/level/srgb.h"

/* --- surface lights: the pieces of emissive surfaces, and their backsplash (the model is described
 * in docs/light-artefacts.md) --- */

/* Radiosity of a surface per unit of q3map_surfacelight: its intensity is a quarter of that per
 * unit of area. */
#define EMISSION (PI / 4)

/* Other tools take light so far above the surface that receives it: a lamp's backsplash is that
 * much nearer to it. */
#define BACKSPLASH_LIFT 1.0

/* Size of the pieces of an emissive surface: a fraction of its length within these limits, in
 * units, unless its shader asks for less. */
#define PIECE_SHARE 0.25
#define END_SHARE   0.125
#define MIN_PIECE   64.0
#define MAX_PIECE   512.0

/* With --physical, pieces end at a minimum of their part of the surface's light to this power: that
 * of the whole at 1, each on its own at 0. With -fast, all end sooner than other lights. */
#define PART_POWER 0.75
#define FAST_MIN   4.0

static const struct surface_model *model_of(const struct quake3_light *q)
{
    return surface_model_of(q->options->physical ? SURFACE_PHYSICAL : SURFACE_QUAKE3);
}

struct vec3 quake3_emission(const struct quake3_light *q, const struct quake3_material *material)
{
    double value = material->shader->surface_light * EMISSION * q->options->quake3.area_scale;
    return vec3_scale(quake3_unit_colour(material->average), value);
}

/* ---- lights of one surface ---- */

/* A surface, or the luxels of several, that emit light. */
struct emitter {
    const struct quake3_material *material;
    int face; /* the face that has its luxels, or -1 */
    bool curved;
    double area;
    double cut; /* mean area of the pieces in which its light ends, see quake3_cut_area */
};

/* The number of lights of which a piece is one, as far as it counts for where light ends. */
static double whole_of(const struct quake3_light *q, const struct emitter *from,
                       const struct emissive_piece *piece)
{
    if (!q->options->physical)
        return from->cut / piece->area;
    return portable_pow(from->area / piece->area, PART_POWER) / (q->options->fast ? FAST_MIN : 1);
}

/* Sets the strength by which a light ends, its brightest channel: that of `number` such lights that
 * count together, or of a part of it. After its intensity. */
static void quake3_set_end(struct light *light, double number)
{
    struct vec3 colour = light->intensity;
    double grey = light_grey(light);
    double brightest = portable_fmax(colour.x, portable_fmax(colour.y, colour.z));
    light->parts = grey > 0 ? number * brightest / grey : number;
}

static void add_piece(struct quake3_light *q, const struct emitter *from,
                      const struct emissive_piece *piece)
{
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .face = from->face,
                          .quadratic = 1,
                          .origin = piece->center,
                          .normal = piece->normal,
                          .side = {piece->side[0], piece->side[1]},
                          .near_share = model_of(q)->near_share,
                          .softening = piece->area / PI,
                          .half_lambert = q->options->quake3.half_lambert != 0};
    light.intensity = vec3_scale(quake3_emission(q, from->material), piece->area / PI);
    quake3_set_end(&light, whole_of(q, from, piece));
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

/* Adds the lights of an emitter. Styles other than 0 need external pages. */
static void add_surface(struct quake3_light *q, const struct emitter *from,
                        const struct emissive_piece *pieces)
{
    const struct shader *shader = from->material->shader;
    ptrdiff_t first = arrlen(q->lights.lights);
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++)
        add_piece(q, from, &pieces[i]);
    ptrdiff_t count = arrlen(q->lights.lights);
    for (ptrdiff_t i = first; i < count; i++) {
        struct light light = q->lights.lights[i];
        if (emits_on_both_sides(from->material))
            add_back(q, light);
        add_backsplash(q, shader, light);
    }
    bool styled = q->takes_styles && !q->options->quake3.no_styles && shader->light_style > 0 &&
                  shader->light_style < 64;
    for (ptrdiff_t i = first; i < arrlen(q->lights.lights) && styled; i++)
        q->lights.lights[i].style = shader->light_style;
}

/* ---- surfaces ---- */

/* Size of pieces that end where the lights of other tools do: that of two of those, or of up to
 * four if it stays a small fraction of their distance and the surface is flat. */
static double end_size(const struct quake3_light *q, const struct emitter *from)
{
    double value = from->material->shader->surface_light * q->options->quake3.area_scale;
    double share = END_SHARE * sqrt(value / 4 * from->cut), low = sqrt(2 * from->cut);
    if (!from->curved)
        low = portable_fmin(portable_fmax(share, low), sqrt(4 * from->cut));
    return portable_fmax(low, MIN_PIECE / 4);
}

static double piece_size(const struct quake3_light *q, const struct emitter *from)
{
    const struct shader *shader = from->material->shader;
    double size =
        portable_fmin(portable_fmax(PIECE_SHARE * sqrt(from->area), MIN_PIECE), MAX_PIECE);
    if (shader->light_subdivide > 0)
        size = portable_fmin(size, portable_fmax(shader->light_subdivide, MIN_PIECE / 4));
    if (!q->options->physical)
        size = portable_fmin(size, end_size(q, from));
    return size;
}

static void add_receiver(struct quake3_light *q, int number, const struct quake3_material *material)
{
    const struct face_light *face = &q->map.faces[number];
    const struct receiver *receiver = &q->receivers[number];
    struct emitter from = {.material = material, .face = number, .curved = face->mesh != NULL};
    struct emissive_piece *pieces = NULL;
    for (int i = 0; i < face->count; i++)
        from.area += (double)face->luxels[i].area;
    from.cut = quake3_cut_area(q, receiver->surfaces, (int)arrlen(receiver->surfaces));
    emissive_pieces(face, (int)portable_fmax(piece_size(q, &from) / receiver->size, 1), &pieces);
    add_surface(q, &from, pieces);
    arrfree(pieces);
}

/* Models and cut surfaces have no luxels. */
static void add_mesh(struct quake3_light *q, int number, const struct quake3_material *material)
{
    struct emissive_piece *pieces = NULL;
    struct emissive_triangle *triangles = NULL;
    struct emitter from = {.material = material, .face = -1};
    from.area = emissive_triangles(q, number, &triangles);
    from.cut = quake3_cut_area(q, &number, 1);
    emissive_mesh_pieces(triangles, piece_size(q, &from), &pieces);
    add_surface(q, &from, pieces);
    arrfree(triangles);
    arrfree(pieces);
}

/* Adds the lights of emissive surfaces. */
static void quake3_add_surface_lights(struct quake3_light *q)
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

/* --- sources --- */

/* Local lights end at one step of the bytes of light: by distance or, point lights and with -fast
 * all, by what a surface would receive; measured. */
#define LIGHT_END 1.0

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
    quake3_place_suns(q);
}

void quake3_find_lights(struct quake3_light *q)
{
    if (!q->options->physical)
        q->lights.end = (struct light_end){.envelope = LIGHT_END,
                                           .received = q->options->fast ? LIGHT_END : 0,
                                           .of_points = LIGHT_END};
    quake3_add_entity_lights(q);
    if (!q->options->quake3.sun_only)
        quake3_add_surface_lights(q);
    quake3_add_skies(q);
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
