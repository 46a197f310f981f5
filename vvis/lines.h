/* Proofs of visibility: lines that are followed through the portals.
 *
 * All clusters on a line see each other. What is proven by a line is certain; what no line proves
 * is left to the flow. */
#ifndef VVIS_LINES_H
#define VVIS_LINES_H

#include "common/core/env.h"
#include "vvis/bits.h"
#include "vvis/portals.h"

struct lines;

/* What is proven goes to `proven`: a row a cluster, symmetric. Rows of portals tell where a line
 * may be worth while. All are borrowed. */
struct lines *lines_new(const struct env *env, const struct portals *portals,
                        const struct bit_rows *rows, struct bit_rows *proven);
int64_t lines_free(struct lines *lines); /* how many were followed */

/* Each cluster with itself and its neighbours, and with what is on `each` random lines from it. */
void lines_at_random(struct lines *lines, int each);

/* Aims lines number `first` .. `last` - 1 from cluster a to cluster b, until one arrives; whether
 * one did. May be called by several threads at once: what others prove meanwhile has no influence.
 */
bool lines_at_pair(struct lines *lines, int a, int b, int first, int last, int thread);

/* Whether the line from one point, on portal p, to the other comes to cluster b. Proves nothing for
 * others. */
bool lines_reach(struct lines *lines, int p, struct vec3 from, struct vec3 to, int b, int thread);

#endif
