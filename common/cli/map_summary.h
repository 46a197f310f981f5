/* Adds a compiled map to the summary of a run. */
#ifndef CLI_MAP_SUMMARY_H
#define CLI_MAP_SUMMARY_H

#include "common/bsp/codec/limit_report.h"
#include "common/cli/run_summary.h"

/* Brushes, faces, leaves, clusters and entities, and the use of each limit of the format. */
void map_summary_add(struct run_summary *summary, const struct bsp *bsp,
                     const struct bsp_format *format);

/* The limits alone, where the map is not kept because one is exceeded. */
void map_summary_limits(struct run_summary *summary, const struct limit_report *report);

/* Luxels, lights, and whether they are LDR or HDR. After the counters of the stage that lights. */
void map_summary_light(struct run_summary *summary, const struct bsp *bsp);

#endif
