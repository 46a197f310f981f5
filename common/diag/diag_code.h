/* Codes of messages: what a file of common/diag/codes is for those that include it, a list of
 * constants DIAG_NAME. Their values follow from letter and number alone, so none changes when a row
 * is added. 0 is no code. */
#ifndef DIAG_DIAG_CODE_H
#define DIAG_DIAG_CODE_H

/* In the order in which codes are listed. */
enum diag_letter {
    DIAG_LETTER_C, /* files, text formats, runs */
    DIAG_LETTER_A, /* game content: materials, shaders, models, archives */
    DIAG_LETTER_B, /* BSP files and what lies beside them: pakfiles, portal files, surface notes */
    DIAG_LETTER_S, /* levels: VMF, MAP, instances, manifests */
    DIAG_LETTER_V, /* vbsp */
    DIAG_LETTER_I, /* vvis */
    DIAG_LETTER_R, /* vrad */
    DIAG_LETTER_M, /* BM files */
    DIAG_LETTER_P, /* pictures (brushwork render) */
    DIAG_LETTER_T, /* command lines */
    DIAG_LETTERS
};

/* The number has three digits: 001 is no octal 1 here. */
#define DIAG_CODE(letter, number) (DIAG_LETTER_##letter * 1000 + 1##number - 1000)

#define DIAG(name, letter, number, severity, title, fix)                                           \
    enum { DIAG_##name = DIAG_CODE(letter, number) };
#define EXPLAIN(name, text, example)
#define FAMILY(first, last, text, example)

#endif
