/* The keys by which an entity names sides: "12 13 40". */
#ifndef VBSP_CSG_SIDE_LIST_H
#define VBSP_CSG_SIDE_LIST_H

/* The ids above 0 in the text, up to the first thing that is no number. An stb_ds array, the
 * caller's. */
int *side_list_read(const char *text);

#endif
