/* Sightlines: proofs of visibility by lines traced through the portals.
 *
 * All clusters on a line see each other. A line proves visibility; pairs without a line are sent
 * to the flow. */
#ifndef VVIS_FLOW_SIGHTLINES_H
#define VVIS_FLOW_SIGHTLINES_H

#include "common/env.h"
#include "vvis/flow/flow.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* Minimum distance of a line from a portal's edges. Thinner gaps are sent to the flow, so that
 * the result does not depend on a lucky hit. */
#define SIGHTLINE_MARGIN 0.1

/* A line that meets a portal's plane at a smaller slope than this does not go through. */
#define SIGHTLINE_SLOPE 1e-4

/* Exits of a cluster that are tested: a line that leaves by another ends there. */
enum { SIGHTLINE_EXITS = 1024 };

struct sightline {
    struct vec3 origin, along; /* along is a unit vector */
};

struct sightlines;

/* Proven pairs go to `proven`, a symmetric row per cluster, when sightlines_commit is called:
 * all threads may read `proven` while lines are traced, and see the same whatever the others do.
 * The rows of portals tell which portals may see each other; NULL: boxes are tested. All are
 * borrowed. */
struct sightlines *sightlines_new(const struct env *env, const struct portals *portals,
                                  const struct bit_rows *rows, struct bit_rows *proven);
void sightlines_use_rows(struct sightlines *lines, const struct bit_rows *rows);
int64_t sightlines_free(struct sightlines *lines); /* returns the number of lines traced */

/* Adds the pairs proven since the last call to `proven`. */
void sightlines_commit(struct sightlines *lines);
/* The same for the 64 clusters of a word, for callers that process all words in parallel. */
void sightlines_commit_word(struct sightlines *lines, size_t word);

/* Appends the pairs proven since the last commit, and adds those of another rank. */
void sightlines_pack(const struct sightlines *lines, struct bytes *out);
void sightlines_unpack(struct sightlines *lines, struct byte_reader *in);
/* Forgets how many lines were traced so far, on ranks that traced the same ones as rank 0. */
void sightlines_count_on_first_rank(struct sightlines *lines);

/* Returns the number of clusters proven to be seen from a cluster at the last commit. */
size_t sightlines_proven(const struct sightlines *lines, size_t cluster);
/* Counts again, after `proven` was changed elsewhere. */
void sightlines_recount(struct sightlines *lines);

/* Proves each cluster with itself, its neighbours, and the clusters on `each` randomly sampled
 * lines from it; commits. */
void sightlines_sample(struct sightlines *lines, int each);

/* Traces lines number `first` to `last` - 1 from cluster a to cluster b until one arrives;
 * returns whether one did. Thread-safe. */
bool sightlines_try_pair(struct sightlines *lines, int a, int b, int first, int last, int thread);

/* Traces lines that a walk from cluster a may have found, and proves the clusters on them, until
 * one arrives where the walk did; returns whether one did. `met` may be NULL: a row that gets
 * the clusters on a line with a; fewer lines are tried with it. Thread-safe. */
bool sightlines_try_arrival(struct sightlines *lines, int a, const struct flow_arrival *arrival,
                            uint64_t *met, int thread);

#endif
