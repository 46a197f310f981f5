/* The option table of vrad, for its main and for `brushwork build`. */
#ifndef VRAD_OPTIONS_H
#define VRAD_OPTIONS_H

#include "common/cli/options.h"
#include "vrad/vrad.h"

/* `base` is the offset of a struct vrad_options in the values of the table. */
struct option_group vrad_option_group(size_t base);

#endif
