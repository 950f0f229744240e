#include "server/daemon/style.h"

#include <string.h>

#include "proto/args.h"
#include "server/daemon/options_value.h"

struct word {
    const char *text;
    int value;
};

/* The value of a word in a table, -1 when it is not there. */
static int look_up(const struct word *words, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i].text, text) == 0)
            return words[i].value;
    return -1;
}

static bool parse_align(struct style *s, const char *text)
{
    static const struct word words[] = {{"left", STYLE_ALIGN_LEFT},
                                        {"centre", STYLE_ALIGN_CENTRE},
                                        {"right", STYLE_ALIGN_RIGHT},
                                        {"absolute-centre", STYLE_ALIGN_ABSOLUTE}};
    int value = look_up(words, sizeof words / sizeof words[0], text);

    if (value >= 0)
        s->align = (enum style_align)value;
    return value >= 0;
}

static bool parse_list(struct style *s, const char *text)
{
    static const struct word words[] = {{"on", STYLE_LIST_ON},
                                        {"focus", STYLE_LIST_FOCUS},
                                        {"left-marker", STYLE_LIST_LEFT_MARKER},
                                        {"right-marker", STYLE_LIST_RIGHT_MARKER}};
    int value = look_up(words, sizeof words / sizeof words[0], text);

    if (value >= 0)
        s->list = (enum style_list)value;
    return value >= 0;
}

/* left, right, or a kind, a bar and a number, with the sign of an id in front or not. */
static bool parse_range(struct style *s, const char *text)
{
    static const struct word words[] = {{"window", STATUS_RANGE_WINDOW},
                                        {"pane", STATUS_RANGE_PANE},
                                        {"session", STATUS_RANGE_SESSION}};
    const char *bar = strchr(text, '|');
    char kind[16];
    long number;
    int value;

    if (!bar) {
        s->argument = 0;
        s->range = strcmp(text, "left") == 0    ? STATUS_RANGE_LEFT
                   : strcmp(text, "right") == 0 ? STATUS_RANGE_RIGHT
                                                : STATUS_RANGE_NONE;
        return s->range != STATUS_RANGE_NONE;
    }
    if ((size_t)(bar - text) >= sizeof kind)
        return false;
    memcpy(kind, text, (size_t)(bar - text));
    kind[bar - text] = '\0';
    value = look_up(words, sizeof words / sizeof words[0], kind);
    bar += strchr("%$", bar[1]) && bar[1] ? 2 : 1;
    if (value < 0 || args_number(bar, 0, INT32_MAX, &number) != ERR_OK)
        return false;
    s->range = (enum status_range_kind)value;
    s->argument = (uint32_t)number;
    return true;
}

/* The words that are whole. False when it is none of them. */
static bool parse_switch(struct style *s, const char *word)
{
    if (strcmp(word, "noalign") == 0)
        s->align = STYLE_ALIGN_DEFAULT;
    else if (strcmp(word, "nolist") == 0)
        s->list = STYLE_LIST_OFF;
    else if (strcmp(word, "norange") == 0)
        s->range = STATUS_RANGE_NONE;
    else if (strcmp(word, "ignore") == 0 || strcmp(word, "noignore") == 0)
        s->ignore = word[0] == 'i';
    else if (strcmp(word, "push-default") == 0)
        s->push = STYLE_PUSH;
    else if (strcmp(word, "pop-default") == 0)
        s->push = STYLE_POP;
    else
        return false;
    return true;
}

static bool parse_word(struct style *s, const struct pen *base, const char *word)
{
    if (strncmp(word, "align=", 6) == 0)
        return parse_align(s, word + 6);
    if (strncmp(word, "list=", 5) == 0)
        return parse_list(s, word + 5);
    if (strncmp(word, "range=", 6) == 0)
        return parse_range(s, word + 6);
    if (strncmp(word, "fill=", 5) == 0) {
        s->has_fill = options_colour(word + 5, &s->fill);
        return s->has_fill;
    }
    return parse_switch(s, word) || options_style(word, base, &s->pen);
}

bool style_parse(struct style *s, const struct pen *base, const char *text, size_t n)
{
    struct style made = *s;
    char words[STYLE_BYTES_MAX + 1], *word = words, *end = words + n;

    if (n > STYLE_BYTES_MAX)
        return false;
    memcpy(words, text, n);
    *end = '\0';
    made.push = STYLE_PUSH_NONE;
    while (word < end) {
        size_t len = strcspn(word, ", \n");

        word[len] = '\0';
        if (len > 0 && !parse_word(&made, base, word))
            return false;
        word += len + 1;
    }
    *s = made;
    return true;
}
