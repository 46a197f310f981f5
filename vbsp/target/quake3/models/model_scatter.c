#include "vbsp/target/quake3/models/models.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diag/codes/quake3_models.def"

/* Maximum squares on one triangle. */
#define MAX_SQUARES 65536.0

/* The arguments of a directive. */
struct scatter {
    const char *name;
    double density, odds, scales[2], angles[2];
    bool oriented;
    enum { ALPHA_IGNORED, ALPHA_AS_ODDS, ALPHA_AGAINST_ODDS } alpha;
    struct mesh_model model;
};

struct scatterer {
    enum scatter_kind kind;
    struct assets *assets;
    struct diag *diag;
    struct placed_models *out;
    struct arena arena;
    const struct shader *shader; /* that the scatters belong to */
    struct scatter *scatters;    /* stb_ds array */
    struct model_owner owner;
};

static bool is_true(double number)
{
    return number > 0 || number < 0;
}

static struct scatter parse_model(const char *numbers_of)
{
    double numbers[7] = {64, 1, 1, 1, 0, 360, 0};
    str_to_doubles(numbers_of, numbers, 7);
    return (struct scatter){.density = numbers[0],
                            .odds = numbers[1],
                            .scales = {numbers[2], numbers[3]},
                            .angles = {numbers[4], numbers[5]},
                            .oriented = is_true(numbers[6])};
}

static struct scatter parse_foliage(const char *numbers_of)
{
    double numbers[4] = {1, 64, 1, 0};
    str_to_doubles(numbers_of, numbers, 4);
    return (struct scatter){.density = numbers[1],
                            .odds = numbers[2],
                            .scales = {numbers[0], numbers[0]},
                            .angles = {0, 360},
                            .alpha = is_true(numbers[3]) ? ALPHA_AGAINST_ODDS : ALPHA_AS_ODDS};
}

/* Parses the arguments, the first of which is a name. */
static bool parse(struct scatterer *scatterer, const char *text, struct scatter *out)
{
    size_t length = strcspn(text, " \t");
    *out = scatterer->kind == SCATTER_FOLIAGE ? parse_foliage(text + length)
                                              : parse_model(text + length);
    out->name = arena_strndup(&scatterer->arena, text, length);
    return length > 0 && out->density >= 1;
}

static void add_scatter(struct scatterer *scatterer, const struct draw_surface *surface,
                        const char *text)
{
    struct scatter scatter;
    if (!parse(scatterer, text, &scatter)) {
        diag_report(scatterer->diag, DIAG_SURFACE_MODEL, &surface->where, "\"%s\" in shader %s",
                    text, surface->shader->name);
        return;
    }
    enum mesh_model_found found =
        mesh_model_load(scatterer->assets, scatter.name, 0, &surface->where, scatterer->diag,
                        &scatterer->arena, &scatter.model);
    if (found == MESH_MODEL_MISSING)
        diag_report(scatterer->diag, DIAG_MODEL_ABSENT, &surface->where, "\"%s\" in shader %s",
                    scatter.name, surface->shader->name);
    if (found == MESH_MODEL_LOADED)
        arrput(scatterer->scatters, scatter);
}

static const char *const *texts_of(const struct scatterer *scatterer, const struct shader *shader)
{
    return scatterer->kind == SCATTER_FOLIAGE ? shader->foliage : shader->surface_models;
}

/* Surfaces of one shader are usually in sequence. */
static void use_shader(struct scatterer *scatterer, const struct draw_surface *surface)
{
    if (scatterer->shader == surface->shader)
        return;
    scatterer->shader = surface->shader;
    arrsetlen(scatterer->scatters, 0);
    const char *const *texts = texts_of(scatterer, surface->shader);
    for (size_t i = 0; i < arrlenu(texts); i++)
        add_scatter(scatterer, surface, texts[i]);
}

static uint64_t hash_of_square(long long x, long long y, size_t which)
{
    return hash_pair(hash_pair((uint64_t)x, (uint64_t)y), which);
}

static struct transform random_transform(const struct scatter *scatter, struct vec3 p,
                                         struct vec3 normal, uint64_t hash)
{
    double scale =
        scatter->scales[0] + random_unit(hash, 3) * (scatter->scales[1] - scatter->scales[0]);
    double angle =
        scatter->angles[0] + random_unit(hash, 4) * (scatter->angles[1] - scatter->angles[0]);
    struct transform transform = transform_from_angles(p, vec3(0, angle, 0), scale);
    if (!scatter->oriented)
        return transform;
    struct vec3 across = vec3_major_axis(normal) == 0 ? vec3(0, 1, 0) : vec3(1, 0, 0);
    struct vec3 y = vec3_normalize(vec3_cross(normal, across)), x = vec3_cross(y, normal);
    for (int i = 0; i < 3; i++) {
        struct vec3 axis = transform.axes[i];
        transform.axes[i] = vec3_scale(x, axis.x);
        transform.axes[i] = vec3_mad(transform.axes[i], y, axis.y);
        transform.axes[i] = vec3_mad(transform.axes[i], normal, axis.z);
    }
    return transform;
}

struct triangle {
    struct vec3 corners[3], normal;
    double alphas[3]; /* of the corners, 0 to 1 */
    int u, v, w;      /* axes: the triangle is projected along w */
};

/* The point of the triangle at these coordinates; false outside of it. */
static bool point_at(const struct triangle *triangle, double u, double v, struct vec3 *out)
{
    const struct vec3 *c = triangle->corners;
    bool positive = false, negative = false;
    for (int i = 0; i < 3; i++) {
        struct vec3 a = c[i], b = c[(i + 1) % 3];
        double side = (b.e[triangle->u] - a.e[triangle->u]) * (v - a.e[triangle->v]) -
                      (b.e[triangle->v] - a.e[triangle->v]) * (u - a.e[triangle->u]);
        positive = positive || side > 0;
        negative = negative || side < 0;
    }
    if (positive && negative)
        return false;
    double along = vec3_dot(triangle->normal, c[0]) - triangle->normal.e[triangle->u] * u -
                   triangle->normal.e[triangle->v] * v;
    out->e[triangle->u] = u;
    out->e[triangle->v] = v;
    out->e[triangle->w] = along / triangle->normal.e[triangle->w];
    return true;
}

/* The alpha at a point of the triangle: of each corner, by the area opposite to it. */
static double alpha_at(const struct triangle *triangle, struct vec3 p)
{
    const struct vec3 *c = triangle->corners;
    double sum = 0, all = 0;
    for (int i = 0; i < 3; i++) {
        struct vec3 a = vec3_sub(c[(i + 1) % 3], p), b = vec3_sub(c[(i + 2) % 3], p);
        double part = vec3_length(vec3_cross(a, b));
        sum += part * triangle->alphas[i];
        all += part;
    }
    return sum / all;
}

static double odds_at(const struct scatter *scatter, const struct triangle *triangle, struct vec3 p)
{
    if (scatter->alpha == ALPHA_IGNORED)
        return scatter->odds;
    double alpha = alpha_at(triangle, p);
    return scatter->odds * (scatter->alpha == ALPHA_AGAINST_ODDS ? 1 - alpha : alpha);
}

static void scatter_one(struct scatterer *scatterer, const struct triangle *triangle, size_t which)
{
    const struct scatter *scatter = &scatterer->scatters[which];
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < 3; i++)
        bounds_add_point(&bounds, triangle->corners[i]);
    double low[2] = {floor(bounds.mins.e[triangle->u] / scatter->density),
                     floor(bounds.mins.e[triangle->v] / scatter->density)};
    double high[2] = {floor(bounds.maxs.e[triangle->u] / scatter->density),
                      floor(bounds.maxs.e[triangle->v] / scatter->density)};
    if (!((high[0] - low[0] + 1) * (high[1] - low[1] + 1) <= MAX_SQUARES)) {
        diag_report(scatterer->diag, DIAG_SURFACE_MODEL, &scatterer->owner.where,
                    "too many models: \"%s\" every %g units on a triangle that spans %.0f squares "
                    "of that size",
                    scatter->name, scatter->density,
                    (high[0] - low[0] + 1) * (high[1] - low[1] + 1));
        return;
    }
    for (long long x = (long long)low[0]; x <= (long long)high[0]; x++) {
        for (long long y = (long long)low[1]; y <= (long long)high[1]; y++) {
            uint64_t hash = hash_of_square(x, y, which);
            double u = ((double)x + random_unit(hash, 0)) * scatter->density;
            double v = ((double)y + random_unit(hash, 1)) * scatter->density;
            struct vec3 p;
            double chance = random_unit(hash, 2);
            if (!(chance < scatter->odds) || !point_at(triangle, u, v, &p) ||
                !(chance < odds_at(scatter, triangle, p)))
                continue;
            struct transform transform = random_transform(scatter, p, triangle->normal, hash);
            model_place_at(&scatter->model, scatter->name, &transform, &scatterer->owner,
                           scatterer->assets, scatterer->diag, scatterer->out);
        }
    }
}

static void scatter_on_triangle(struct scatterer *scatterer, const struct draw_vertex *const v[3])
{
    struct vec3 across = vec3_cross(vec3_sub(v[2]->p, v[0]->p), vec3_sub(v[1]->p, v[0]->p));
    struct triangle triangle = {.normal = vec3_normalize(across)};
    for (int i = 0; i < 3; i++) {
        triangle.corners[i] = v[i]->p;
        triangle.alphas[i] = v[i]->colour[3] / 255.0;
    }
    if (!(vec3_length(across) > 1e-6))
        return;
    triangle.w = vec3_major_axis(across);
    triangle.u = (triangle.w + 1) % 3;
    triangle.v = (triangle.w + 2) % 3;
    for (size_t i = 0; i < arrlenu(scatterer->scatters); i++)
        scatter_one(scatterer, &triangle, i);
}

static void scatter_on_surface(struct scatterer *scatterer, const struct draw_surface *surface)
{
    const struct draw_vertex *v = surface->vertices;
    use_shader(scatterer, surface);
    scatterer->owner = (struct model_owner){.entity = surface->entity,
                                            .model = surface->model,
                                            .keys = surface->keys,
                                            .where = surface->where};
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3)
        scatter_on_triangle(scatterer, (const struct draw_vertex *const[3]){
                                           &v[surface->indices[i]], &v[surface->indices[i + 1]],
                                           &v[surface->indices[i + 2]]});
    for (size_t i = 2; !surface->indices && i < arrlenu(v); i++)
        scatter_on_triangle(scatterer,
                            (const struct draw_vertex *const[3]){&v[0], &v[i - 1], &v[i]});
}

void models_scatter(enum scatter_kind kind, const struct draw_surface *surfaces, size_t count,
                    struct assets *assets, struct diag *diag, struct placed_models *out)
{
    struct scatterer scatterer = {.kind = kind, .assets = assets, .diag = diag, .out = out};
    for (size_t i = 0; i < count; i++)
        if ((surfaces[i].type == SURFACE_PLANAR || surfaces[i].type == SURFACE_MESH) &&
            arrlenu(texts_of(&scatterer, surfaces[i].shader)))
            scatter_on_surface(&scatterer, &surfaces[i]);
    arrfree(scatterer.scatters);
    arena_free(&scatterer.arena);
}
