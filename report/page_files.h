/* The files of report/page, joined by cmake/PageFiles.cmake when the programs are built. Each ends
 * with a NUL, which its size does not count. */
#ifndef REPORT_PAGE_FILES_H
#define REPORT_PAGE_FILES_H

#include <stddef.h>

extern const char report_page_style[];
extern const size_t report_page_style_size;

#endif
