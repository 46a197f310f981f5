/* The files of view/page, joined by cmake/PageFiles.cmake when the programs are built. Each ends
 * with a NUL, which its size does not count. */
#ifndef VIEW_PAGE_FILES_H
#define VIEW_PAGE_FILES_H

#include <stddef.h>

extern const char view_page_html[], view_page_style[], view_page_script[];
extern const size_t view_page_style_size, view_page_script_size;

#endif
