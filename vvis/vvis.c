#include "vvis/vvis.h"

const struct vvis_options vvis_defaults = {0};
