/* Names of properties: what a file of common/diag/properties is for those that include it, a list
 * of constants DIAG_OF_NAME. None changes when a row is added. */
#ifndef DIAG_DIAG_PROPERTY_NAME_H
#define DIAG_DIAG_PROPERTY_NAME_H

#define PROPERTY(name, number, key, kind, count, part, text) enum { DIAG_OF_##name = number };

#endif
