/* Rules for combining the static props of a map, by where they stand. */
#include <math.h>
#include <string.h>

#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"
#include "vbsp/report/dumps.h"
#include "vbsp/target/source/combine/combine_options.h"

enum { FEWEST = 2, STEP = 64 };

/* Props of a model, and the distance within which each of those that have a neighbour has one. */
struct group_use {
    int64_t count;
    double distance;
};

static struct vec3 place_of(const struct static_props *props, size_t prop)
{
    return vec3_from_floats(props->props[prop].origin);
}

/* The distance to the nearest other prop of the model. */
static double nearest(const struct static_props *props, size_t prop)
{
    double closest = HUGE_VAL;
    for (size_t i = 0; i < arrlenu(props->props); i++)
        if (i != prop && props->props[i].model == props->props[prop].model)
            closest =
                portable_fmin(closest, vec3_distance(place_of(props, i), place_of(props, prop)));
    return closest;
}

static struct group_use use_of(const struct static_props *props, int32_t model)
{
    struct group_use use = {0};
    for (size_t i = 0; i < arrlenu(props->props); i++) {
        double distance = props->props[i].model == model ? nearest(props, i) : HUGE_VAL;
        if (!(distance <= combine_defaults.distance))
            continue;
        use.count++;
        use.distance = portable_fmax(use.distance, distance);
    }
    return use;
}

static void put_rules(const struct static_props *props, struct bytes *out)
{
    bytes_append_text(out, "combine\n{\n");
    for (size_t i = 0; i < arrlenu(props->models); i++) {
        struct group_use use = use_of(props, (int32_t)i);
        if (use.count < FEWEST || strchr(props->models[i], '"') ||
            strstr(props->models[i], "/combined_"))
            continue;
        /* Twice that far is the prop on the other side of the nearest. */
        double reach = (ceil(2 * use.distance / STEP) + 1) * STEP;
        bytes_append_text(out, "    group // %lld props\n    {\n        \"model\" \"%s\"\n",
                          (long long)use.count, props->models[i]);
        bytes_append_text(out, "        \"distance\" \"%.0f\"\n    }\n", reach);
    }
    bytes_append_text(out, "}\n");
}

enum status dump_combine_rules(const struct bsp *bsp, const struct diag_where *where,
                               struct diag *diag, struct bytes *out)
{
    const struct bsp_game_lump *lump = bsp_game_lump(bsp, STATIC_PROPS_ID);
    struct static_props props = {0};
    enum static_prop_form form;
    if (lump)
        TRY(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, &props,
                                &form));
    put_rules(&props, out);
    static_props_free(&props);
    return STATUS_OK;
}
