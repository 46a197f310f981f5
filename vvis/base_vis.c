#include "vvis/base_vis.h"

#include "common/core/memory.h"
#include "common/core/parallel.h"

/* One a thread. */
struct flood_scratch {
    int *stack;      /* clusters to visit */
    size_t *visited; /* one a cluster: the last flood that came, plus 1 */
};

struct base_job {
    const struct env *env;
    const struct portals *portals;
    double radius;
    struct bit_rows front, flood;
    struct flood_scratch *scratch;
};

/* On which sides of a plane a window has points. */
struct sides {
    bool before, behind;
};

static struct sides sides_of(const struct portals *portals, int pair, const struct plane *plane)
{
    const struct box *box = &portals->boxes[pair];
    double distance = plane_distance(plane, box->center), reach = box_reach(box, plane->normal);
    if (distance - reach > VIS_EPSILON)
        return (struct sides){true, false};
    if (distance + reach < -VIS_EPSILON)
        return (struct sides){false, true};
    struct sides sides = {false, false};
    const struct window *window = &portals->windows[2 * pair];
    for (int i = 0; i < window->count; i++) {
        struct vec3 point = vec3(window->x[i], window->y[i], window->z[i]);
        double at = plane_distance(plane, point);
        sides.before |= at > VIS_EPSILON;
        sides.behind |= at < -VIS_EPSILON;
    }
    return sides;
}

static double box_gap(const struct box *a, const struct box *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double gap = fabs(a->center.e[i] - b->center.e[i]) - a->half.e[i] - b->half.e[i];
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

/* A line through p can go on through q only if q is not wholly behind p, nor p wholly beyond q.
 * Both ways of both portals at once. */
static void find_front(void *context, size_t pair, int thread)
{
    (void)thread;
    struct base_job *job = context;
    const struct portals *portals = job->portals;
    uint64_t *even = bit_row(&job->front, 2 * pair), *odd = bit_row(&job->front, 2 * pair + 1);
    const struct plane *plane = &portals->planes[2 * pair];
    for (int other = 0; other < portals->count / 2; other++) {
        if (other == (int)pair)
            continue;
        if (job->radius > 0 && box_gap(&portals->boxes[pair], &portals->boxes[other]) > job->radius)
            continue;
        struct sides theirs = sides_of(portals, other, plane);
        struct sides ours = sides_of(portals, (int)pair, &portals->planes[2 * other]);
        /* the even way of the other portal, then its odd way */
        uint64_t reached = (uint64_t)ours.behind | (uint64_t)ours.before << 1;
        size_t word = (size_t)other / 32, shift = (size_t)other % 32 * 2;
        if (theirs.before)
            even[word] |= reached << shift;
        if (theirs.behind)
            odd[word] |= reached << shift;
    }
}

static void find_flood(void *context, size_t p, int thread)
{
    struct base_job *job = context;
    const struct portals *portals = job->portals;
    const uint64_t *front = bit_row(&job->front, p);
    uint64_t *flood = bit_row(&job->flood, p);
    struct flood_scratch *scratch = &job->scratch[thread];
    int depth = 0;
    scratch->stack[depth++] = portals->to[p];
    scratch->visited[portals->to[p]] = p + 1;
    while (depth) {
        int cluster = scratch->stack[--depth];
        for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
            size_t q = (size_t)portals->leaving[i];
            if (!bit_get(front, q))
                continue;
            bit_set(flood, q);
            int next = portals->to[q];
            if (scratch->visited[next] == p + 1)
                continue;
            scratch->visited[next] = p + 1;
            scratch->stack[depth++] = next;
        }
    }
    progress_step(job->env->progress);
}

struct symmetric_job {
    struct bit_rows *rows, kept;
};

static void keep_mutual(void *context, size_t p, int thread)
{
    (void)thread;
    struct symmetric_job *job = context;
    const uint64_t *row = bit_row(job->rows, p);
    uint64_t *kept = bit_row(&job->kept, p);
    for (size_t q = bit_next(row, job->rows->words, 0); q != SIZE_MAX;
         q = bit_next(row, job->rows->words, q + 1))
        if (bit_get(bit_row(job->rows, q ^ 1), p ^ 1))
            bit_set(kept, q);
}

void base_vis_symmetric(const struct env *env, struct bit_rows *rows, int portals)
{
    struct symmetric_job job = {rows, bit_rows_new((size_t)portals, (size_t)portals)};
    parallel_for(env->threads, (size_t)portals, keep_mutual, &job);
    memory_free(rows->data);
    *rows = job.kept;
}

struct bit_rows base_vis(const struct env *env, const struct portals *portals, double radius)
{
    size_t count = (size_t)portals->count, clusters = (size_t)portals->cluster_count;
    struct base_job job = {
        .env = env,
        .portals = portals,
        .radius = radius,
        .front = bit_rows_new(count, count),
        .flood = bit_rows_new(count, count),
        .scratch = memory_zalloc((size_t)env->threads, sizeof *job.scratch),
    };
    for (int i = 0; i < env->threads; i++) {
        job.scratch[i].stack = memory_zalloc(clusters, sizeof(int));
        job.scratch[i].visited = memory_zalloc(clusters, sizeof(size_t));
    }
    progress_begin(env->progress, "base visibility", count);
    parallel_for(env->threads, count / 2, find_front, &job);
    parallel_for(env->threads, count, find_flood, &job);
    memory_free(job.front.data);
    base_vis_symmetric(env, &job.flood, portals->count);
    progress_end(env->progress);
    for (int i = 0; i < env->threads; i++) {
        memory_free(job.scratch[i].stack);
        memory_free(job.scratch[i].visited);
    }
    memory_free(job.scratch);
    return job.flood;
}
