/* One error type for everything that parses or computes. */
#ifndef VITRINE_PROTO_ERR_H
#define VITRINE_PROTO_ERR_H

/* 0 is success; every failure is negative, so `if (e < 0)` and `if (e != ERR_OK)` agree. */
enum err {
    ERR_OK = 0,
    ERR_MALFORMED = -1, /* the bytes do not have the form the protocol asks for */
    ERR_TRUNCATED = -2, /* more bytes are needed before anything can be said */
    ERR_RANGE = -3,     /* a value is outside its limits */
    ERR_SPACE = -4,     /* the output buffer is too small */
    ERR_MEMORY = -5,    /* allocation failed */
    ERR_AUTH = -6,      /* a tag, key or secret does not verify */
    ERR_STATE = -7,     /* not allowed in this state or for this role */
    ERR_EXHAUSTED = -8, /* a counter or a resource has come to its end */
    ERR_NOT_FOUND = -9, /* no such thing */
    ERR_SYSTEM = -10,   /* a system call failed; errno says why */
    ERR_UNSUPPORTED = -11,
};

/* Returns a short English text for e; static, never NULL. */
const char *err_text(enum err e);

#endif
