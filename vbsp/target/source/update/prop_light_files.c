/* Removes the light of static props that an update changed from the pakfile: the lighting stage
 * stores it in files with the number of the prop. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/target/source/update/update.h"

enum { NAME_ROOM = 64 };

/* Returns the number of the prop whose light the file is, or -1. */
static long prop_of_file(const char *name)
{
    static const char *const kinds[][2] = {
        {"sp_hdr_", ".vhv"}, {"sp_", ".vhv"}, {"texelslighting_", ".ppl"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!str_starts_nocase(name, kinds[i][0]) || strlen(name) >= NAME_ROOM)
            continue;
        const char *digits = name + strlen(kinds[i][0]);
        char *end;
        long number = *digits >= '0' && *digits <= '9' ? strtol(digits, &end, 10) : -1;
        if (number >= 0 && str_equal_nocase(end, kinds[i][1]))
            return number;
    }
    return -1;
}

static bool decode(const struct bsp_game_lump *lump, const struct diag_where *where,
                   struct diag *diag, struct static_props *out)
{
    enum static_prop_form form;
    *out = (struct static_props){0};
    return !lump || static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, out,
                                        &form) == STATUS_OK;
}

static bool same_floats(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

/* Compares what the light of a prop depends on. */
static bool same_light(const struct static_props *a, const struct static_props *b, size_t i)
{
    const struct static_prop *p = &a->props[i], *q = &b->props[i];
    if (p->model < 0 || q->model < 0 || (size_t)p->model >= arrlenu(a->models) ||
        (size_t)q->model >= arrlenu(b->models))
        return false;
    return str_equal_nocase(a->models[p->model], b->models[q->model]) && p->flags == q->flags &&
           p->skin == q->skin && same_floats(p->origin, q->origin, 3) &&
           same_floats(p->angles, q->angles, 3) && same_floats(p->scale, q->scale, 3) &&
           same_floats(p->lighting_origin, q->lighting_origin, 3) &&
           memcmp(p->lightmap_resolution, q->lightmap_resolution, sizeof p->lightmap_resolution) ==
               0;
}

/* Returns true if any file was removed. */
static bool remove_files(struct pakfile *pakfile, const struct static_props *old,
                         const struct static_props *fresh)
{
    size_t before = arrlenu(pakfile->files);
    for (size_t i = arrlenu(pakfile->files); i-- > 0;) {
        long prop = i < arrlenu(pakfile->files) ? prop_of_file(pakfile->files[i].name) : -1;
        if (prop < 0 ||
            ((size_t)prop < arrlenu(old->props) && (size_t)prop < arrlenu(fresh->props) &&
             same_light(old, fresh, (size_t)prop)))
            continue;
        char name[NAME_ROOM];
        snprintf(name, sizeof name, "%s", pakfile->files[i].name);
        (void)pakfile_remove(pakfile, name);
    }
    return arrlenu(pakfile->files) < before;
}

enum status update_prop_light_files(const struct env *env, const char *file,
                                    const struct bsp_game_lump *old,
                                    const struct bsp_game_lump *fresh, struct bsp *bsp)
{
    struct diag_where where = {.file = file};
    struct static_props before, after;
    struct pakfile pakfile = {0};
    struct bytes lump = {0};
    bool changed = false, known = decode(old, &where, env->diag, &before);
    known &= decode(fresh, &where, env->diag, &after);
    enum status status =
        known ? pakfile_decode(&bsp->pakfile, &where, env->diag, &pakfile) : STATUS_FAILED;
    if (status == STATUS_OK)
        changed = remove_files(&pakfile, &before, &after);
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, &where, env->diag, &lump);
    pakfile_free(&pakfile);
    static_props_free(&before);
    static_props_free(&after);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = lump;
    }
    return status;
}
