"""serve.py LAL TEXT [MINUTES]: a server of lal on loopback beside lal parse.

Without MINUTES: words/s of 16 clients that send TEXT again and again, beside lal parse with as many threads on as much
of it, in turn, five pairs; /live meanwhile; the time of one short sentence when nothing else is asked.
With MINUTES: good, wrong, long and slow requests, and clients that leave, for so long; the server's resident memory
each minute; then SIGTERM while 16 clients wait, all of which must get their answers. Exit status 1: one did not."""
import http.client, os, random, re, socket, statistics, subprocess, sys, threading, time

LAL, PATH = sys.argv[1:3]
TEXT = open(PATH, "rb").read()
WORDS = len(TEXT.split())
SHORT = b"The old river rose quickly after the storm."
PLAIN = {"Content-Type": "text/plain"}
lost = []


def start():
    server = subprocess.Popen([LAL, "serve", "--listen", "127.0.0.1:0", "--grace", "0", "--log", "none"],
                              stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        found = re.search(r"ready on http://127\.0\.0\.1:(\d+)/", line)
        if found:
            return server, int(found[1])
    sys.exit("serve.py: the server did not start")


def ask(connection, body=None, path="/v1/parse?format=brackets"):
    connection.request("GET" if body is None else "POST", path, body, PLAIN)
    answer = connection.getresponse()
    return answer.status, answer.read()


def connect(port):
    return http.client.HTTPConnection("127.0.0.1", port, timeout=120)


def clients(n, work):
    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    return threads


def timed(work):
    began = time.monotonic()
    work()
    return time.monotonic() - began


# ---- speed

def served(port, texts):
    def client():
        connection = connect(port)
        for _ in range(texts // 16):
            assert ask(connection, TEXT)[0] == 200
    for thread in clients(16, client):
        thread.join()


def parsed(texts):
    subprocess.run([LAL, "parse", "--quiet", "--out", os.devnull], input=(TEXT + b"\n\n") * texts, check=True)


def polled(port, seconds, stop):
    while not stop.is_set():
        seconds.append(timed(lambda: ask(connect(port), path="/live")))
        time.sleep(0.05)


def milliseconds(what, seconds):
    x = sorted(1000 * s for s in seconds)
    print("%s: median %.2f ms, 95 of 100 below %.2f, longest %.2f (of %d)" % (
        what, statistics.median(x), x[len(x) * 95 // 100], x[-1], len(x)), flush=True)


def speed(port):
    texts = max(16, 160000 // WORDS // 16 * 16)
    live, stop = [], threading.Event()
    served(port, 16)
    for _ in range(5):
        alone = timed(lambda: parsed(texts))
        poll = threading.Thread(target=polled, args=(port, live, stop))
        poll.start()
        together = timed(lambda: served(port, texts))
        stop.set()
        poll.join()
        stop.clear()
        print("words/s: lal parse %.0f, 16 clients %.0f, ratio %.3f" % (
            WORDS * texts / alone, WORDS * texts / together, alone / together), flush=True)
    milliseconds("/live", live)
    connection = connect(port)
    milliseconds("one sentence", [timed(lambda: ask(connection, SHORT)) for _ in range(1000)])


# ---- a mixed load

def slow(port):
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        head = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n"
        for byte in head + b"It rains.":
            s.send(bytes([byte]))
            time.sleep(0.02)
        return s.recv(100).startswith(b"HTTP/1.1 200")


def leave(port):
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(TEXT))
        s.send(TEXT[:random.randrange(len(TEXT) + 1)])
        time.sleep(random.random() / 10)
    return True


def status(port, expected, body, path="/v1/parse?format=json"):
    return ask(connect(port), body, path)[0] in expected


KINDS = [(60, lambda p: status(p, (200, 503), SHORT)), (20, lambda p: status(p, (200, 503), TEXT)),
         (4, lambda p: status(p, (200, 503), TEXT * 10, "/")), (4, lambda p: status(p, (400,), b"a\xff")),
         (4, lambda p: status(p, (404,), SHORT, "/none")), (2, lambda p: status(p, (413,), b"x" * 2000000)),
         (3, slow), (3, leave)]


def mixed(port, server, minutes):
    until = time.monotonic() + 60 * minutes
    counts = [0] * len(KINDS)

    def client():
        dice = random.Random()
        while time.monotonic() < until:
            k = dice.choices(range(len(KINDS)), [weight for weight, _ in KINDS])[0]
            try:
                good = KINDS[k][1](port)
            except OSError as error:
                good = k == 5  # the server may close before a text that is too long has come
                good or print("kind %d: %s" % (k, error), flush=True)
            counts[k] += 1
            good or lost.append(k)
    threads = clients(8, client)
    while any(thread.is_alive() for thread in threads):
        rss = re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % server.pid).read())
        print("%.1f min: %d requests, %d wrong, %.1f MiB" % (minutes - (until - time.monotonic()) / 60, sum(counts),
                                                            len(lost), int(rss[1]) / 1024), flush=True)
        time.sleep(min(60, max(1, until - time.monotonic() + 1)))
    for thread in threads:
        thread.join()
    print("requests of each kind: %s" % counts)


def drained(port, server):
    answers = []
    threads = clients(16, lambda: answers.append(ask(connect(port), TEXT)[0]))
    time.sleep(0.5)
    server.terminate()
    for thread in threads:
        thread.join()
    print("after SIGTERM: %d answers, %d good" % (len(answers), answers.count(200)))
    return answers == [200] * 16


server, port = start()
good = True
try:
    if len(sys.argv) > 3:
        mixed(port, server, float(sys.argv[3]))
        good = drained(port, server) and not lost
    else:
        speed(port)
        server.terminate()
    ended = server.wait(60)
finally:
    server.kill()
sys.exit(0 if good and ended == 0 else 1)
