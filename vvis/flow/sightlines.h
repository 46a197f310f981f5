/* Proofs of visibility: lines that are followed through the portals.
 *
 * All clusters on a line see each other. What is proven by a line is certain; what no line proves
 * is left to the flow. */
#ifndef VVIS_FLOW_SIGHTLINES_H
#define VVIS_FLOW_SIGHTLINES_H

#include "common/env.h"
#include "vvis/flow/flow.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* How far inside of a portal's edges a line must pass. A sight thinner than that is left to the
 * flow, so that it does not hang on the chance of a hit. */
#define SIGHTLINE_MARGIN 0.1

/* A line that meets a portal's plane at less than this slope does not go through. */
#define SIGHTLINE_SLOPE 1e-4

/* Ways out of a cluster that are looked at: a line that leaves by another ends there. */
enum { SIGHTLINE_EXITS = 1024 };

struct sightline {
    struct vec3 origin, along; /* along is of length 1 */
};

struct sightlines;

/* What is proven goes to `proven`, a row a cluster, symmetric, when sightlines_commit is called; so
 * all may read that while lines are followed, and see the same whatever other threads do. Rows of
 * portals tell where a line may be worth while; NULL: sides of boxes do. All are borrowed. */
struct sightlines *sightlines_new(const struct env *env, const struct portals *portals,
                                  const struct bit_rows *rows, struct bit_rows *proven);
void sightlines_use_rows(struct sightlines *lines, const struct bit_rows *rows);
int64_t sightlines_free(struct sightlines *lines); /* how many were followed */

/* Adds to `proven` what the lines since the last time have proven. */
void sightlines_commit(struct sightlines *lines);
/* The same of 64 clusters from 64 * word on: for who goes over all of them by several threads. */
void sightlines_commit_word(struct sightlines *lines, size_t word);

/* How many clusters were proven to be seen from a cluster when that was last settled. */
size_t sightlines_proven(const struct sightlines *lines, size_t cluster);
/* Counts them anew, when `proven` has changed otherwise. */
void sightlines_recount(struct sightlines *lines);

/* Each cluster with itself and its neighbours, and with what is on `each` random lines from it;
 * settled. */
void sightlines_sample(struct sightlines *lines, int each);

/* Aims lines number `first` .. `last` - 1 from cluster a to cluster b, until one arrives; whether
 * one did. May be called by several threads at once. */
bool sightlines_try_pair(struct sightlines *lines, int a, int b, int first, int last, int thread);

/* Follows some lines along which a walk from cluster a may have come, and proves what is on them,
 * until one arrives where the walk did; whether one does. `met`, when it is not NULL, is a row that
 * gets the clusters that a is on a line with; then fewer lines are tried. Threads as for
 * sightlines_try_pair. */
bool sightlines_try_arrival(struct sightlines *lines, int a, const struct flow_arrival *arrival,
                            uint64_t *met, int thread);

#endif
