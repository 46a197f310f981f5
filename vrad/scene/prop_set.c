#include "vrad/scene/prop_set.h"

#include "common/assets/mounts/mount.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/prop_light.def"

static bool names_hold(const struct static_props *props)
{
    for (size_t i = 0; i < arrlenu(props->props); i++)
        if (props->props[i].model < 0 || props->props[i].model >= arrlen(props->models))
            return false;
    return true;
}

static void read_lump(const struct env *env, const struct bsp *bsp, struct prop_set *set)
{
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, STATIC_PROPS_ID);
    enum static_prop_form form;
    if (!lump)
        return;
    struct diag *details = diag_new(NULL, NULL);
    enum status status = static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL,
                                             details, &set->props, &form);
    if (status != STATUS_OK) {
        diag_report(env->diag, DIAG_PROP_LIGHT_LUMP, NULL, "static props: %s",
                    diag_entry(details, 0)->message);
    } else if (!names_hold(&set->props)) {
        diag_report(env->diag, DIAG_PROP_LIGHT_LUMP, NULL, "static props: invalid model index");
        static_props_free(&set->props);
    }
    diag_free(details);
}

static struct transform prop_transform(const struct static_prop *prop)
{
    struct transform transform =
        transform_from_angles(vec3_from_floats(prop->origin), vec3_from_floats(prop->angles), 1);
    for (int k = 0; k < 3; k++)
        transform.axes[k] = vec3_scale(transform.axes[k], (double)prop->scale[k]);
    return transform;
}

static void load_model(const struct env *env, struct assets *assets, struct prop_set *set,
                       const bool *used, size_t index)
{
    const char *name = set->props.models[index];
    struct prop_model *model = &set->models[index];
    if (!used[index])
        return;
    model->present = model_load(assets, name, &set->arena, env->diag, &model->model);
    if (!model->present)
        diag_report(env->diag, DIAG_PROP_LIGHT_MODEL, NULL, "\"%s\"", name);
}

static struct vec3 middle_of(struct assets *assets, const char *name, struct diag *details)
{
    struct bytes file = {0};
    struct arena arena = {0};
    struct mdl mdl;
    struct vec3 middle = vec3(0, 0, 0);
    if (assets && assets_read(assets, name, &file) &&
        mdl_decode(&file, NULL, details, &arena, &mdl) == STATUS_OK)
        middle = vec3_scale(vec3_add(mdl.hull.mins, mdl.hull.maxs), 0.5);
    arena_free(&arena);
    bytes_free(&file);
    return vec3_is_finite(middle) ? middle : vec3(0, 0, 0);
}

/* The middle of the hull of each model in the detail props lump, as an stb_ds array; 0 0 0 for one
 * that is missing or invalid (not reported: its props are lit at their origin). NULL without such a
 * lump or with an invalid one. */
static struct vec3 *detail_middles(struct assets *assets, const struct bsp *bsp)
{
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, DETAIL_PROPS_ID);
    struct detail_props props = {0};
    struct diag *details = diag_new(NULL, NULL); /* the lighting of the props reports the lump */
    struct vec3 *middles = NULL;
    if (lump && detail_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, details,
                                    &props) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(props.models); i++)
            arrput(middles, middle_of(assets, props.models[i], details));
    detail_props_free(&props);
    diag_free(details);
    return middles;
}

/* Models that the map itself has, such as combined props. NULL: it has no files. */
static struct mount *mount_packed(struct assets *assets, const struct bsp *bsp, struct diag *diag)
{
    struct mount *mount = NULL;
    if (assets && bsp->pakfile.size)
        mount = mount_pakfile(&bsp->pakfile, "packed files", diag);
    if (mount)
        assets_mount_first(assets, mount);
    return mount;
}

static void load_models(const struct env *env, struct assets *assets, const struct bsp *bsp,
                        const bool *used, struct prop_set *set)
{
    struct diag *quiet = diag_new(NULL, NULL); /* a pakfile that cannot be read has no models */
    struct mount *packed = mount_packed(assets, bsp, quiet);
    for (size_t i = 0; i < arrlenu(set->props.models); i++)
        load_model(env, assets, set, used, i);
    set->detail_middles = detail_middles(assets, bsp);
    if (packed)
        assets_unmount(assets, packed);
    diag_free(quiet);
}

void prop_set_load(const struct env *env, struct assets *assets, const struct bsp *bsp,
                   struct prop_set *out)
{
    *out = (struct prop_set){0};
    read_lump(env, bsp, out);
    size_t models = arrlenu(out->props.models), props = arrlenu(out->props.props);
    out->models = memory_zalloc(models + 1, sizeof *out->models);
    out->transforms = memory_zalloc(props + 1, sizeof *out->transforms);
    bool *used = memory_zalloc(models + 1, sizeof *used);
    for (size_t i = 0; i < props; i++) {
        used[out->props.props[i].model] = true;
        out->transforms[i] = prop_transform(&out->props.props[i]);
    }
    load_models(env, assets, bsp, used, out);
    memory_free(used);
}

void prop_set_free(struct prop_set *set)
{
    for (size_t i = 0; i < arrlenu(set->props.models) && set->models; i++)
        model_free(&set->models[i].model);
    memory_free(set->models);
    memory_free(set->transforms);
    arrfree(set->detail_middles);
    static_props_free(&set->props);
    arena_free(&set->arena);
    *set = (struct prop_set){0};
}

const struct model *prop_set_model(const struct prop_set *set, size_t prop)
{
    const struct prop_model *model = &set->models[set->props.props[prop].model];
    return model->present ? &model->model : NULL;
}

size_t prop_set_vertices(const struct prop_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(set->props.props); i++) {
        const struct model *model = prop_set_model(set, i);
        count += model ? (size_t)model->vvd.count : 0;
    }
    return count;
}
