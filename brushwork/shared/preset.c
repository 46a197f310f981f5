#include "brushwork/shared/preset.h"

#include <stddef.h>

const char *const build_preset_names[] = {"preview", "fast", "normal", "final", NULL};
