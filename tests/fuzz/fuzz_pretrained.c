/* tests/fuzz/fuzz_pretrained.c: any config.json, any list of shards and any vocabulary with its tokenizer_config.json
 * (the lines before the first that begins with '{', and the rest) are read or refused with a message; sizes that are
 * read are in range. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/stat.h>

#include "embeddings/pretrained_config.h"
#include "embeddings/wordpiece.h"
#include "tensor/safetensors_set.h"
#include "tests/fuzz/file.h"

static void read_config(StrView text)
{
    PretrainedConfig c;
    Error e = { 0 };
    if (pretrained_config_parse(&c, text, "fuzz", &e) != OK) {
        if (!e.message[0]) abort();
        return;
    }
    if (c.n_layers < 1 || c.n_heads * c.d_head != c.d_model || c.d_ff < 1 || c.n_pieces < 1 || c.n_positions < 0 ||
        c.most_pieces < 0 || !(c.norm_eps > 0) || !(c.dropout >= 0 && c.dropout < 1))
        abort();
}

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
}

/* A folder with two shards and the input as their list. */
static void read_set(StrView text)
{
    static const char a[] = "{\"one\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}\1",
                      b[] = "{\"two\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}\2";
    static const char *const names[] = { "a", "b", "model.safetensors.index.json" };
    char dir[64], path[128], shard[80] = { (char)(sizeof a - 2) };
    SafeTensorsSet set;
    Error e = { 0 };
    snprintf(dir, sizeof dir, "/dev/shm/lal-fuzz-%ld-set", (long)getpid());
    if (mkdir(dir, 0700) != 0) abort();
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        memcpy(shard + 8, k ? b : a, sizeof a - 1);
        if (k < 2) put(path, shard, 8 + sizeof a - 1);
        else put(path, text.ptr, text.len);
    }
    if (safetensors_set_open(&set, dir, &e) == OK) {
        if (set.n < 1 || set.n > 2 || set.names.n != set.n) abort();
        safetensors_set_close(&set);
    } else if (!e.message[0]) abort();
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        unlink(path);
    }
    rmdir(dir);
}

static void read_vocabulary(StrView text)
{
    size_t at = 0, cut = text.len;
    StrView line;
    while (cut == text.len && text_line(text, &at, &line))
        if (line.len && line.ptr[0] == '{') cut = (size_t)(line.ptr - text.ptr);
    FuzzFile lines = fuzz_file(text.ptr, cut, 0), config = fuzz_file(text.ptr + cut, text.len - cut, 1);
    WordPiece w;
    Pieces p = { 0 };
    Error e = { 0 };
    if (wordpiece_read_vocabulary(&w, lines.path, config.path, NULL, &e) == OK) {
        StrBuf json = { 0 };
        WordPiece again;
        if (wordpiece_encode(&w, text, &p, &e) != OK) abort();
        wordpiece_write_json(&w, &json);
        if (wordpiece_parse_json(&again, (StrView){ json.ptr, json.len }, "again", &e) != OK) abort();
        wordpiece_fini(&again);
        strbuf_fini(&json);
        pieces_fini(&p);
        wordpiece_fini(&w);
    } else if (!e.message[0]) abort();
    unlink(lines.path);
    unlink(config.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    StrView text = { (const char *)data, size };
    read_config(text);
    read_set(text);
    read_vocabulary(text);
    return 0;
}
