/* The option table of vvis, used by its main and by `brushwork build`. */
#ifndef VVIS_OPTIONS_H
#define VVIS_OPTIONS_H

#include "common/cli/options.h"
#include "vvis/vvis.h"

/* `base` is the offset of the struct vvis_options within the values of the table. */
struct option_group vvis_option_group(size_t base);

#endif
