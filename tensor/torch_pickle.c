/* A machine with a stack, and a memo of values that are referred to again. */
#include "tensor/torch_pickle.h"

typedef enum Call { ORDERED_DICT, REBUILD_TENSOR, REBUILD_PARAMETER } Call;

/* What a pickle may name: module and name. */
static const struct {
    const char *text;
    TorchKind kind;
    int number;
} GLOBALS[] = {
    { "collections\nOrderedDict\n", TORCH_CALL, ORDERED_DICT },
    { "torch._utils\n_rebuild_tensor\n", TORCH_CALL, REBUILD_TENSOR }, /* of 2017 */
    { "torch._utils\n_rebuild_tensor_v2\n", TORCH_CALL, REBUILD_TENSOR },
    { "torch._utils\n_rebuild_parameter\n", TORCH_CALL, REBUILD_PARAMETER },
    { "torch\nFloatStorage\n", TORCH_TYPE, DT_F32 },
    { "torch\nDoubleStorage\n", TORCH_TYPE, DT_F64 },
    { "torch\nHalfStorage\n", TORCH_TYPE, DT_F16 },
    { "torch\nBFloat16Storage\n", TORCH_TYPE, DT_BF16 },
    { "torch\nIntStorage\n", TORCH_TYPE, DT_I32 },
    { "torch\nLongStorage\n", TORCH_TYPE, DT_I64 },
    { "torch\nByteStorage\n", TORCH_TYPE, DT_U8 },
    { "torch\nBoolStorage\n", TORCH_TYPE, DT_U8 },
    { "torch\nCharStorage\n", TORCH_TYPE, DT_I8 },
};

enum { MOST_NAME = 80 }; /* of a global, in messages */

typedef struct Machine {
    TorchPickle *pickle;
    size_t begin; /* of the operation that runs */
    TorchValue stack, memo;
    Error *e;
} Machine;

/* All that can fail here gives false, with e filled. */
static bool bad(const Machine *m, const char *what)
{
    error_at(m->e, ERR_FORMAT, m->pickle->path, 0, 0, "byte %zu: %s", m->begin, what);
    return false;
}

static bool take(Machine *m, uint64_t size, StrView *bytes)
{
    TorchPickle *p = m->pickle;
    if (size > p->end - p->at) return bad(m, "found the end within a pickle, expected more");
    *bytes = (StrView){ p->file.ptr + p->at, (size_t)size };
    p->at += (size_t)size;
    return true;
}

static bool take_number(Machine *m, size_t size, uint64_t *out)
{
    StrView bytes;
    if (!take(m, size, &bytes)) return false;
    *out = 0;
    for (size_t k = size; k-- > 0;) *out = *out << 8 | (unsigned char)bytes.ptr[k];
    return true;
}

/* Bytes after their number, which has `size` bytes. */
static bool take_counted(Machine *m, size_t size, StrView *bytes)
{
    uint64_t n;
    return take_number(m, size, &n) && take(m, n, bytes);
}

static bool append(Machine *m, TorchValue *list, TorchValue *x)
{
    if (list->n == list->room) {
        int room = list->room ? 2 * list->room : 4;
        TorchValue **item = arena_alloc(m->pickle->arena, (size_t)room, sizeof(TorchValue *));
        if (!item) {
            error_set(m->e, ERR_NOMEM, "out of memory reading %s", m->pickle->path);
            return false;
        }
        if (list->n) memcpy(item, list->item, (size_t)list->n * sizeof(TorchValue *));
        list->item = item;
        list->room = room;
    }
    list->item[list->n++] = x;
    return true;
}

static bool push(Machine *m, TorchValue x)
{
    TorchValue *copy = arena_alloc(m->pickle->arena, 1, sizeof *copy);
    if (!copy) {
        error_set(m->e, ERR_NOMEM, "out of memory reading %s", m->pickle->path);
        return false;
    }
    *copy = x;
    copy->place = m->begin;
    return append(m, &m->stack, copy);
}

static bool push_number(Machine *m, long long number)
{
    return push(m, (TorchValue){ .kind = TORCH_NUMBER, .number = number });
}

/* A whole number of `size` bytes in two's complement. */
static bool push_signed(Machine *m, size_t size)
{
    uint64_t n = 0;
    StrView bytes;
    if (size > sizeof n) return take(m, size, &bytes) && push(m, (TorchValue){ .kind = TORCH_OTHER });
    if (!take_number(m, size, &n)) return false;
    uint64_t sign = size ? (uint64_t)1 << (8 * size - 1) : 0;
    return push_number(m, (long long)((n ^ sign) - sign));
}

static bool push_text(Machine *m, size_t size)
{
    StrView text;
    return take_counted(m, size, &text) && push(m, (TorchValue){ .kind = TORCH_TEXT, .text = text });
}

static bool push_global(Machine *m)
{
    const TorchPickle *p = m->pickle;
    const char *text = p->file.ptr + p->at;
    size_t left = p->end - p->at, n = 0;
    for (int lines = 0; lines < 2 && n < left && n < MOST_NAME; n++) lines += text[n] == '\n';
    for (size_t k = 0; k < sizeof GLOBALS / sizeof *GLOBALS; k++)
        if (text_equal((StrView){ text, n }, GLOBALS[k].text)) {
            m->pickle->at += n;
            return push(m, (TorchValue){ .kind = GLOBALS[k].kind, .number = GLOBALS[k].number });
        }
    char name[MOST_NAME + 1] = "";
    for (size_t k = 0; k + 1 < n; k++) name[k] = text[k] == '\n' ? '.' : text[k];
    error_at(m->e, ERR_FORMAT, p->path, 0, 0,
             "byte %zu: found the name %s, expected only those of tensors and their lists", m->begin, name);
    return false;
}

/* Sets *at to the place of the n last values of the stack; false if there are fewer, or a mark is among them. */
static bool last(const Machine *m, int n, int *at)
{
    *at = m->stack.n - n;
    bool found = *at >= 0;
    for (int k = *at; found && k < m->stack.n; k++) found = m->stack.item[k]->kind != TORCH_MARK;
    return found || bad(m, "found too few values before this operation");
}

/* Moves the values after the last mark, or without marks the n last ones, to the end of a list. The mark goes, too. */
static bool move(Machine *m, int n, bool marked, TorchValue *list)
{
    int at = m->stack.n;
    while (marked && at > 0 && m->stack.item[at - 1]->kind != TORCH_MARK) at--;
    if (marked && !at) return bad(m, "found no mark before this operation");
    if (!marked && !last(m, n, &at)) return false;
    for (int k = at; k < m->stack.n; k++)
        if (!append(m, list, m->stack.item[k])) return false;
    m->stack.n = at - marked;
    return true;
}

static bool push_tuple(Machine *m, int n, bool marked)
{
    TorchValue tuple = { .kind = TORCH_LIST };
    return move(m, n, marked, &tuple) && push(m, tuple);
}

/* Values go to the list or dictionary before them. */
static bool add_items(Machine *m, int n, bool marked, TorchKind kind)
{
    TorchValue items = { 0 };
    int at;
    if (!move(m, n, marked, &items) || !last(m, 1, &at)) return false;
    TorchValue *to = m->stack.item[at];
    if (to->kind != kind) return bad(m, "found items of another value, expected a list or a dictionary before them");
    if (kind == TORCH_DICT && items.n % 2) return bad(m, "found a key without a value");
    for (int k = 0; k < items.n; k++)
        if (!append(m, to, items.item[k])) return false;
    return true;
}

/* An ordered dictionary is made empty, or in Python 2 of a list of its pairs. */
static bool push_dict(Machine *m, const TorchValue *given)
{
    if (!given->n) return push(m, (TorchValue){ .kind = TORCH_DICT });
    if (given->n > 1 || given->item[0]->kind != TORCH_LIST) return bad(m, "found an OrderedDict of other values");
    TorchValue pairs = *given->item[0]; /* not copied: this may be said often of one list */
    pairs.kind = TORCH_PAIRS;
    return push(m, pairs);
}

static bool call(Machine *m)
{
    int at;
    if (!last(m, 2, &at)) return false;
    const TorchValue *what = m->stack.item[at], *given = m->stack.item[at + 1];
    if (what->kind != TORCH_CALL || given->kind != TORCH_LIST) return bad(m, "found a call of another value");
    m->stack.n = at;
    if (what->number == ORDERED_DICT) return push_dict(m, given);
    if (what->number == REBUILD_PARAMETER && given->n) return append(m, &m->stack, given->item[0]);
    TorchValue tensor = *given;
    tensor.kind = TORCH_TENSOR;
    return push(m, tensor);
}

static bool name_storage(Machine *m)
{
    int at;
    if (!last(m, 1, &at)) return false;
    TorchValue *x = m->stack.item[at];
    if (x->kind != TORCH_LIST) return bad(m, "found no tuple, expected that of a storage");
    m->stack.n = at;
    TorchValue storage = *x;
    storage.kind = TORCH_STORAGE;
    return push(m, storage) && append(m, &m->pickle->storage, m->stack.item[at]);
}

/* Numbers of the memo count up, from 0 in Python 3 and from 1 in Python 2. */
static bool remember(Machine *m, size_t size)
{
    uint64_t k;
    int at;
    if (!take_number(m, size, &k) || !last(m, 1, &at)) return false;
    while (k <= (uint64_t)m->memo.n + 1 && k >= (uint64_t)m->memo.n)
        if (!append(m, &m->memo, NULL)) return false;
    if (k >= (uint64_t)m->memo.n) return bad(m, "found another number of the memo, expected the next one");
    m->memo.item[k] = m->stack.item[at];
    return true;
}

static bool recall(Machine *m, size_t size)
{
    uint64_t k;
    if (!take_number(m, size, &k)) return false;
    if (k >= (uint64_t)m->memo.n || !m->memo.item[k]) return bad(m, "found a number that the memo does not have");
    return append(m, &m->stack, m->memo.item[k]);
}

static bool step(Machine *m, unsigned char operation)
{
    uint64_t n;
    StrView bytes;
    int at;
    switch (operation) {
    case 0x80: return take_number(m, 1, &n) && (n == 2 || bad(m, "found another protocol, expected 2"));
    case 'N': return push(m, (TorchValue){ .kind = TORCH_OTHER });
    case 0x88:
    case 0x89: return push_number(m, operation == 0x88);
    case 'K': return take_number(m, 1, &n) && push_number(m, (long long)n);
    case 'M': return take_number(m, 2, &n) && push_number(m, (long long)n);
    case 'J': return push_signed(m, 4);
    case 0x8a: return take_number(m, 1, &n) && push_signed(m, (size_t)n);
    case 'G': return take(m, 8, &bytes) && push(m, (TorchValue){ .kind = TORCH_OTHER });
    case 'U': return push_text(m, 1);
    case 'T':
    case 'X': return push_text(m, 4);
    case 'c': return push_global(m);
    case '}': return push(m, (TorchValue){ .kind = TORCH_DICT });
    case ']':
    case ')': return push(m, (TorchValue){ .kind = TORCH_LIST });
    case '(': return push(m, (TorchValue){ .kind = TORCH_MARK });
    case 't': return push_tuple(m, 0, true);
    case 0x85:
    case 0x86:
    case 0x87: return push_tuple(m, operation - 0x84, false);
    case 'a': return add_items(m, 1, false, TORCH_LIST);
    case 'e': return add_items(m, 0, true, TORCH_LIST);
    case 's': return add_items(m, 2, false, TORCH_DICT);
    case 'u': return add_items(m, 0, true, TORCH_DICT);
    case 'q': return remember(m, 1);
    case 'r': return remember(m, 4);
    case 'h': return recall(m, 1);
    case 'j': return recall(m, 4);
    case 'R': return call(m);
    case 'Q': return name_storage(m);
    case 'b': /* attributes, which are of no use here */
        if (!last(m, 2, &at)) return false;
        m->stack.n--;
        return true;
    default: return bad(m, "found an operation of pickles that weights do not have");
    }
}

Status torch_pickle_read(TorchPickle *pickle, TorchValue **value, Error *error)
{
    Error unused = { 0 };
    Machine m = { .pickle = pickle, .e = error ? error : &unused };
    size_t first = pickle->at;
    int at;
    for (;;) {
        m.begin = pickle->at;
        StrView operation;
        if (m.begin - first > TORCH_PICKLE_MOST)
            return error_at(m.e, ERR_LIMIT, pickle->path, 0, 0, "byte %zu: found a pickle of more than %d bytes", first,
                            TORCH_PICKLE_MOST);
        if (!take(&m, 1, &operation)) return m.e->code;
        if (*operation.ptr == '.') break;
        if (!step(&m, (unsigned char)*operation.ptr)) return m.e->code;
    }
    if (!last(&m, 1, &at)) return m.e->code;
    *value = m.stack.item[at];
    return OK;
}
