/* Grids of control points of quadratic Bezier patches, three by three points each, and the points
 * of their surface. A point is an array of numbers: a position, then other values (texture
 * coordinates, colours), which are interpolated alike. */
#ifndef GEOM_PATCH_GRID_H
#define GEOM_PATCH_GRID_H

struct patch_grid {
    int columns, rows;
    int values;     /* numbers per point, at least 3; the first three are its position */
    double *points; /* [(row * columns + column) * values], from memory_alloc */
};

void patch_grid_free(struct patch_grid *grid);
double *patch_grid_at(const struct patch_grid *grid, int column, int row);

/* Evaluates the surface at `across` and `down` even steps of each patch. Controls have an odd
 * number of columns and rows, at least 3; the result has (columns - 1) / 2 * across + 1 columns and
 * rows likewise. */
struct patch_grid patch_grid_even(const struct patch_grid *controls, int across, int down);

/* Evaluates the surface with as few even steps per patch as keep straight lines between the points
 * within `tolerance` of the curves along rows and along columns, and the two triangles of a square
 * within it of the square's curved interior; at most `max` per patch. Rows and columns that lie on
 * the straight line between their neighbours, with all their values, are left out. */
struct patch_grid patch_grid_within(const struct patch_grid *controls, double tolerance, int max);

#endif
