#include "export/bake/bake.h"

#include "common/core/array.h"
#include "export/bake/atlas.h"
#include "export/bake/look.h"
#include "export/bake/vertices.h"

enum status bake_open(const struct map_scene *map, const struct export_settings *settings,
                      const struct surface_order *order, struct bake *out)
{
    *out = (struct bake){.map = map,
                         .form = (enum export_bake)settings->bake,
                         .side = settings->bake_size,
                         .step = settings->bake_step};
    if (out->form == EXPORT_BAKE_NONE)
        return STATUS_OK;
    bool hdr = scene_is_hdr(map);
    tone_fill(&out->tone, settings->exposure, hdr);
    if (!(out->tone.exposure > 0))
        out->tone.exposure = hdr ? look_exposure(map) : 1;
    return out->form == EXPORT_BAKE_ATLAS ? bake_atlas(out, order) : bake_vertices_fit(out);
}

void bake_free(struct bake *bake)
{
    memory_free(bake->places);
    memory_free(bake->pixels);
}
