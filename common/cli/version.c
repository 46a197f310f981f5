#include "common/cli/version.h"

const char brushwork_version[] = BRUSHWORK_VERSION;
