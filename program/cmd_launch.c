/* program/cmd_launch.c: lal launch */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program/program.h"
#include "tensor/group.h"

typedef struct Fields {
    int processes;
} Fields;

static const Option LAUNCH_OPTIONS[] = {
    { "processes", OPT_INT, offsetof(Fields, processes), "2", 1, GROUP_MOST, NULL,
      "how many processes, a power of two for lal train" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

/* A port of this machine that nobody listens on now. */
static Status free_port(int *port, Error *e)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool good = fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 &&
                getsockname(fd, (struct sockaddr *)&address, &size) == 0;
    *port = ntohs(address.sin_port);
    if (fd >= 0) close(fd);
    return good ? OK : error_set(e, ERR_IO, "cannot find a free port: %s", strerror(errno));
}

static void set_number(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

/* By which ranks know each other; no other launcher has the same. */
static void name_run(void)
{
    char text[64];
    snprintf(text, sizeof text, "lal-%ld-%lld", (long)getpid(), (long long)time(NULL));
    setenv("TORCHELASTIC_RUN_ID", text, 1);
}

/* What the launcher waits for; blocked elsewhere, so that none is lost. */
static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/* In the new process. */
static void become(int rank, char **argv)
{
    const sigset_t set = awaited();
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    set_number("RANK", rank);
    set_number("LOCAL_RANK", rank);
    execvp(argv[0], argv);
    program_say("lal launch: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static void signal_all(const pid_t *child, int n, int number)
{
    for (int k = 0; k < n; k++)
        if (child[k] > 0) kill(child[k], number);
}

/* What is said of a process that failed; its exit status as a shell has it. */
static int report(int rank, int status)
{
    if (WIFSIGNALED(status)) {
        program_say("lal launch: rank %d was ended by signal %d\n", rank, WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    if (WEXITSTATUS(status)) program_say("lal launch: rank %d has the exit status %d\n", rank, WEXITSTATUS(status));
    return WEXITSTATUS(status);
}

/* Takes processes that have ended out of `child`; *first becomes the status of the first that failed. How many. */
static int reap(pid_t *child, int n, int *first)
{
    int ended = 0, status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        int rank = 0;
        while (rank < n && child[rank] != pid) rank++;
        if (rank == n) continue;
        child[rank] = 0;
        ended++;
        int failed = report(rank, status);
        if (!*first) *first = failed;
    }
    return ended;
}

/* Waits for all. When one fails, or at SIGINT and SIGTERM, the others are ended. The status of the first that failed;
 * 0: none failed. */
static int wait_for_all(pid_t *child, int n)
{
    const sigset_t set = awaited();
    int first = 0, left = n, number;
    bool ending = false; /* the others were sent SIGTERM */
    while ((left -= reap(child, n, &first)) > 0) {
        if (first && !ending) signal_all(child, n, SIGTERM);
        ending |= first != 0;
        sigwait(&set, &number);
        if (number == SIGCHLD || ending) continue;
        signal_all(child, n, SIGTERM);
        ending = true;
    }
    return first;
}

static Status run_launch(int argc, char **argv, Error *e)
{
    Fields f;
    pid_t child[GROUP_MOST];
    int n, port;
    const Option *tables[] = { LAUNCH_OPTIONS };
    void *fields[] = { &f };
    options_defaults(LAUNCH_OPTIONS, &f);
    Status s = options_parse(tables, fields, 1, argc, argv, argv, &n, e);
    if (s == OK && !n) s = error_set(e, ERR_USAGE, "found no command, expected one after --");
    if (s == OK) s = free_port(&port, e);
    if (s != OK) return s;
    argv[n] = NULL;
    set_number("WORLD_SIZE", f.processes);
    set_number("MASTER_PORT", port);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    name_run();
    const sigset_t set = awaited();
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int k = 0; k < f.processes; k++) {
        child[k] = fork();
        if (child[k] == 0) become(k, argv);
        if (child[k] > 0) continue;
        s = error_set(e, ERR_IO, "cannot start rank %d: %s", k, strerror(errno));
        signal_all(child, k, SIGTERM);
        wait_for_all(child, k);
        return s;
    }
    int status = wait_for_all(child, f.processes);
    if (status) exit(status);
    return OK;
}

static const Option *const LAUNCH_TABLES[] = { LAUNCH_OPTIONS, NULL };
const Command CMD_LAUNCH = {
    "launch",
    "[-n N] -- COMMAND...",
    "start processes that train one model together",
    "The processes get RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, by which lal train finds\n"
    "the others. When one fails, the others are ended. The exit status is that of the first\n"
    "that failed.\n\n"
    "  lal launch -n 4 -- lal train --lanes 4 --threads 1 --train T.trees --out my.lal\n",
    LAUNCH_TABLES,
    run_launch
};
