#include "vrad/props/prop_texels.h"

#include "common/core/array.h"
#include "common/diag/codes/prop_lightmaps.def"
#include "vrad/luxels/sample_options.h"
#include "vrad/props/ppl.h"
#include "vrad/props/prop_files.h"
#include "vrad/props/prop_ray_options.h"
#include "vrad/props/texel_light.h"
#include "vrad/props/texel_surface.h"
#include "vrad/props/vhv.h"

/* Maximum share of texels with their middle in several triangles, before it is reported. */
#define MIN_REPORTED_SHARE 0.01

/* Reports of a model, made once. */
enum reported { REPORTED_SHARED = 1, REPORTED_FLAT = 2, REPORTED_SIZE = 4 };

struct texel_job {
    const struct env *env;
    const struct prop_set *set;
    const struct irradiance_sampler *sampler;
    const struct vrad_options *options;
    const struct bsp *bsp;
    unsigned char *reported; /* one per model's name: enum reported */
    size_t texel_count;
    /* of the current prop: */
    size_t prop;
    struct texel_triangles triangles;
    struct texel_image image;
    struct lit_texel *texels; /* one per texel of the image */
};

bool prop_texels_wanted(const struct static_prop *prop)
{
    return prop->lightmap_resolution[0] > 0 && prop->lightmap_resolution[1] > 0 &&
           !(prop->flags & STATIC_PROP_NO_TEXEL_LIGHTING);
}

bool prop_texels_stored(const struct vrad_options *options, enum light_sides sides)
{
    return sides != SIDE_LDR || !options->hdr;
}

/* ---- checks ---- */

static const struct static_prop *record_of(const struct texel_job *job)
{
    return &job->set->props.props[job->prop];
}

/* Returns true if the model has no such report yet. */
static bool first_report(const struct texel_job *job, enum reported what)
{
    unsigned char *reported = &job->reported[record_of(job)->model];
    bool before = *reported & what;
    *reported |= (unsigned char)what;
    return !before;
}

static struct diag_where where_of(const struct static_prop *prop)
{
    struct diag_where where = {.has_point = true};
    for (int k = 0; k < 3; k++)
        where.point[k] = (double)prop->origin[k];
    return where;
}

static bool check_size(const struct texel_job *job)
{
    const struct static_prop *prop = record_of(job);
    const struct diag_where where = where_of(prop);
    const int32_t *size = prop->lightmap_resolution;
    if (size[0] <= TEXEL_SIDE_MAX && size[1] <= TEXEL_SIDE_MAX)
        return true;
    if (first_report(job, REPORTED_SIZE))
        diag_report(job->env->diag, DIAG_PROP_TEXELS_SIZE, &where, "\"%s\" with %d x %d texels",
                    job->set->props.models[prop->model], (int)size[0], (int)size[1]);
    return false;
}

/* Returns false when the model has no area in the image. */
static bool check_image(const struct texel_job *job)
{
    const struct static_prop *prop = record_of(job);
    const struct texel_image *image = &job->image;
    const struct diag_where where = where_of(prop);
    const char *name = job->set->props.models[prop->model];
    if (image->is_flat) {
        if (first_report(job, REPORTED_FLAT))
            diag_report(job->env->diag, DIAG_PROP_TEXELS_FLAT, &where, "\"%s\"", name);
        return false;
    }
    double share = (double)image->shared / (double)(image->middles ? image->middles : 1);
    if (share > MIN_REPORTED_SHARE && first_report(job, REPORTED_SHARED))
        diag_report(job->env->diag, DIAG_PROP_TEXELS_SHARED, &where,
                    "\"%s\": %.0f %% of the texels that it uses", name, 100 * share);
    return true;
}

/* ---- light ---- */

static bool find_place(const struct texel_job *job, const struct texel *texel,
                       struct texel_place *out)
{
    if (!texel_place_of(&job->triangles, &job->set->transforms[job->prop], &job->image, texel, out))
        return false;
    if (record_of(job)->flags & STATIC_PROP_IGNORE_NORMALS)
        out->normal = vec3(0, 0, 0);
    return true;
}

/* See texel_placer. */
static bool find_point(const void *context, size_t index, const double at[2],
                       struct texel_place *out)
{
    const struct texel_job *job = context;
    const struct texel texel =
        texel_point((const float(*)[3][2])job->triangles.corners, &job->image, index, at);
    return find_place(job, &texel, out);
}

static void place_texel(struct texel_job *job, size_t index)
{
    struct lit_texel *lit = &job->texels[index];
    struct texel_place place;
    if (job->image.texels[index].triangle == TEXEL_NONE ||
        !find_place(job, &job->image.texels[index], &place))
        return;
    for (int k = 0; k < 3; k++) {
        lit->position[k] = (float)place.position.e[k];
        lit->normal[k] = (float)place.normal.e[k];
    }
    lit->width = (float)place.width;
    lit->state = TEXEL_COVERED;
}

static void place_texels(struct texel_job *job)
{
    size_t size = (size_t)job->image.width * (size_t)job->image.height;
    job->texels = memory_zalloc(size, sizeof *job->texels);
    for (size_t i = 0; i < size; i++)
        place_texel(job, i);
}

static void light_image(struct texel_job *job)
{
    const struct texel_lighting lighting = {
        .env = job->env,
        .sampler = job->sampler,
        .bsp = job->bsp,
        .prop = job->prop,
        .no_self_shadow = job->options->prop_rays->no_self_shadows ||
                          record_of(job)->flags & STATIC_PROP_NO_SELF_SHADOWING,
        .width = job->image.width,
        .height = job->image.height,
        .texels = job->texels,
        .place = job->options->samples->no_extra || job->options->fast ? NULL : find_point,
        .placer = job};
    job->texel_count += texel_light(&lighting);
}

/* For -StaticPropNormals. */
static void show_normals(struct texel_job *job)
{
    size_t size = (size_t)job->image.width * (size_t)job->image.height;
    for (size_t i = 0; i < size; i++) {
        struct lit_texel *lit = &job->texels[i];
        if (lit->state == TEXEL_EMPTY)
            continue;
        lit->state = TEXEL_LIT;
        for (int k = 0; k < 3; k++)
            lit->direct[k] = 127.5f + 127.5f * lit->normal[k];
    }
}

/* ---- files ---- */

static void put_pixels(const struct texel_job *job, struct bytes *out)
{
    size_t size = (size_t)job->image.width * (size_t)job->image.height;
    for (size_t i = 0; i < size; i++) {
        const float *light = job->texels[i].direct;
        struct vhv_colour colour = vhv_colour_of(light);
        if (job->options->props.normals)
            colour = (struct vhv_colour){(uint8_t)light[0], (uint8_t)light[1], (uint8_t)light[2]};
        const unsigned char rgb[PPL_PIXEL] = {colour.r, colour.g, colour.b};
        bytes_append(out, rgb, sizeof rgb);
    }
}

/* All LODs share one image: they have the same texture coordinates. */
static void put_file(const struct texel_job *job, const struct model *model, struct bytes *out)
{
    struct ppl ppl = {.checksum = model->mdl.checksum};
    struct bytes pixels = {0};
    put_pixels(job, &pixels);
    for (int32_t lod = 0; lod < model->vvd.lods; lod++) {
        const struct ppl_image image = {.lod = (uint32_t)lod,
                                        .width = job->image.width,
                                        .height = job->image.height,
                                        .pixels = pixels.data};
        arrput(ppl.images, image);
    }
    ppl_encode(&ppl, out);
    ppl_free(&ppl);
    bytes_free(&pixels);
}

static void light_prop(struct texel_job *job, const struct model *model, struct bytes *out)
{
    const int32_t *size = record_of(job)->lightmap_resolution;
    if (!check_size(job))
        return;
    texel_triangles_of(model, &job->triangles);
    texel_raster((const float(*)[3][2])job->triangles.corners, arrlenu(job->triangles.numbers),
                 size[0], size[1], &job->image);
    if (check_image(job)) {
        place_texels(job);
        if (job->options->props.normals)
            show_normals(job);
        else
            light_image(job);
        texel_dilate(size[0], size[1], job->texels);
        put_file(job, model, out);
    }
    memory_free(job->texels);
    job->texels = NULL;
    texel_image_free(&job->image);
    texel_triangles_free(&job->triangles);
}

/* Models without vertices or triangles are reported elsewhere. */
static const struct model *usable_model(const struct prop_set *set, size_t prop)
{
    const struct model *model = prop_set_model(set, prop);
    bool usable = model && model->vvd.count > 0 && arrlen(model->vtx.triangles) > 0;
    return usable && prop_texels_wanted(&set->props.props[prop]) ? model : NULL;
}

static void light_props(struct texel_job *job, struct prop_file **files)
{
    size_t count = arrlenu(job->set->props.props), wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += usable_model(job->set, i) != NULL;
    if (!wanted)
        return;
    progress_begin(job->env->progress, "static prop texels", wanted);
    for (size_t i = 0; i < count && !env_stopped(job->env); i++) {
        const struct model *model = usable_model(job->set, i);
        struct prop_file file = {.prop = i};
        if (!model)
            continue;
        job->prop = i;
        light_prop(job, model, &file.data);
        arrput(*files, file);
        progress_step(job->env->progress);
    }
    progress_end(job->env->progress);
    progress_count(job->env->progress, "static prop texels", (int64_t)job->texel_count);
}

enum status prop_texels_light(const struct env *env, const struct prop_set *set,
                              const struct irradiance_sampler *sampler,
                              const struct vrad_options *options, enum light_sides sides,
                              struct bsp *bsp)
{
    struct texel_job job = {
        .env = env, .set = set, .sampler = sampler, .options = options, .bsp = bsp};
    struct prop_file *files = NULL;
    if (!prop_texels_stored(options, sides))
        return STATUS_OK;
    job.reported = memory_zalloc(arrlenu(set->props.models) + 1, 1);
    light_props(&job, &files);
    enum status status = env_go_on(env);
    if (status == STATUS_OK)
        status = prop_files_store(env, PROP_LIGHTING_TEXELS, files, arrlenu(files), bsp);
    for (size_t i = 0; i < arrlenu(files); i++)
        bytes_free(&files[i].data);
    arrfree(files);
    memory_free(job.reported);
    return status;
}
