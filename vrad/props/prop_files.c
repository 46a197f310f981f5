#include "vrad/props/prop_files.h"

#include "common/bsp/codec/map_flags.h"
#include "common/core/array.h"

static bool is_of_kind(const void *context, enum prop_lighting kind, size_t prop)
{
    (void)prop;
    return kind == *(const enum prop_lighting *)context;
}

/* The light of texels has no flag. */
static uint32_t flags_of_kind(enum prop_lighting kind)
{
    return kind == PROP_LIGHTING_LDR   ? MAP_FLAG_PROPS_LDR
           : kind == PROP_LIGHTING_HDR ? MAP_FLAG_PROPS_HDR
                                       : 0;
}

enum status prop_files_store(const struct env *env, enum prop_lighting kind,
                             const struct prop_file *files, size_t count, struct bsp *bsp)
{
    struct pakfile pakfile;
    struct bytes packed = {0};
    TRY(pakfile_decode(&bsp->pakfile, NULL, env->diag, &pakfile));
    bool changed = prop_lighting_remove(&pakfile, is_of_kind, &kind);
    for (size_t i = 0; i < count; i++) {
        if (!files[i].data.size)
            continue;
        struct prop_lighting_name name = prop_lighting_name(kind, files[i].prop);
        pakfile_put(&pakfile, name.text, files[i].data.data, files[i].data.size);
        changed = true;
    }
    uint32_t now = map_flags_of_files(&pakfile), of_kind = flags_of_kind(kind);
    enum status status = STATUS_OK;
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, NULL, env->diag, &packed);
    pakfile_free(&pakfile);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = packed;
    }
    if (status == STATUS_OK) /* whatever they were: the files of the kind are those of this run */
        map_flags_follow(bsp, ~now & of_kind, now & of_kind);
    return status;
}
