/* Any bytes as a BSP that is written as glTF and OBJ: refused with a report, or a model whose head
 * is JSON. */
#include <jansson.h>
#include <stdint.h>

#include "common/core/array.h"
#include "export/export.h"
#include "render/render.h"
#include "tests/fuzz/fuzz_scene.h"

enum { HEADER = 12, CHUNK = 8 /* of a .glb */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_head(const struct bytes *glb)
{
    const unsigned char *data = glb->data;
    if (glb->size < HEADER + CHUNK || load_u32(data + 8) != glb->size)
        __builtin_trap();
    const size_t size = load_u32(data + HEADER);
    if (size > glb->size - HEADER - CHUNK)
        __builtin_trap();
    json_t *head = json_loadb((const char *)data + HEADER + CHUNK, size, 0, NULL);
    if (!json_is_object(json_object_get(head, "asset")))
        __builtin_trap();
    json_decref(head);
}

static void write_models(const struct env *env, const struct render *render, const struct bsp *bsp)
{
    const struct export_source source = {.scene = &render->scene, .name = "map", .file = "map"};
    struct export_settings settings = export_defaults;
    (void)bsp;
    for (int form = EXPORT_GLB; form <= EXPORT_OBJ; form++) {
        struct export_file *files = NULL;
        struct export_counts counts;
        settings.pages = form; /* a form of lightmaps with each */
        settings.sky = form == EXPORT_GLTF;
        if (export_write(env, &source, &settings, (enum export_form)form, &files, &counts) ==
            STATUS_OK) {
            if (form == EXPORT_GLB)
                check_head(&arrlast(files).data);
        } else if (diag_count(env->diag, DIAG_ERROR) == 0) {
            __builtin_trap();
        }
        export_files_free(files);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scene(data, size, write_models);
    return 0;
}
