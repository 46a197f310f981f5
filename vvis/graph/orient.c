#include "vvis/graph/orient.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/clusters.def"
#include "common/parallel/parallel.h"

/* More than compilers round or weld, less than the thickness of most brushes. */
#define STEP 0.25

/* With fewer portals, more than half of them may be slivers. */
enum { PORTALS_MIN = 8 };

enum {
    CHUNK = 64,   /* portals per work item: one is too little */
    SAMPLE = 512, /* portals tested first; enough if nearly all agree */
};

struct orientation_counts {
    int correct, reversed, neither;
};

struct orientation_job {
    const struct bsp *bsp;
    const struct prt *prt;
    size_t step; /* test every step-th portal */
    size_t count;
    struct orientation_counts *orientations; /* one per thread */
};

static int cluster_at(const struct bsp *bsp, struct vec3 point)
{
    return bsp->leaves[bsp_leaf_at(bsp, 0, point)].cluster;
}

static void test_portal(const struct prt_portal *portal, const struct bsp *bsp,
                        struct orientation_counts *orientations)
{
    struct plane plane;
    const int *clusters = portal->clusters;
    if (!winding_plane(portal->winding, &plane))
        return;
    struct vec3 center = winding_center(portal->winding);
    int before = cluster_at(bsp, vec3_mad(center, plane.normal, STEP));
    int behind = cluster_at(bsp, vec3_mad(center, plane.normal, -STEP));
    if (before == clusters[0] && behind == clusters[1])
        orientations->correct++;
    else if (before == clusters[1] && behind == clusters[0])
        orientations->reversed++;
    else
        orientations->neither++;
}

static void test_chunk(void *context, size_t chunk, int thread)
{
    struct orientation_job *job = context;
    size_t end = (chunk + 1) * CHUNK;
    for (size_t i = chunk * CHUNK; i < end && i < job->count; i++)
        test_portal(&job->prt->portals[i * job->step], job->bsp, &job->orientations[thread]);
}

static struct orientation_counts test_portals(int threads, const struct bsp *bsp,
                                              const struct prt *prt, size_t step)
{
    struct orientation_counts sum = {0};
    struct orientation_job job = {bsp, prt, step, arrlenu(prt->portals) / step,
                                  memory_zalloc((size_t)threads, sizeof *job.orientations)};
    parallel_for(threads, (job.count + CHUNK - 1) / CHUNK, test_chunk, &job);
    for (int i = 0; i < threads; i++) {
        sum.correct += job.orientations[i].correct;
        sum.reversed += job.orientations[i].reversed;
        sum.neither += job.orientations[i].neither;
    }
    memory_free(job.orientations);
    return sum;
}

static bool mostly_correct(struct orientation_counts orientations)
{
    return orientations.correct > 7 * (orientations.reversed + orientations.neither);
}

enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt)
{
    if (!arrlenu(bsp->leaves) || !arrlenu(bsp->nodes))
        return STATUS_OK;
    size_t step = arrlenu(prt->portals) / SAMPLE;
    if (step > 1 && mostly_correct(test_portals(env->threads, bsp, prt, step)))
        return STATUS_OK;
    struct orientation_counts orientations = test_portals(env->threads, bsp, prt, 1);
    int sound = orientations.correct + orientations.reversed;
    if (orientations.neither > sound && arrlen(prt->portals) >= PORTALS_MIN)
        return diag_report(env->diag, DIAG_VIS_CLUSTERS, NULL,
                           "%d of %d portals are not between the clusters that they name",
                           orientations.neither, orientations.neither + sound);
    for (size_t i = 0; orientations.reversed > orientations.correct && i < arrlenu(prt->portals);
         i++) {
        int *clusters = prt->portals[i].clusters, first = clusters[0];
        clusters[0] = clusters[1];
        clusters[1] = first;
    }
    return STATUS_OK;
}
