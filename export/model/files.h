/* Internal: the files of a model. */
#ifndef EXPORT_MODEL_FILES_H
#define EXPORT_MODEL_FILES_H

#include "export/export.h"

/* Appends a file with a copy of the data. */
void export_file_add(struct export_file **files, const char *name, const struct bytes *data);

#endif
