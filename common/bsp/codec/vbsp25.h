/* Internal: the lumps of VBSP 25 that are not plain arrays, for its table. */
#ifndef BSP_CODEC_VBSP25_H
#define BSP_CODEC_VBSP25_H

#include "common/bsp/codec/codec.h"

extern const struct record vbsp25_displacement_record, vbsp25_overlay_record;

enum status vbsp25_read_displacements(struct lump_reader *reader);
bool vbsp25_write_displacements(struct lump_writer *writer);
enum status vbsp25_read_displacement_physics(struct lump_reader *reader);
bool vbsp25_write_displacement_physics(struct lump_writer *writer);
/* Version 2 of overlays: each with a tint. */
enum status vbsp25_read_tinted_overlays(struct lump_reader *reader);
bool vbsp25_write_tinted_overlays(struct lump_writer *writer);
/* Version 1 of the entities: \\" is a quote in a value. */
enum status vbsp25_read_entities(struct lump_reader *reader);
bool vbsp25_write_entities(struct lump_writer *writer);
/* A lump whose record is not known for certain: its bytes. */
enum status vbsp25_read_carried(struct lump_reader *reader);
bool vbsp25_write_carried(struct lump_writer *writer);

#endif
