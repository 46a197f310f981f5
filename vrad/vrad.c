#include "vrad/vrad.h"

const struct vrad_options vrad_defaults = {.bounce = 100, .smooth_degrees = 45};
