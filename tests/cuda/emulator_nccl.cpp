/* NCCL for ranks that are threads of one process. A message is carried when both sides
 * have asked for it; until then their streams wait. */
#include "tests/cuda/emulator_parts.h"

#include <pthread.h>
#include <vector>

typedef struct EmulatorId {
    char bytes[128];
} EmulatorId;

struct EmulatorComm {
    long group;
    int rank, size;
};

typedef struct Message {
    EmulatorComm *comm;
    int rank; /* of the other side */
    bool sends;
    unsigned char *at;
    size_t bytes;
    cudaStream_t stream;
} Message;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static std::vector<Message> waiting;
static thread_local std::vector<Message> asked; /* since ncclGroupStart */
static long groups, carried;

static int get_id(EmulatorId *id)
{
    pthread_mutex_lock(&mutex);
    *id = EmulatorId{};
    memcpy(id->bytes, &++groups, sizeof groups);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static int init(EmulatorComm **comm, int size, EmulatorId id, int rank)
{
    *comm = new EmulatorComm{ 0, rank, size };
    memcpy(&(*comm)->group, id.bytes, sizeof(*comm)->group);
    return 0;
}

static int end_comm(EmulatorComm *comm)
{
    pthread_mutex_lock(&mutex);
    std::erase_if(waiting, [comm](const Message &m) { return m.comm == comm; });
    pthread_mutex_unlock(&mutex);
    delete comm;
    return 0;
}

static int no_error(EmulatorComm *, int *result) { return *result = 0; }

static int begin()
{
    asked.clear();
    return 0;
}

static int ask(bool sends, const void *at, size_t n, int type, int rank, EmulatorComm *comm, cudaStream_t stream)
{
    if (type != 0 || rank < 0 || rank >= comm->size || rank == comm->rank) return 4; /* ncclInvalidArgument */
    asked.push_back({ comm, rank, sends, (unsigned char *)emulator_pointer("NCCL", at), n, stream });
    return 0;
}

static int send(const void *from, size_t n, int type, int rank, EmulatorComm *comm, cudaStream_t stream)
{
    return ask(true, from, n, type, rank, comm, stream);
}

static int receive(void *to, size_t n, int type, int rank, EmulatorComm *comm, cudaStream_t stream)
{
    return ask(false, to, n, type, rank, comm, stream);
}

static bool other_sides(const Message &a, const Message &b)
{
    return a.comm->group == b.comm->group && a.comm->rank == b.rank && a.rank == b.comm->rank && a.sends != b.sends;
}

static int end()
{
    pthread_mutex_lock(&mutex);
    for (const Message &m : asked) {
        emulator_work(m.stream);
        auto other = waiting.begin();
        while (other != waiting.end() && !other_sides(m, *other)) ++other;
        if (other == waiting.end()) {
            waiting.push_back(m);
            continue;
        }
        if (m.bytes != other->bytes) emulator_stop("NCCL: found %zu bytes, expected %zu", m.bytes, other->bytes);
        memcpy(m.sends ? other->at : m.at, m.sends ? m.at : other->at, m.bytes);
        waiting.erase(other);
        carried++;
    }
    asked.clear();
    pthread_mutex_unlock(&mutex);
    return 0;
}

static const char *text(int) { return "an error of the emulated NCCL"; }

void *emulator_nccl_function(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } known[] = { { "ncclGetUniqueId", (void *)get_id }, { "ncclCommInitRank", (void *)init },
                  { "ncclCommAbort", (void *)end_comm }, { "ncclCommGetAsyncError", (void *)no_error },
                  { "ncclGroupStart", (void *)begin },   { "ncclGroupEnd", (void *)end },
                  { "ncclSend", (void *)send },          { "ncclRecv", (void *)receive },
                  { "ncclGetErrorString", (void *)text } };
    for (const auto &k : known)
        if (strcmp(k.name, name) == 0) return k.function;
    return NULL;
}

bool emulator_nccl_waits(cudaStream_t stream)
{
    bool waits = false;
    pthread_mutex_lock(&mutex);
    for (const Message &m : waiting) waits = waits || m.stream == stream;
    pthread_mutex_unlock(&mutex);
    return waits;
}

long emulator_messages()
{
    pthread_mutex_lock(&mutex);
    long n = carried;
    pthread_mutex_unlock(&mutex);
    return n;
}
