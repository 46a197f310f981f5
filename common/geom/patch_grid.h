/* Grids of control points of quadratic Bezier pieces, three by three points each, and the points of
 * the surface that they stand for. A point is a row of numbers: a position, then what else goes
 * with it (texture coordinates, colours), which bends alike. */
#ifndef GEOM_PATCH_GRID_H
#define GEOM_PATCH_GRID_H

struct patch_grid {
    int columns, rows;
    int values;     /* of a point, 3 or more; the first three are its position */
    double *points; /* [(row * columns + column) * values], from memory_alloc */
};

void patch_grid_free(struct patch_grid *grid);
double *patch_grid_at(const struct patch_grid *grid, int column, int row);

/* Points on the surface, at so many even steps of each piece across and down. Controls have odd
 * numbers of columns and rows, 3 or more; the results are grids of (columns - 1) / 2 * across + 1
 * columns and as many rows, of points of the surface. */
struct patch_grid patch_grid_even(const struct patch_grid *controls, int across, int down);

/* As few even steps of each piece as keep straight lines between the points within `tolerance`
 * of the curves along rows and along columns, and the two triangles of a square within it of the
 * square's bent inside; at most `most` a piece. Rows and columns that lie on the straight way
 * between their neighbours, with all their values, are left out. */
struct patch_grid patch_grid_within(const struct patch_grid *controls, double tolerance, int max);

#endif
