#include "vvis/farm.h"

#include "common/core/array.h"

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

/* The bytes are those of put_portals, as this is the same run. */
static void take_portals(struct byte_reader *in, struct prt *prt)
{
    prt->cluster_count = read_i32(in);
    size_t portals = read_u32(in);
    arrsetlen(prt->portals, portals);
    struct vec3 *points = NULL;
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        struct prt_portal *portal = &prt->portals[i];
        for (int side = 0; side < 2; side++)
            portal->clusters[side] = read_i32(in);
        size_t count = (size_t)read_i32(in);
        arrsetlen(points, count);
        for (size_t k = 0; k < arrlenu(points); k++)
            for (int axis = 0; axis < 3; axis++)
                points[k].e[axis] = take_number(in);
        portal->winding = winding_new(&prt->arena, (int)arrlen(points), points);
    }
    arrfree(points);
}

void vis_farm_begin(const struct vis_work *work, const struct vvis_session *session)
{
    const struct vvis_options *options = work->options;
    struct bytes inputs = {0};
    bytes_u8(&inputs, options->fast);
    bytes_u8(&inputs, options->portal_flow);
    bytes_u8(&inputs, options->no_sort);
    bytes_u8(&inputs, work->has_cache);
    put_number(&inputs, options->budget);
    put_number(&inputs, options->budget_seconds);
    put_number(&inputs, work->radius);
    bytes_u8(&inputs, session->resume.resume);
    put_portals(&inputs, work->prt);
    farm_begin(work->env, "vvis", &inputs);
    bytes_free(&inputs);
}

void vvis_work(const struct env *env, struct byte_reader *inputs)
{
    struct vvis_options options = vvis_defaults;
    struct vvis_session session = {0};
    struct prt prt = {0};
    struct vis_work work = {.env = env, .options = &options, .prt = &prt};
    options.fast = read_u8(inputs);
    options.portal_flow = read_u8(inputs);
    options.no_sort = read_u8(inputs);
    work.has_cache = read_u8(inputs) != 0; /* of rank 0 */
    options.budget = take_number(inputs);
    options.budget_seconds = take_number(inputs);
    work.radius = take_number(inputs);
    session.resume.resume = read_u8(inputs);
    take_portals(inputs, &prt);
    vis_work_begin(&work, &session);
    vis_resolve(&work);
    vis_work_end(&work);
    prt_free(&prt);
}
