#include "common/text/fgd.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/unicode.h"
#include "common/diag/codes/fgd.def"

enum { MAX_BASE_DEPTH = 32, MAX_INCLUDE_DEPTH = 16, MAX_INCLUDES = 1024 };

struct fgd_key {
    const char *name;
    enum fgd_type type;
};

struct fgd_class {
    struct fgd_key *keys; /* stb_ds array */
    const char **bases;   /* stb_ds array */
    const char **inputs;  /* stb_ds array */
    bool is_solid;        /* SolidClass */
};

struct class_cell {
    char *key; /* in lower case */
    struct fgd_class value;
};

struct fgd {
    struct arena arena;
    struct class_cell *classes; /* stb_ds map */
    size_t includes;
};

enum piece_kind { PIECE_END, PIECE_WORD, PIECE_STRING, PIECE_SIGN };

struct piece {
    enum piece_kind kind;
    char sign;
    const char *text; /* not terminated */
    size_t length;
    int line;
};

struct parser {
    struct fgd *fgd;
    const char *at, *end;
    int line;
    struct piece piece; /* the current token */
    const char *file;
    fgd_include *include;
    void *context;
    struct diag *diag;
    bool told;
    int depth;
};

struct fgd *fgd_new(void)
{
    struct fgd *fgd = memory_zalloc(1, sizeof *fgd);
    sh_new_strdup(fgd->classes);
    return fgd;
}

static void free_class(struct fgd_class *class)
{
    arrfree(class->keys);
    arrfree(class->bases);
    arrfree(class->inputs);
}

void fgd_free(struct fgd *fgd)
{
    if (!fgd)
        return;
    for (size_t i = 0; i < shlenu(fgd->classes); i++)
        free_class(&fgd->classes[i].value);
    shfree(fgd->classes);
    arena_free(&fgd->arena);
    memory_free(fgd);
}

static bool is_sign(char c)
{
    return c && strchr("=:[](),+@", c);
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end) {
        if ((unsigned char)*parser->at <= ' ') {
            parser->line += *parser->at == '\n';
            parser->at++;
        } else if (parser->end - parser->at >= 2 && parser->at[0] == '/' && parser->at[1] == '/') {
            while (parser->at < parser->end && *parser->at != '\n')
                parser->at++;
        } else {
            return;
        }
    }
}

static bool ends_word(const struct parser *parser)
{
    char c = *parser->at;
    bool comment = c == '/' && parser->end - parser->at >= 2 && parser->at[1] == '/';
    return (unsigned char)c <= ' ' || c == '"' || is_sign(c) || comment;
}

static void advance(struct parser *parser)
{
    skip_blanks(parser);
    struct piece *piece = &parser->piece;
    *piece = (struct piece){.line = parser->line, .text = parser->at};
    if (parser->at == parser->end)
        return;
    if (*parser->at == '"') {
        piece->kind = PIECE_STRING;
        piece->text = ++parser->at;
        for (; parser->at < parser->end && *parser->at != '"'; parser->at++)
            parser->line += *parser->at == '\n';
        piece->length = (size_t)(parser->at - piece->text);
        parser->at += parser->at < parser->end;
    } else if (is_sign(*parser->at)) {
        piece->kind = PIECE_SIGN;
        piece->sign = *parser->at++;
        piece->length = 1;
    } else {
        piece->kind = PIECE_WORD;
        while (parser->at < parser->end && !ends_word(parser))
            parser->at++;
        piece->length = (size_t)(parser->at - piece->text);
    }
}

static bool at_sign(const struct parser *parser, char sign)
{
    return parser->piece.kind == PIECE_SIGN && parser->piece.sign == sign;
}

static bool take_sign(struct parser *parser, char sign)
{
    bool there = at_sign(parser, sign);
    if (there)
        advance(parser);
    return there;
}

static bool is_word(const struct piece *piece, const char *word)
{
    return piece->kind == PIECE_WORD && piece->length == strlen(word) &&
           str_starts_nocase(piece->text, word);
}

static const char *take_text(struct parser *parser)
{
    const struct piece *piece = &parser->piece;
    const char *text = piece->kind == PIECE_WORD || piece->kind == PIECE_STRING
                           ? arena_strndup(&parser->fgd->arena, piece->text, piece->length)
                           : NULL;
    if (text)
        advance(parser);
    return text;
}

/* Always false. */
static bool broken(struct parser *parser, const char *expected)
{
    if (parser->told)
        return false;
    parser->told = true;
    struct diag_where where = {.file = parser->file, .line = parser->piece.line};
    const struct piece *piece = &parser->piece;
    if (piece->kind == PIECE_END)
        diag_report(parser->diag, DIAG_FGD_SYNTAX, &where, "expected %s, found the end of the file",
                    expected);
    else
        diag_report(parser->diag, DIAG_FGD_SYNTAX, &where, "expected %s, found \"%.*s\"", expected,
                    piece->length < 60 ? (int)piece->length : 60, piece->text);
    return false;
}

/* Skips a bracket and its contents. */
static bool skip_group(struct parser *parser, char open, char close)
{
    int depth = 0;
    do {
        if (parser->piece.kind == PIECE_END)
            return broken(parser, "a closing bracket");
        depth += at_sign(parser, open);
        depth -= at_sign(parser, close);
        advance(parser);
    } while (depth);
    return true;
}

static enum fgd_type type_of(const struct piece *word)
{
    static const struct {
        const char *name;
        enum fgd_type type;
    } types[] = {
        {"target_source", FGD_NAME},
        {"target_destination", FGD_NAME},
        {"filterclass", FGD_NAME},
        {"target_name_or_class", FGD_NAME_OR_CLASS},
        {"npcclass", FGD_NAME_OR_CLASS},
        {"pointentityclass", FGD_NAME_OR_CLASS},
        {"vector", FGD_POINT},
        {"origin", FGD_POINT},
        {"vecline", FGD_POINT},
        {"axis", FGD_AXIS},
        {"angle", FGD_ANGLES},
        {"angle_negative_pitch", FGD_NEGATIVE_PITCH},
        {"sidelist", FGD_SIDES},
        {"node_id", FGD_NODE},
        {"node_dest", FGD_NODE},
        {"sound", FGD_SOUND},
        {"studio", FGD_MODEL},
        {"sprite", FGD_SPRITE},
        {"material", FGD_MATERIAL},
        {"decal", FGD_MATERIAL},
        {"scene", FGD_SCENE},
        {"particlesystem", FGD_EFFECT},
        {"script", FGD_SCRIPTS},
        {"scriptlist", FGD_SCRIPTS},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_word(word, types[i].name))
            return types[i].type;
    return FGD_PLAIN;
}

/* Skips the parts after colons: each may be empty, a word, or strings joined by +. */
static void skip_descriptions(struct parser *parser)
{
    while (take_sign(parser, ':')) {
        bool text = parser->piece.kind == PIECE_STRING;
        while (parser->piece.kind == PIECE_STRING || at_sign(parser, '+'))
            advance(parser);
        /* The part may be empty, and then the word is the next member's. */
        if (!text && parser->piece.kind == PIECE_WORD) {
            struct parser ahead = *parser;
            advance(&ahead);
            if (!at_sign(&ahead, '('))
                *parser = ahead;
        }
    }
}

/* Reads (type), or (*type) of outputs that reports show. */
static bool read_type(struct parser *parser, enum fgd_type *type)
{
    if (!take_sign(parser, '('))
        return broken(parser, "a type in brackets");
    if (parser->piece.kind == PIECE_WORD && *parser->piece.text == '*') {
        parser->piece.text++;
        if (!--parser->piece.length)
            advance(parser);
    }
    *type = type_of(&parser->piece);
    while (!at_sign(parser, ')')) {
        if (parser->piece.kind == PIECE_END)
            return broken(parser, "a closing bracket");
        advance(parser);
    }
    advance(parser);
    return true;
}

static bool read_member(struct parser *parser, struct fgd_class *class)
{
    bool input = is_word(&parser->piece, "input");
    bool io = input || is_word(&parser->piece, "output");
    const char *name = take_text(parser);
    if (!name)
        return broken(parser, "a key");
    if (io && !at_sign(parser, '(') && !(name = take_text(parser)))
        return broken(parser, "the name of an input or output");
    struct fgd_key key = {.name = name};
    if (!read_type(parser, &key.type))
        return false;
    if (input)
        arrput(class->inputs, name);
    else if (!io)
        arrput(class->keys, key);
    while (is_word(&parser->piece, "readonly") || is_word(&parser->piece, "report"))
        advance(parser);
    skip_descriptions(parser);
    if (!take_sign(parser, '='))
        return true;
    return at_sign(parser, '[') ? skip_group(parser, '[', ']') : broken(parser, "'['");
}

static bool read_bases(struct parser *parser, struct fgd_class *class)
{
    advance(parser);
    while (!take_sign(parser, ')')) {
        const char *name = take_text(parser);
        if (!name)
            return broken(parser, "the name of a base class");
        arrput(class->bases, name);
        (void)take_sign(parser, ',');
    }
    return true;
}

/* Skips everything between the kind of the class and its equals sign. */
static bool read_helpers(struct parser *parser, struct fgd_class *class)
{
    while (!take_sign(parser, '=')) {
        bool base = is_word(&parser->piece, "base");
        if (parser->piece.kind != PIECE_WORD)
            return broken(parser, "'='");
        advance(parser);
        if (!at_sign(parser, '('))
            continue;
        if (!(base ? read_bases(parser, class) : skip_group(parser, '(', ')')))
            return false;
    }
    return true;
}

static void put_class(struct fgd *fgd, const char *name, const struct fgd_class *class)
{
    const char *key = arena_strlower(&fgd->arena, name);
    struct class_cell *known = shgetp_null(fgd->classes, key);
    if (known) {
        free_class(&known->value);
        known->value = *class;
    } else {
        shput(fgd->classes, key, *class);
    }
}

static bool read_class_body(struct parser *parser, struct fgd_class *class, const char **name)
{
    if (!read_helpers(parser, class))
        return false;
    *name = take_text(parser);
    if (!*name)
        return broken(parser, "the name of a class");
    skip_descriptions(parser);
    if (!take_sign(parser, '['))
        return broken(parser, "'['");
    while (!take_sign(parser, ']')) {
        if (!read_member(parser, class))
            return false;
    }
    return true;
}

/* A class with a syntax error keeps the keys that were read before it. */
static bool read_class(struct parser *parser)
{
    struct fgd_class class = {.is_solid = is_word(&parser->piece, "SolidClass")};
    const char *name = NULL;
    advance(parser);
    bool whole = read_class_body(parser, &class, &name);
    if (name)
        put_class(parser->fgd, name, &class);
    else
        free_class(&class);
    return whole;
}

static void parse_file(struct parser *parser);

static bool read_include(struct parser *parser)
{
    advance(parser);
    struct piece at = parser->piece;
    const char *name = take_text(parser);
    if (!name)
        return broken(parser, "a file name");
    struct fgd *fgd = parser->fgd;
    struct bytes text = {0};
    struct diag_where where = {.file = parser->file, .line = at.line};
    if (parser->depth >= MAX_INCLUDE_DEPTH || ++fgd->includes > MAX_INCLUDES) {
        diag_report(parser->diag, DIAG_FGD_INCLUDE, &where, "\"%s\": includes nested too deeply",
                    name);
    } else if (!parser->include || !parser->include(parser->context, parser->file, name, &text)) {
        diag_report(parser->diag, DIAG_FGD_INCLUDE, &where, "\"%s\"", name);
    } else {
        struct parser inner = *parser;
        inner.at = (const char *)text.data;
        inner.end = inner.at ? inner.at + text.size : inner.at;
        inner.line = 1;
        inner.file = name;
        inner.told = false;
        inner.depth++;
        parse_file(&inner);
    }
    bytes_free(&text);
    return true;
}

static bool read_directive(struct parser *parser)
{
    advance(parser);
    const struct piece *word = &parser->piece;
    if (is_word(word, "include"))
        return read_include(parser);
    static const char ending[] = "class";
    enum { ENDING = sizeof ending - 1 };
    if (word->kind == PIECE_WORD && word->length > ENDING &&
        str_starts_nocase(word->text + word->length - ENDING, ending))
        return read_class(parser);
    if (is_word(word, "exclude")) {
        advance(parser);
        const char *name = take_text(parser);
        const char *key = name ? arena_strlower(&parser->fgd->arena, name) : "";
        struct class_cell *known = shgetp_null(parser->fgd->classes, key);
        if (known) {
            free_class(&known->value);
            (void)shdel(parser->fgd->classes, key);
        }
    }
    return true; /* other directives do not define classes */
}

static void parse_file(struct parser *parser)
{
    advance(parser);
    while (parser->piece.kind != PIECE_END) {
        if (at_sign(parser, '@'))
            (void)read_directive(parser);
        else
            advance(parser);
    }
}

void fgd_parse(struct fgd *fgd, const char *text, size_t size, const char *name,
               fgd_include *include, void *context, struct diag *diag)
{
    struct parser parser = {.fgd = fgd,
                            .at = text,
                            .end = size ? text + size : text,
                            .line = 1,
                            .file = name,
                            .include = include,
                            .context = context,
                            .diag = diag};
    size_t mark = utf8_mark_length(text, size);
    parser.at = mark ? text + mark : text;
    fgd->includes = 0;
    parse_file(&parser);
}

static const struct fgd_class *find_class(const struct fgd *fgd, const char *classname)
{
    struct arena scratch = {0};
    struct class_cell *map = fgd->classes; /* stb_ds lookups write to the map */
    ptrdiff_t at = shgeti(map, arena_strlower(&scratch, classname));
    arena_free(&scratch);
    return at < 0 ? NULL : &fgd->classes[at].value;
}

/* Bases that share bases may be visited very often. */
enum { MAX_CLASSES_VISITED = 4096 };

/* Returns the first of the class and its bases that `has` accepts, or NULL. */
static const struct fgd_class *search(const struct fgd *fgd, const char *classname,
                                      bool (*has)(const struct fgd_class *class, const char *name),
                                      const char *name, int depth, int *budget)
{
    const struct fgd_class *class = depth && (*budget)-- > 0 ? find_class(fgd, classname) : NULL;
    if (!class || has(class, name))
        return class;
    for (size_t i = 0; i < arrlenu(class->bases); i++) {
        const struct fgd_class *found = search(fgd, class->bases[i], has, name, depth - 1, budget);
        if (found)
            return found;
    }
    return NULL;
}

static const struct fgd_key *own_key(const struct fgd_class *class, const char *name)
{
    for (size_t i = arrlenu(class->keys); i-- > 0;)
        if (str_equal_nocase(class->keys[i].name, name))
            return &class->keys[i];
    return NULL;
}

static bool has_key(const struct fgd_class *class, const char *name)
{
    return own_key(class, name) != NULL;
}

static bool has_input(const struct fgd_class *class, const char *name)
{
    for (size_t i = 0; i < arrlenu(class->inputs); i++)
        if (str_equal_nocase(class->inputs[i], name))
            return true;
    return false;
}

enum fgd_type fgd_key_type(const struct fgd *fgd, const char *classname, const char *key)
{
    int budget = MAX_CLASSES_VISITED;
    const struct fgd_class *class = search(fgd, classname, has_key, key, MAX_BASE_DEPTH, &budget);
    return class ? own_key(class, key)->type : FGD_UNKNOWN;
}

bool fgd_has_input(const struct fgd *fgd, const char *classname, const char *input)
{
    int budget = MAX_CLASSES_VISITED;
    return search(fgd, classname, has_input, input, MAX_BASE_DEPTH, &budget) != NULL;
}

bool fgd_has_class(const struct fgd *fgd, const char *classname)
{
    return find_class(fgd, classname) != NULL;
}

bool fgd_is_solid_class(const struct fgd *fgd, const char *classname)
{
    const struct fgd_class *class = find_class(fgd, classname);
    return class && class->is_solid;
}
