#include "common/bsp/catalogue/texdata_evidence.h"

#include "common/bsp/face_records.h"
#include "common/core/array.h"

/* An stb_ds hash set of texinfo and pair of planes. */
struct texdata_shown {
    uint64_t key;
    bool value;
};

static uint64_t key_of(int32_t texinfo, int32_t plane)
{
    return (uint64_t)(uint32_t)texinfo << 32 | (uint32_t)(plane & ~1);
}

static void add_faces(struct texdata_shown **shown, const struct bsp_face *faces)
{
    for (size_t i = 0; i < arrlenu(faces); i++)
        hmput(*shown, key_of(faces[i].texinfo, faces[i].plane), true);
}

struct texdata_shown *texdata_shown_new(const struct bsp *bsp)
{
    struct texdata_shown *shown = NULL;
    add_faces(&shown, bsp->faces);
    add_faces(&shown, bsp->faces_hdr);
    return shown;
}

void texdata_shown_free(struct texdata_shown *shown)
{
    hmfree(shown);
}

bool texdata_side_is_shown(const struct texdata_shown *shown, const struct bsp_brush_side *side)
{
    struct texdata_shown *map = (struct texdata_shown *)shown; /* stb_ds lookups write to the map */
    return map && hmgeti(map, key_of(side->texinfo, side->plane)) >= 0;
}
