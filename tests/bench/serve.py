"""serve.py LAL TEXT [MINUTES]: a server of lal on loopback beside lal parse.

Without MINUTES: words/s of 16 clients that send TEXT again and again, beside lal parse with as many threads on as much
of it, in turn, five pairs; /live meanwhile; the time of one short sentence when nothing else is asked.
With MINUTES: good, wrong, long and slow requests, clients that leave, send half of a text or do not read their answer,
preflights, requests that two servers might read differently, and a log of which too little is read; the server's
resident memory each minute; then SIGTERM while 16 clients wait, all of which must get their answers. Exit status 1: one
did not, an answer was wrong, or memory grew by more than GROWTH_MIB after the first quarter."""
import http.client, os, random, re, socket, statistics, subprocess, sys, threading, time

LAL, PATH = sys.argv[1:3]
TEXT = open(PATH, "rb").read()
WORDS = len(TEXT.split())
SHORT = b"The old river rose quickly after the storm."
PLAIN = {"Content-Type": "text/plain"}
GROWTH_MIB = 32
lost = []


def start(*options):
    server = subprocess.Popen([LAL, "serve", "--listen", "127.0.0.1:0", "--grace", "0", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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
    found = ask(connect(port), body, path)
    if found[0] not in expected:
        print("%s: found %d, expected %s: %r" % (path, found[0], expected, found[1][:80]), flush=True)
    return found[0] in expected


def post(text, path=b"/v1/parse?format=svg"):
    return b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n" \
        b"\r\n%s" % (path, len(text), text)


def half_body(port):
    """Of a path that is there, or of none: the rest never comes."""
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(post(b"x" * 400000, random.choice([b"/", b"/none", b"/process"]))[:-random.randrange(1, 200000)])
        time.sleep(random.random() * 3)
    return True


def whole(data):
    return data.startswith(b"HTTP/1.1 503") or data.startswith(b"HTTP/1.1 200") and data.endswith(b"0\r\n\r\n")


def stalled(port):
    """Reads nothing for a while, then everything or nothing."""
    with socket.create_connection(("127.0.0.1", port), 120) as s:
        s.sendall(post(TEXT))
        time.sleep(random.random() * 5)
        return random.random() < 0.5 or whole(b"".join(iter(lambda: s.recv(65536), b"")))


def trickle(port):
    """Reads a little now and then, and gets all of it."""
    with socket.create_connection(("127.0.0.1", port), 120) as s:
        s.sendall(post(TEXT))
        parts = []
        for _ in range(20):
            parts.append(s.recv(4096))
            time.sleep(0.1)
        return whole(b"".join(parts + list(iter(lambda: s.recv(65536), b""))))


def half_closed(port):
    with socket.create_connection(("127.0.0.1", port), 120) as s:
        s.sendall(post(SHORT))
        s.shutdown(socket.SHUT_WR)
        return whole(b"".join(iter(lambda: s.recv(65536), b"")))


def preflight(port):
    connection = connect(port)
    connection.request("OPTIONS", "/v1/parse", headers={"Origin": "http://x", "Access-Control-Request-Method": "POST"})
    return connection.getresponse().status == 204


BAD = [b"Transfer-Encoding : chunked", b"Transfer-Encoding: gzip", b"Content-Length: 3\r\nTransfer-Encoding: chunked",
       b"Content-Length: 3\r\nContent-Length: 4", b"Content-Length: -3", b"X Y: z", b"Transfer-Encoding:\r\n chunked"]


def bad(port):
    """Framing that may be read in two ways, or more parameters than a request may have."""
    line = random.choice(BAD + [None])
    request = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n" % line if line else \
        b"GET /v1/models?%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % (b"a&" * 2000)
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(request)
        return re.match(rb"HTTP/1.1 (400|501) ", b"".join(iter(lambda: s.recv(65536), b""))) is not None


def noise(port):
    """Any bytes: any answer, or none."""
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(random.randbytes(random.randrange(1, 3000)) + b"\r\n\r\n")
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536):
            pass
    return True


def too_long(port):
    return status(port, (413,), b"x" * 5000000)


KINDS = [(60, lambda p: status(p, (200, 503), SHORT)), (20, lambda p: status(p, (200, 503), TEXT)),
         (4, lambda p: status(p, (200, 503), TEXT * 10, "/")), (4, lambda p: status(p, (400,), b"a\xff")),
         (4, lambda p: status(p, (404,), SHORT, "/none")), (2, too_long), (3, slow), (3, leave), (3, half_body),
         (3, stalled), (2, trickle), (4, half_closed), (4, preflight), (4, bad), (3, noise)]
MAY_BREAK = too_long, noise  # the server may close the connection before all has come


def mixed(port, server, minutes):
    until = time.monotonic() + 60 * minutes
    counts = [0] * len(KINDS)

    def client():
        dice = random.Random()
        while time.monotonic() < until:
            k = dice.choices(range(len(KINDS)), [weight for weight, _ in KINDS])[0]
            try:
                good, why = KINDS[k][1](port), "a wrong answer"
            except (OSError, http.client.HTTPException) as error:
                good, why = KINDS[k][1] in MAY_BREAK, repr(error)
            counts[k] += 1
            if not good:
                print("kind %d: %s" % (k, why), flush=True)
                lost.append(k)
    threading.Thread(target=read_log, args=(server,), daemon=True).start()
    threads = clients(12, client)
    seen = []
    while any(thread.is_alive() for thread in threads):
        rss = re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % server.pid).read())
        seen.append((1 - (until - time.monotonic()) / 60 / minutes, int(rss[1]) / 1024))
        print("%.1f min: %d requests, %d wrong, %.1f MiB" % (minutes * seen[-1][0], sum(counts), len(lost),
                                                            seen[-1][1]), flush=True)
        time.sleep(min(60, minutes * 6, max(1, until - time.monotonic() + 1)))
    for thread in threads:
        thread.join()
    print("requests of each kind: %s" % counts)
    print("\n".join(line for line in ask(connect(port), path="/metrics")[1].decode().splitlines()
                    if re.match("lal_(log_lost|held|rejected|workers_busy)|.*status=.(499|500)", line)))
    early = max(mib for at, mib in seen if at <= 0.25 or mib == seen[0][1])
    late = max(mib for at, mib in seen)
    print("resident memory: at most %.1f MiB in the first quarter, %.1f later" % (early, late))
    return late <= early + GROWTH_MIB


def read_log(server):
    """Reads less of the log than is written, so that lines are lost after some minutes."""
    while os.read(server.stdout.fileno(), 4096):
        time.sleep(random.random() * 20)


def drained(port, server):
    answers = []
    threads = clients(16, lambda: answers.append(ask(connect(port), TEXT)[0]))
    time.sleep(0.5)
    server.terminate()
    for thread in threads:
        thread.join()
    print("after SIGTERM: %d answers, %d good" % (len(answers), answers.count(200)))
    return answers == [200] * 16


mixes = len(sys.argv) > 3
server, port = start(*(("--cors", "*") if mixes else ("--log", "none")))
good = True
try:
    if mixes:
        flat = mixed(port, server, float(sys.argv[3]))
        good = drained(port, server) and flat and not lost
    else:
        speed(port)
        server.terminate()
    ended = server.wait(60)
finally:
    server.kill()
sys.exit(0 if good and ended == 0 else 1)
