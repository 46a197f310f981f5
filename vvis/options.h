/* The option table of vvis, for its main and for `brushwork build`. */
#ifndef VVIS_OPTIONS_H
#define VVIS_OPTIONS_H

#include "common/cli/options.h"
#include "vvis/vvis.h"

/* `base` is the offset of a struct vvis_options in the values of the table. */
struct option_group vvis_option_group(size_t base);

#endif
