/* The table of a release, for people and programs: its files, and what is missing. */
#ifndef BRUSHWORK_RELEASE_RELEASE_TABLE_H
#define BRUSHWORK_RELEASE_RELEASE_TABLE_H

#include <stdio.h>

#include "brushwork/release/release.h"

void release_print(const struct release *release, FILE *out);
void release_print_json(const struct release *release, FILE *out);

#endif
