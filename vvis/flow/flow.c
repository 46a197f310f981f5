#include "vvis/flow/flow_state.h"

#include <string.h>

#include "common/core/array.h"
#include "common/farm/rank_values.h"
#include "common/farm/ranks.h"

SIMD_TABLES(flow_kernels)

struct flow *flow_new(const struct portals *portals, const struct bit_rows *rows)
{
    struct flow *flow = memory_aligned(1, sizeof *flow);
    flow->portals = portals;
    flow->kernels = flow_kernels_of(simd_best());
    flow->words = bit_words((size_t)portals->cluster_count);
    flow->target_mightsee.bits = memory_aligned(flow->words, sizeof(uint64_t));
    if (rows)
        flow_use_rows(flow, rows);
    return flow;
}

static void free_frames(struct flow *flow)
{
    for (ptrdiff_t i = 0; i < arrlen(flow->frames); i++) {
        memory_free(flow->frames[i]->mightsee.bits);
        memory_free(flow->frames[i]);
    }
    arrfree(flow->frames);
    flow->depth = 0;
}

void flow_use_rows(struct flow *flow, const struct bit_rows *rows)
{
    flow->rows = rows;
    if (rows->words <= flow->words)
        return;
    free_frames(flow);
    memory_free(flow->target_mightsee.bits);
    flow->words = rows->words;
    flow->target_mightsee.bits = memory_aligned(flow->words, sizeof(uint64_t));
}

void flow_free(struct flow *flow)
{
    free_frames(flow);
    for (ptrdiff_t i = 0; i < arrlen(flow->arrivals); i++)
        memory_free(flow->arrivals[i]);
    arrfree(flow->arrivals);
    memory_free(flow->target_mightsee.bits);
    memory_free(flow);
}

int64_t flow_chains(const struct flow *flow)
{
    return flow->counts.chains;
}

void flow_counts_add(struct flow_counts *total, const struct flow_counts *more)
{
    total->chains += more->chains;
    total->clips += more->clips;
    if (more->worst > total->worst)
        total->worst = more->worst;
}

void flow_counts_of_ranks(struct ranks *ranks, struct flow_counts *counts)
{
    struct bytes mine = {0};
    bytes_u64(&mine, (uint64_t)counts->chains);
    bytes_u64(&mine, (uint64_t)counts->clips);
    bytes_u64(&mine, (uint64_t)counts->worst);
    struct ranks_parts parts = ranks_gather(ranks, &mine);
    bytes_free(&mine);
    struct byte_reader in = byte_reader(parts.all.data, parts.all.size);
    struct flow_counts total = {0};
    for (int i = 0; i < ranks_count(ranks); i++) {
        struct flow_counts one = {.chains = rank_count(&in)};
        one.clips = rank_count(&in);
        one.worst = rank_count(&in);
        flow_counts_add(&total, &one);
    }
    if (in.failed || in.at != in.size)
        ranks_fail(ranks, "counts of another rank are damaged");
    *counts = total;
    ranks_parts_free(&parts);
}

void flow_add_counts(const struct flow *flow, struct flow_counts *total)
{
    flow_counts_add(total, &flow->counts);
}

void flow_push_frame(struct flow *flow)
{
    struct frame *frame = memory_aligned(1, sizeof *frame);
    frame->mightsee.bits = memory_aligned(flow->words, sizeof(uint64_t));
    arrput(flow->frames, frame);
    flow->depth = (int)arrlen(flow->frames);
}

/* Allocated one by one, because windows must be aligned. */
struct flow_arrival *flow_new_arrival(struct flow *flow)
{
    if (flow->arrival_count == arrlenu(flow->arrivals))
        arrput(flow->arrivals, memory_aligned(1, sizeof **flow->arrivals));
    return flow->arrivals[flow->arrival_count++];
}

const struct flow_arrival *const *flow_arrivals(const struct flow *flow, size_t *count)
{
    *count = flow->arrival_count;
    return (const struct flow_arrival *const *)flow->arrivals;
}

void flow_portal(struct flow *flow, int p, int64_t max, uint64_t *seen)
{
    flow->kernels->flow_portal(flow, p, max, seen);
}

bool flow_cluster(struct flow *flow, const struct bit_rows *cluster_rows, int a, int64_t max,
                  uint64_t *seen)
{
    flow->arrival_count = 0;
    flow->cluster_rows = cluster_rows;
    return flow->kernels->flow_cluster(flow, a, max, seen);
}

enum flow_result flow_pair(struct flow *flow, int a, int b, int64_t max,
                           struct flow_arrival *arrival)
{
    return flow->kernels->flow_pair(flow, a, b, max, arrival);
}

enum flow_result flow_clusters(struct flow *flow, const struct bit_rows *cluster_rows, int a, int b,
                               int64_t max, struct flow_arrival *arrival)
{
    flow->cluster_rows = cluster_rows;
    return flow->kernels->flow_clusters(flow, a, b, max, arrival);
}
