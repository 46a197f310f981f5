#include "vvis/farm.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/farm/rank_values.h"

static void put_number(struct bytes *out, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bytes_u64(out, bits);
}

static double take_number(struct byte_reader *in)
{
    uint64_t bits = read_u64(in);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void put_portals(struct bytes *out, const struct prt *prt)
{
    bytes_i32(out, prt->cluster_count);
    bytes_u32(out, (uint32_t)arrlenu(prt->portals));
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        const struct winding *winding = prt->portals[i].winding;
        for (int side = 0; side < 2; side++)
            bytes_i32(out, prt->portals[i].clusters[side]);
        bytes_i32(out, winding->count);
        for (int k = 0; k < winding->count; k++)
            for (int axis = 0; axis < 3; axis++)
                put_number(out, winding->points[k].e[axis]);
    }
}

/* Returns NULL unless its points are there and finite. */
static struct winding *take_winding(struct byte_reader *in, struct arena *arena)
{
    uint32_t count = read_u32(in);
    if (count < 3 || count > PRT_POINTS_MAX || !rank_has(in, count, sizeof(struct vec3)))
        return NULL;
    struct vec3 points[PRT_POINTS_MAX];
    bool finite = true;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            points[i].e[axis] = take_number(in);
            finite = finite && isfinite(points[i].e[axis]);
        }
    return finite ? winding_new(arena, (int)count, points) : NULL;
}

static bool take_portal(struct byte_reader *in, struct prt *prt, struct prt_portal *out)
{
    for (int side = 0; side < 2; side++) {
        out->clusters[side] = read_i32(in);
        if (out->clusters[side] < 0 || out->clusters[side] >= prt->cluster_count)
            return false;
    }
    out->winding = take_winding(in, &prt->arena);
    return out->winding != NULL;
}

/* The limits are those of a portal file. */
static bool take_portals(struct byte_reader *in, struct prt *prt)
{
    prt->cluster_count = read_i32(in);
    uint32_t portals = read_u32(in);
    if (portals > PRT_PORTALS_MAX || prt->cluster_count < 0 ||
        prt->cluster_count > PRT_CLUSTERS_MAX || !rank_has(in, portals, 2 * sizeof(int32_t)))
        return false;
    for (uint32_t i = 0; i < portals; i++) {
        struct prt_portal portal;
        if (!take_portal(in, prt, &portal))
            return false;
        arrput(prt->portals, portal);
    }
    return in->at == in->size;
}

void vis_inputs_append(const struct vis_inputs *inputs, struct bytes *out)
{
    const struct option_group group = vvis_option_group(0);
    option_group_append(&group, &inputs->options, out);
    bytes_u8(out, inputs->has_cache);
    bytes_u8(out, inputs->resume);
    put_number(out, inputs->radius);
    put_portals(out, &inputs->prt);
}

bool vis_inputs_read(struct byte_reader *from, struct vis_inputs *out)
{
    const struct option_group group = vvis_option_group(0);
    *out = (struct vis_inputs){.options = vvis_defaults};
    if (!option_group_read(&group, from, &out->options, &out->prt.arena))
        return false;
    out->has_cache = read_u8(from) != 0;
    out->resume = read_u8(from) != 0;
    out->radius = take_number(from);
    return !from->failed && isfinite(out->radius) && take_portals(from, &out->prt);
}

void vis_inputs_free(struct vis_inputs *inputs)
{
    prt_free(&inputs->prt);
}

void vis_farm_begin(const struct vis_work *work, const struct stage_run *run)
{
    const struct vis_inputs inputs = {.options = *work->options,
                                      .has_cache = work->has_cache,
                                      .resume = run->session->resume.resume,
                                      .radius = work->radius,
                                      .prt = *work->prt};
    struct bytes bytes = {0};
    vis_inputs_append(&inputs, &bytes);
    farm_begin(run->env, run->stage->name, &bytes);
    bytes_free(&bytes);
}

void vvis_work(const struct env *env, struct byte_reader *from)
{
    struct vis_inputs inputs;
    if (!vis_inputs_read(from, &inputs))
        ranks_fail(env->ranks, "the first rank's portals are damaged");
    struct stage_session session = {.resume.resume = inputs.resume};
    struct vis_work work = {.options = &inputs.options,
                            .prt = &inputs.prt,
                            .radius = inputs.radius,
                            .has_cache = inputs.has_cache};
    const struct stage_run run = stage_run_of(&vvis_stage, env, &session, &work);
    vis_work_begin(&work, &run);
    vis_resolve(&work); /* rank 0 knows as well whether it was stopped */
    vis_work_end(&work);
    vis_inputs_free(&inputs);
}
