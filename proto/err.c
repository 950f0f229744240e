#include "proto/err.h"

const char *err_text(enum err e)
{
    switch (e) {
    case ERR_OK:
        return "success";
    case ERR_MALFORMED:
        return "malformed";
    case ERR_TRUNCATED:
        return "truncated";
    case ERR_RANGE:
        return "out of range";
    case ERR_SPACE:
        return "no space in the buffer";
    case ERR_MEMORY:
        return "out of memory";
    case ERR_AUTH:
        return "authentication failed";
    case ERR_STATE:
        return "not allowed now";
    case ERR_EXHAUSTED:
        return "exhausted";
    case ERR_NOT_FOUND:
        return "not found";
    case ERR_SYSTEM:
        return "system error";
    case ERR_UNSUPPORTED:
        return "not supported";
    }
    return "unknown error";
}
