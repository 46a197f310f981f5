#define STB_DS_IMPLEMENTATION
#include "common/core/array.h"
