#include "common/trace/trace.h"
