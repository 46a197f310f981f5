/* Which thread has the rows of which clusters at hand. Clusters that follow each other mostly lie
 * together on the map, and see each other: a thread that begins with the same stretch of them in
 * every loop finds in its cache what it reads, and others have not written to it. */
#ifndef VVIS_HOMES_H
#define VVIS_HOMES_H

#include "common/core/parallel.h"

/* The thread that begins with the cluster. */
int home_of(int threads, size_t clusters, size_t cluster);

/* A parallel loop of an item for every `step` clusters that follow each other; 64 is a multiple of
 * that. */
void homes_for(int threads, size_t clusters, size_t step, parallel_item *item, void *context);

#endif
