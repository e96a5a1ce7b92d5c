/* Any config.json, any list of shards and any vocabulary with its tokenizer_config.json
 * (the lines before the first that begins with '{', and the rest) are read or refused with a message; sizes that are
 * read are in range. */
#include <sys/stat.h>

#include "embeddings/pretrained_config.h"
#include "embeddings/wordpiece.h"
#include "tensor/safetensors_set.h"
#include "tests/fuzz/fuzz.h"

static void read_config(StrView text)
{
    PretrainedConfig c;
    Error e = { 0 };
    if (!accepted(pretrained_config_parse(&c, text, "fuzz", &e), &e)) return;
    require(c.n_layers >= 1 && c.n_heads * c.d_head == c.d_model && c.d_ff >= 1 && c.n_pieces >= 1);
    require(c.n_positions >= 0 && c.most_pieces >= 0 && c.norm_eps > 0 && c.dropout >= 0 && c.dropout < 1);
}

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
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
    require(mkdir(dir, 0700) == 0);
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        memcpy(shard + 8, k ? b : a, sizeof a - 1);
        if (k < 2) put(path, shard, 8 + sizeof a - 1);
        else put(path, text.ptr, text.len);
    }
    if (accepted(safetensors_set_open(&set, dir, &e), &e)) {
        require(set.n >= 1 && set.n <= 2 && set.names.n == set.n);
        safetensors_set_close(&set);
    }
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
    FREED(fuzz_unlink)
    FuzzFile lines = fuzz_file(text.ptr, cut, 0), config = fuzz_file(text.ptr + cut, text.len - cut, 1);
    WordPiece w, again;
    FREED(pieces_fini) Pieces p = { 0 };
    FREED(strbuf_fini) StrBuf json = { 0 };
    Error e = { 0 };
    if (!accepted(wordpiece_read_vocabulary(&w, lines.path, config.path, NULL, &e), &e)) return;
    require(wordpiece_encode(&w, text, &p, &e) == OK);
    wordpiece_write_json(&w, &json);
    require(wordpiece_parse_json(&again, (StrView){ json.ptr, json.len }, "again", &e) == OK);
    wordpiece_fini(&again);
    wordpiece_fini(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_config(fuzz_text(data, size));
    read_set(fuzz_text(data, size));
    read_vocabulary(fuzz_text(data, size));
    return 0;
}
