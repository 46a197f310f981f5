#include "export/export.h"

#include "common/core/array.h"
#include "export/gltf/gltf.h"
#include "export/model/model.h"
#include "export/obj/obj.h"

#define INCH 0.0254 /* in metres */

const char *const export_page_forms[] = {"png", "rgbm", "none", NULL};
const char *const export_bake_forms[] = {"none", "atlas", "vertex", NULL};
const char *const export_light_unit_names[] = {"unitless", "lumens", NULL};

const struct export_settings export_defaults = {.scale = INCH,
                                                .texture_size = 1024,
                                                .quality = 90,
                                                .pages = EXPORT_PAGES_PNG,
                                                .bake_size = 2048};

static struct export_counts count(const struct export_model *scene)
{
    struct export_counts counts = {.nodes = arrlenu(scene->nodes),
                                   .meshes = arrlenu(scene->meshes),
                                   .materials = arrlenu(scene->materials),
                                   .images = arrlenu(scene->images),
                                   .lights = arrlenu(scene->lights)};
    for (size_t i = 0; i < arrlenu(scene->meshes); i++)
        for (size_t k = 0; k < arrlenu(scene->meshes[i].parts); k++) {
            counts.triangles += arrlenu(scene->meshes[i].parts[k].indices) / 3;
            counts.vertices += arrlenu(scene->meshes[i].parts[k].vertices);
        }
    return counts;
}

enum status export_write(const struct env *env, const struct export_source *source,
                         const struct export_settings *settings, enum export_form form,
                         struct export_file **files, struct export_counts *counts)
{
    struct export_model scene;
    struct export_settings own = *settings;
    enum status status = STATUS_OK;
    if (form == EXPORT_OBJ || own.bake != EXPORT_BAKE_NONE)
        own.pages = EXPORT_PAGES_NONE; /* OBJ has one set of texture coordinates */
    progress_begin(env->progress, "model", 0);
    status = export_model_build(source->scene, source->name, &own, &scene);
    if (status == STATUS_OK && form == EXPORT_OBJ)
        obj_write(&scene, source->file, files);
    else if (status == STATUS_OK)
        status = gltf_write(env, &scene, source->file, form == EXPORT_GLB, files);
    *counts = count(&scene);
    export_model_free(&scene);
    progress_end(env->progress);
    return status;
}

void export_files_free(struct export_file *files)
{
    for (size_t i = 0; i < arrlenu(files); i++) {
        memory_free(files[i].name);
        bytes_free(&files[i].data);
    }
    arrfree(files);
}
