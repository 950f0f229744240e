/* Prints the page's message table, TypeScript, to standard output: the same proto/viewer.def that
 * the daemon is compiled from. Field names become camelCase, messages keep theirs. */

#include <ctype.h>
#include <stdio.h>

static void print_camel(const char *name)
{
    for (const char *p = name; *p; p++) {
        if (*p == '_' && p[1])
            putchar(toupper((unsigned char)*++p));
        else
            putchar(*p);
    }
}

static void print_pascal(const char *name)
{
    putchar(toupper((unsigned char)name[0]));
    print_camel(name + 1);
}

/* An enum as a const object: `export const Role = { SPECTATOR: 0, … } as const;` */
static void print_enums(void)
{
#define ENUM(name)                                                                                 \
    printf("export const ");                                                                       \
    print_pascal(#name);                                                                           \
    printf(" = {\n");
#define VALUE(PREFIX, NAME, v) printf("  %s: %d,\n", #NAME, v);
#define END_ENUM(name, max)    printf("} as const;\n\n");
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
    printf("export const MessageType = {\n");
#define MESSAGE(NAME, name, type, direction) printf("  %s: %d,\n", #NAME, type);
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
    printf("} as const;\n\n");
}

static void print_field(const char *name, const char *type)
{
    printf("  ");
    print_camel(name);
    printf(": %s;\n", type);
}

static void print_list(const char *name, const char *item)
{
    printf("  ");
    print_camel(name);
    printf(": ");
    print_pascal(item);
    printf("[];\n");
}

static void print_interfaces(void)
{
#define INTERFACE(name)                                                                            \
    printf("export interface ");                                                                   \
    print_pascal(#name);                                                                           \
    printf(" {\n");
#define ITEM(name)                           INTERFACE(name)
#define END_ITEM(name)                       printf("}\n\n");
#define MESSAGE(NAME, name, type, direction) INTERFACE(name)
#define END_MESSAGE(NAME, name)              printf("}\n\n");
#define U8(f)                                print_field(#f, "number");
#define U16(f)                               print_field(#f, "number");
#define U32(f)                               print_field(#f, "number");
#define U64(f)                               print_field(#f, "number");
#define ENUM8(f, e)                          print_field(#f, "number");
#define FIXED(f, n)                          print_field(#f, "Uint8Array");
#define STR(f)                               print_field(#f, "string");
#define BLOB(f)                              print_field(#f, "Uint8Array");
#define REST(f)                              print_field(#f, "Uint8Array");
#define LIST(f, item)                        print_list(#f, #item);
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
#undef INTERFACE
}

/* One field of the table: its kind, its name, and what the kind needs (length, largest, item). */
static void print_row(const char *kind, const char *name, const char *extra)
{
    printf("    ['%s', '", kind);
    print_camel(name);
    if (extra)
        printf("', '%s'],\n", extra);
    else
        printf("'],\n");
}

/* Items and messages as tables of fields, which the page's codec interprets. */
static void print_tables(void)
{
    printf("/** kind, field name, and the byte count (fixed), enum (enum) or item (list) */\n");
    printf("export type Field = readonly [string, string] | readonly [string, string, string];\n");
    printf("export interface Message {\n  name: string;\n  direction: 'down' | 'up';\n"
           "  fields: readonly Field[];\n}\n\n");
    printf("export const items: Record<string, readonly Field[]> = {};\n");
    printf("export const messages: Record<number, Message> = {};\n");
    printf("export const largest: Record<string, number> = {};\n\n");
#define END_ENUM(name, max) printf("largest['%s'] = %d;\n", #name, max);
#define ITEM(name)          printf("items['%s'] = [\n", #name);
#define END_ITEM(name)      printf("];\n");
#define MESSAGE(NAME, name, type, direction)                                                       \
    printf("messages[%d] = {\n  name: '%s',\n  direction: '%s',\n  fields: [\n", type, #NAME,      \
           #direction[0] == 'U' ? "up" : "down");
#define END_MESSAGE(NAME, name) printf("  ],\n};\n");
#define U8(f)                   print_row("u8", #f, NULL);
#define U16(f)                  print_row("u16", #f, NULL);
#define U32(f)                  print_row("u32", #f, NULL);
#define U64(f)                  print_row("u64", #f, NULL);
#define ENUM8(f, e)             print_row("enum", #f, #e);
#define FIXED(f, n)             print_row("fixed", #f, #n);
#define STR(f)                  print_row("str", #f, NULL);
#define BLOB(f)                 print_row("blob", #f, NULL);
#define REST(f)                 print_row("rest", #f, NULL);
#define LIST(f, item)           print_row("list", #f, #item);
#include "proto/table_begin.h"
#include "proto/viewer.def"
#include "proto/table_end.h"
}

int main(void)
{
    printf("// Made from proto/viewer.def by proto/gen/messages_ts.c; do not edit.\n\n");
    print_enums();
    print_interfaces();
    print_tables();
    return 0;
}
