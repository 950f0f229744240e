#include "server/daemon/options_value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "proto/args.h"
#include "server/daemon/keynames.h"
#include "server/daemon/outbuf.h"

#define STYLE_WORD_MAX 64
#define SIZE_MAX_CELLS 10000

/* --- colours and styles --------------------------------------------------------------------- */

static bool parse_index(const char *text, cell_color *out)
{
    long v;

    if (strncmp(text, "colour", 6) != 0 && strncmp(text, "color", 5) != 0)
        return false;
    if (args_number(text + (text[4] == 'u' ? 6 : 5), 0, 255, &v) != ERR_OK)
        return false;
    *out = COLOR_KIND_256 | (cell_color)v;
    return true;
}

static bool parse_rgb(const char *text, cell_color *out)
{
    if (text[0] != '#' || strlen(text) != 7)
        return false;
    for (int i = 1; i < 7; i++) {
        if (!isxdigit((unsigned char)text[i]))
            return false;
    }
    *out = COLOR_KIND_RGB | (cell_color)strtoul(text + 1, NULL, 16);
    return true;
}

bool options_colour(const char *text, cell_color *out)
{
    static const char *const names[] = {"black", "red",     "green", "yellow",
                                        "blue",  "magenta", "cyan",  "white"};
    bool bright = strncasecmp(text, "bright", 6) == 0;
    const char *name = bright ? text + 6 : text;

    if (strcasecmp(text, "default") == 0 || strcasecmp(text, "terminal") == 0) {
        *out = COLOR_DEFAULT;
        return true;
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            *out = COLOR_KIND_16 | (i + (bright ? 8 : 0));
            return true;
        }
    }
    return parse_rgb(text, out) || parse_index(text, out);
}

/* One attribute, `no` in front takes it away. */
static bool apply_attribute(const char *word, struct pen *pen)
{
    static const struct {
        const char *name;
        uint16_t flag;
        uint16_t underline;
    } names[] = {{"bold", PEN_BOLD, 0},
                 {"bright", PEN_BOLD, 0},
                 {"dim", PEN_DIM, 0},
                 {"italics", PEN_ITALIC, 0},
                 {"blink", PEN_BLINK, 0},
                 {"reverse", PEN_INVERSE, 0},
                 {"hidden", PEN_CONCEAL, 0},
                 {"strikethrough", PEN_STRIKE, 0},
                 {"overline", PEN_OVERLINE, 0},
                 {"underscore", 0, UNDERLINE_SINGLE},
                 {"double-underscore", 0, UNDERLINE_DOUBLE},
                 {"curly-underscore", 0, UNDERLINE_CURLY},
                 {"dotted-underscore", 0, UNDERLINE_DOTTED},
                 {"dashed-underscore", 0, UNDERLINE_DASHED}};
    bool take = strncmp(word, "no", 2) == 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(word + (take ? 2 : 0), names[i].name) != 0)
            continue;
        pen->flags = (uint16_t)(take ? pen->flags & ~names[i].flag : pen->flags | names[i].flag);
        if (names[i].underline)
            pen->underline = take ? UNDERLINE_NONE : names[i].underline;
        return true;
    }
    return false;
}

static bool is_layout(const char *word)
{
    static const char *const names[] = {
        "align=",  "fill=",        "list=",       "range=", "noalign", "nolist",
        "norange", "push-default", "pop-default", "ignore", "noignore"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = strlen(names[i]);

        if (names[i][len - 1] == '=' ? strncmp(word, names[i], len) == 0
                                     : strcmp(word, names[i]) == 0)
            return true;
    }
    return strcmp(word, "list") == 0;
}

static bool apply_colour(const char *text, cell_color base, cell_color *out)
{
    if (strcasecmp(text, "default") == 0) {
        *out = base;
        return true;
    }
    return options_colour(text, out);
}

static bool apply_word(const char *word, const struct pen *base, struct pen *pen)
{
    if (strcmp(word, "default") == 0) {
        *pen = *base;
        return true;
    }
    if (strcmp(word, "none") == 0) {
        pen->flags = 0;
        pen->underline = UNDERLINE_NONE;
        return true;
    }
    if (strncmp(word, "fg=", 3) == 0)
        return apply_colour(word + 3, base->fg, &pen->fg);
    if (strncmp(word, "bg=", 3) == 0)
        return apply_colour(word + 3, base->bg, &pen->bg);
    if (strncmp(word, "us=", 3) == 0)
        return apply_colour(word + 3, base->underline_color, &pen->underline_color);
    return apply_attribute(word, pen) || is_layout(word);
}

bool options_style(const char *text, const struct pen *base, struct pen *pen)
{
    struct pen made = *pen;
    char word[STYLE_WORD_MAX];

    for (text += strspn(text, ", \n"); *text; text += strspn(text, ", \n")) {
        size_t n = strcspn(text, ", \n");

        if (n >= sizeof word)
            return false;
        memcpy(word, text, n);
        word[n] = '\0';
        if (!apply_word(word, base, &made))
            return false;
        text += n;
    }
    *pen = made;
    return true;
}

/* --- values --------------------------------------------------------------------------------- */

static enum err refuse(char *why, size_t why_len, const char *what, const char *text)
{
    snprintf(why, why_len, "%s: %.200s", what, text);
    return ERR_MALFORMED;
}

static enum err check_number(const struct option_spec *spec, const char *text, long *number,
                             char *why, size_t why_len)
{
    enum err e = args_number(text, spec->low, spec->high, number);

    if (e == ERR_MALFORMED)
        return refuse(why, why_len, "value is invalid", text);
    if (e == ERR_RANGE)
        refuse(why, why_len,
               text[0] == '-' || (strlen(text) < 10 && atol(text) < spec->low)
                   ? "value is too small"
                   : "value is too large",
               text);
    return e;
}

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
    return strcasecmp(text, a) == 0 || strcasecmp(text, b) == 0 || strcasecmp(text, c) == 0;
}

static enum err check_flag(const char *text, long *number, char *why, size_t why_len)
{
    *number = is_one_of(text, "1", "on", "yes");
    if (*number || is_one_of(text, "0", "off", "no"))
        return ERR_OK;
    return refuse(why, why_len, "bad value", text);
}

void options_choice(const struct option_spec *spec, long i, char *out, size_t cap)
{
    const char *p = spec->choices;
    size_t n;

    for (n = strcspn(p, " "); *p && i > 0; i--, n = strcspn(p, " ")) {
        p += n;
        p += strspn(p, " ");
    }
    snprintf(out, cap, "%.*s", (int)n, p);
}

static enum err check_choice(const struct option_spec *spec, const char *text, long *number,
                             char *why, size_t why_len)
{
    char word[32];

    for (*number = 0;; ++*number) {
        options_choice(spec, *number, word, sizeof word);
        if (!*word)
            return refuse(why, why_len, "unknown value", text);
        if (strcmp(word, text) == 0)
            return ERR_OK;
    }
}

static bool is_key(const char *text)
{
    struct outbuf out = {0};
    bool known;

    if (strcasecmp(text, "None") == 0)
        return true;
    known = keynames_encode(text, 0, &out) != ERR_NOT_FOUND && out.len > 0;
    outbuf_clear(&out);
    return known || (text[0] && !text[1]);
}

static bool is_size(const char *text)
{
    unsigned cols, rows;
    char rest;

    return sscanf(text, "%5ux%5u%c", &cols, &rows, &rest) == 2 && cols > 0 && rows > 0 &&
           cols <= SIZE_MAX_CELLS && rows <= SIZE_MAX_CELLS;
}

enum err options_check(const struct option_spec *spec, const char *text, long *number, char *why,
                       size_t why_len)
{
    const struct pen plain = {0};
    struct pen pen = {0};
    cell_color colour;

    *number = 0;
    if (strlen(text) > OPTIONS_TEXT_MAX) {
        snprintf(why, why_len, "value is too long: at most %u bytes", OPTIONS_TEXT_MAX);
        return ERR_RANGE;
    }
    switch (spec->kind) {
    case OPTION_NUMBER:
        return check_number(spec, text, number, why, why_len);
    case OPTION_FLAG:
        return check_flag(text, number, why, why_len);
    case OPTION_CHOICE:
        return check_choice(spec, text, number, why, why_len);
    case OPTION_STYLE: /* one with a format is known only when it is expanded */
        if (!strstr(text, "#{") && !options_style(text, &plain, &pen))
            return refuse(why, why_len, "invalid style", text);
        return ERR_OK;
    case OPTION_COLOUR:
        return options_colour(text, &colour) ? ERR_OK : refuse(why, why_len, "bad colour", text);
    case OPTION_KEY:
        return is_key(text) ? ERR_OK : refuse(why, why_len, "bad key", text);
    case OPTION_SHELL:
        if (text[0] != '/' || access(text, X_OK) != 0)
            return refuse(why, why_len, "not a suitable shell", text);
        return ERR_OK;
    case OPTION_SIZE:
        return is_size(text) ? ERR_OK : refuse(why, why_len, "value is invalid", text);
    case OPTION_TEXT:
    case OPTION_ARRAY:
        break;
    }
    return ERR_OK;
}
