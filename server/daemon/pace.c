#include "server/daemon/pace.h"

#include <string.h>

void pace_init(struct pace *p)
{
    memset(p, 0, sizeof *p);
    p->window = PACE_WINDOW_FIRST_BYTES;
}

uint64_t pace_in_flight(const struct pace *p)
{
    return p->sent - p->acked;
}

uint64_t pace_room(const struct pace *p)
{
    uint64_t flying = pace_in_flight(p);

    if (flying == 0)
        return p->window;
    return flying < p->window ? p->window - flying : 0;
}

uint32_t pace_part(const struct pace *p)
{
    uint64_t part = p->rate_bps * PACE_PART_MS / 1000;

    if (p->rate_bps == 0 || part > PACE_PART_MAX_BYTES)
        return PACE_PART_MAX_BYTES;
    return part < PACE_PART_MIN_BYTES ? PACE_PART_MIN_BYTES : (uint32_t)part;
}

void pace_sent(struct pace *p, uint32_t bytes, uint64_t now_ms)
{
    p->sent += bytes;
    if (p->mark != 0)
        return;
    p->mark = p->sent;
    p->mark_ms = now_ms;
    p->mark_acked = p->acked;
    p->limited = false;
}

void pace_limited(struct pace *p)
{
    p->limited = true;
}

static uint32_t clamp_window(uint64_t bytes)
{
    if (bytes < PACE_WINDOW_MIN_BYTES)
        return PACE_WINDOW_MIN_BYTES;
    return bytes > PACE_WINDOW_MAX_BYTES ? PACE_WINDOW_MAX_BYTES : (uint32_t)bytes;
}

/* The mark has come back: one sample of round trip and rate. */
static void measure(struct pace *p, uint64_t now_ms)
{
    uint64_t took = now_ms - p->mark_ms;
    uint64_t rate = (p->acked - p->mark_acked) * 1000 / (took > 0 ? took : 1);

    if (p->least_rtt_ms == 0 || took < p->least_rtt_ms)
        p->least_rtt_ms = took > 0 ? took : 1;
    /* a sample that the sender's silence limited says little about the link: it may only raise */
    if (p->rate_bps == 0 || rate > p->rate_bps || p->limited)
        p->rate_bps = p->rate_bps == 0 || rate > p->rate_bps ? rate : (p->rate_bps * 3 + rate) / 4;
    if (p->limited) {
        uint64_t fit = p->rate_bps * (p->least_rtt_ms + PACE_QUEUE_MS) / 1000;

        p->window = clamp_window(fit > 2ull * p->window ? 2ull * p->window : fit);
    }
}

bool pace_acked(struct pace *p, uint64_t total, uint64_t now_ms)
{
    if (total < p->acked || total > p->sent)
        return false;
    p->acked = total;
    if (p->mark != 0 && total >= p->mark) {
        measure(p, now_ms);
        p->mark = 0;
    }
    return true;
}
