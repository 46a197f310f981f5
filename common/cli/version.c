#include "common/cli/version.h"

const char program_version[] = BRUSHWORK_VERSION;
