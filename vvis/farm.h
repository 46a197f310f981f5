/* vvis on several ranks: rank 0 sends the portals and the options, then all resolve the map
 * together.
 */
#ifndef VVIS_FARM_H
#define VVIS_FARM_H

#include "vvis/resolve.h"
#include "vvis/vvis.h"

/* Inputs that rank 0 sends. */
struct vis_inputs {
    struct vvis_options options;
    bool has_cache, resume; /* of rank 0 */
    double radius;
    struct prt prt;
};

void vis_inputs_append(const struct vis_inputs *inputs, struct bytes *out);
/* Returns false when the reader has something else up to its end. Free with vis_inputs_free in any
 * case. */
NODISCARD bool vis_inputs_read(struct byte_reader *from, struct vis_inputs *out);
void vis_inputs_free(struct vis_inputs *inputs);

/* On rank 0, before vis_work_begin: the others begin vvis_work. */
void vis_farm_begin(const struct vis_work *work, const struct stage_run *run);

#endif
