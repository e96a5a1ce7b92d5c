/* Another device whose memory is counted and has a limit, and with it how often threads wait for the device. Thread
 * safe; one at a time. */
#pragma once

#include <pthread.h>

#include "tensor/device.h"

enum { COUNTED_BLOCKS = 4096 };

static struct {
    pthread_mutex_t lock;
    const Device *base;
    struct {
        void *at;
        size_t bytes;
    } block[COUNTED_BLOCKS];
    size_t limit, used, most; /* bytes */
    long allocations, waits;
} counted = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *counted_alloc(size_t bytes)
{
    void *p = NULL;
    int k = 0;
    pthread_mutex_lock(&counted.lock);
    while (k < COUNTED_BLOCKS && counted.block[k].at) k++;
    if (k < COUNTED_BLOCKS && bytes <= counted.limit - counted.used && (p = counted.base->alloc(bytes))) {
        counted.block[k].at = p;
        counted.block[k].bytes = bytes;
        counted.used += bytes;
        counted.most = counted.used > counted.most ? counted.used : counted.most;
        counted.allocations++;
    }
    pthread_mutex_unlock(&counted.lock);
    return p;
}

static void counted_free(void *p)
{
    int k = 0;
    pthread_mutex_lock(&counted.lock);
    while (p && counted.block[k].at != p) k++;
    if (p) {
        counted.used -= counted.block[k].bytes;
        counted.block[k].at = NULL;
    }
    pthread_mutex_unlock(&counted.lock);
    counted.base->free(p);
}

static size_t counted_available(void)
{
    pthread_mutex_lock(&counted.lock);
    size_t left = counted.limit - counted.used;
    pthread_mutex_unlock(&counted.lock);
    return left;
}

static Status counted_download(void *to, const void *from, size_t bytes, Error *e)
{
    pthread_mutex_lock(&counted.lock);
    counted.waits++;
    pthread_mutex_unlock(&counted.lock);
    return counted.base->download(to, from, bytes, e);
}

static Status counted_synchronise(Error *e)
{
    pthread_mutex_lock(&counted.lock);
    counted.waits++;
    pthread_mutex_unlock(&counted.lock);
    return counted.base->synchronise(e);
}

/* Counts from 0; of what `base` has given before, nothing may be left. */
static inline const Device *counting_device(const Device *base, size_t limit)
{
    static Device d;
    counted.base = base;
    d = *base;
    d.name = "a small device";
    d.alloc = counted_alloc;
    d.free = counted_free;
    d.available = counted_available;
    d.download = counted_download;
    d.synchronise = counted_synchronise;
    counted.limit = limit;
    counted.most = counted.used;
    counted.allocations = counted.waits = 0;
    return &d;
}
