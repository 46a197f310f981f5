#include "vvis/graph/orient.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/parallel/parallel.h"

/* Farther than what a compiler rounds or welds, nearer than most brushes are thick. */
#define STEP 0.25

/* Of fewer portals than this, more than half may be slivers. */
enum { PORTALS_MIN = 8 };

enum {
    CHUNK = 64,   /* portals: one is too little work to hand out */
    SAMPLE = 512, /* of many: nearly all of them right is answer enough */
};

struct votes {
    int right, reversed, neither;
};

struct look_job {
    const struct bsp *bsp;
    const struct prt *prt;
    size_t step; /* every so manyth portal */
    size_t count;
    struct votes *votes; /* one a thread */
};

static int cluster_at(const struct bsp *bsp, struct vec3 point)
{
    return bsp->leaves[bsp_leaf_at(bsp, 0, point)].cluster;
}

static void look_at(const struct prt_portal *portal, const struct bsp *bsp, struct votes *votes)
{
    struct plane plane;
    const int *clusters = portal->clusters;
    if (!winding_plane(portal->winding, &plane))
        return;
    struct vec3 center = winding_center(portal->winding);
    int before = cluster_at(bsp, vec3_mad(center, plane.normal, STEP));
    int behind = cluster_at(bsp, vec3_mad(center, plane.normal, -STEP));
    if (before == clusters[0] && behind == clusters[1])
        votes->right++;
    else if (before == clusters[1] && behind == clusters[0])
        votes->reversed++;
    else
        votes->neither++;
}

static void look_at_some(void *context, size_t chunk, int thread)
{
    struct look_job *job = context;
    size_t end = (chunk + 1) * CHUNK;
    for (size_t i = chunk * CHUNK; i < end && i < job->count; i++)
        look_at(&job->prt->portals[i * job->step], job->bsp, &job->votes[thread]);
}

static struct votes look_at_each(int threads, const struct bsp *bsp, const struct prt *prt,
                                 size_t step)
{
    struct votes sum = {0};
    struct look_job job = {bsp, prt, step, arrlenu(prt->portals) / step,
                           memory_zalloc((size_t)threads, sizeof *job.votes)};
    parallel_for(threads, (job.count + CHUNK - 1) / CHUNK, look_at_some, &job);
    for (int i = 0; i < threads; i++) {
        sum.right += job.votes[i].right;
        sum.reversed += job.votes[i].reversed;
        sum.neither += job.votes[i].neither;
    }
    memory_free(job.votes);
    return sum;
}

static bool are_right(struct votes votes)
{
    return votes.right > 7 * (votes.reversed + votes.neither);
}

enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt)
{
    if (!arrlenu(bsp->leaves) || !arrlenu(bsp->nodes))
        return STATUS_OK;
    size_t step = arrlenu(prt->portals) / SAMPLE;
    if (step > 1 && are_right(look_at_each(env->threads, bsp, prt, step)))
        return STATUS_OK;
    struct votes votes = look_at_each(env->threads, bsp, prt, 1);
    int sound = votes.right + votes.reversed;
    if (votes.neither > sound && arrlen(prt->portals) >= PORTALS_MIN)
        return diag_report(env->diag, DIAG_VIS_CLUSTERS, NULL,
                           "%d of %d portals are not where the map has its clusters", votes.neither,
                           votes.neither + sound);
    for (size_t i = 0; votes.reversed > votes.right && i < arrlenu(prt->portals); i++) {
        int *clusters = prt->portals[i].clusters, first = clusters[0];
        clusters[0] = clusters[1];
        clusters[1] = first;
    }
    return STATUS_OK;
}
