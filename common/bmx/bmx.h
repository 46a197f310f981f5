/* BM 1.4: the levels of Ballance mappers, a zip archive (.bmx) of five block files and textures. */
#ifndef BMX_BMX_H
#define BMX_BMX_H

#endif
