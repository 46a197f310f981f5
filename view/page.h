/* The HTML of a page: the program and style of view/page, and the data in base64. */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include "common/core/bytes.h"

/* Appends the page. Its policy allows this program and style, by their hashes, and nothing else;
 * without data also requests to where it came from. */
void view_page_write(const struct bytes *data, struct bytes *html);

#endif
