/* QR codes by libqrencode, which knows nothing of secrets: the symbol it returns is wiped before it
 * is freed. */
#include "server/daemon/qr.h"

#include <errno.h>
#include <qrencode.h>
#include <string.h>

#include "crypto/secret.h"
#include "server/daemon/outbuf.h"

enum err qr_encode(struct qr *q, const char *text, size_t n)
{
    if (n == 0 || n > INT32_MAX)
        return ERR_RANGE;
    errno = 0;
    QRcode *code = QRcode_encodeData((int)n, (const unsigned char *)text, 0, QR_ECLEVEL_L);
    if (!code)
        return errno == ENOMEM ? ERR_MEMORY : ERR_RANGE;
    size_t modules = (size_t)code->width * (size_t)code->width;
    enum err e = ERR_OK;
    if (code->width > QR_SIZE_MAX) {
        e = ERR_RANGE;
    } else {
        q->size = (uint16_t)code->width;
        for (size_t i = 0; i < modules; i++)
            q->dark[i] = code->data[i] & 1;
    }
    secret_wipe(code->data, modules);
    QRcode_free(code);
    return e;
}

bool qr_dark(const struct qr *q, int x, int y)
{
    return x >= 0 && y >= 0 && x < q->size && y < q->size && q->dark[y * q->size + x];
}

uint16_t qr_cols(const struct qr *q, uint16_t quiet)
{
    return (uint16_t)(q->size + 2 * quiet);
}

uint16_t qr_rows(const struct qr *q, uint16_t quiet)
{
    return (uint16_t)((q->size + 2 * quiet + 1) / 2);
}

const char *qr_cell(const struct qr *q, uint16_t quiet, uint16_t col, uint16_t row)
{
    static const char *const blocks[] = {" ", QR_HALF_LOWER, QR_HALF_UPPER, QR_FULL};
    int x = col - quiet, y = 2 * row - quiet;

    return blocks[2 * qr_dark(q, x, y) + qr_dark(q, x, y + 1)];
}

/* Colours 16 and 231 are black and white in every theme, unlike 0 and 15. */
static void put_line(const struct qr *q, uint16_t row, struct outbuf *out)
{
    outbuf_text(out, "\033[0;38;5;16;48;5;231m");
    for (uint16_t col = 0; col < qr_cols(q, QR_QUIET); col++)
        outbuf_text(out, qr_cell(q, QR_QUIET, col, row));
    outbuf_text(out, "\033[0m\n");
}

enum err qr_text(const char *url, struct outbuf *out)
{
    struct qr q;
    enum err e = qr_encode(&q, url, strlen(url));

    if (e != ERR_OK)
        return e;
    /* one allocation, so that growing leaves no copies behind */
    if (outbuf_reserve(out, (size_t)qr_rows(&q, QR_QUIET) * (qr_cols(&q, QR_QUIET) * 3u + 32)))
        for (uint16_t row = 0; row < qr_rows(&q, QR_QUIET); row++)
            put_line(&q, row, out);
    secret_wipe(&q, sizeof q);
    return out->bad ? ERR_MEMORY : ERR_OK;
}
