"""serve_pressure.py BUILD-FOLDER: a server of lal whose clients, files and neighbours do what they should not: sockets
that others have, logs that nobody reads, bodies that do not end, answers that are not taken, requests that two servers
might read differently. Prints complaints; exit status 1 if there are any."""
import base64, contextlib, fcntl, json, os, re, signal, socket, struct, subprocess, tempfile, threading, time

from server import BUILD, LAL, LONG, PLAIN, Server, check, comes, finish, read_answer

BRIEF = b"Go. I do. " * 200  # its pictures take 1.6 million bytes
STREAM = b"POST /v1/parse?format=%s HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s"


def refused(what, options, status, message, stdin=subprocess.DEVNULL):
    """A server that does not start, and says why."""
    ended = subprocess.run([LAL, "serve", "--listen", "127.0.0.1:0", *options], stdin=stdin, capture_output=True,
                           timeout=120)
    said = ended.stderr.decode(errors="replace")
    check(what, (ended.returncode, message in said), (status, True))
    if message not in said:
        print(said)


def small_pipe():
    ends = os.pipe()
    fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
    return ends


# ---- files of sockets

def sockets(folder):
    at = os.path.join(folder, "at")
    where = "unix:" + at

    def stale():
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(at)
    for kind, make in (("a file", lambda: open(at, "w").write("mine")), ("a folder", lambda: os.mkdir(at)),
                       ("a pipe", lambda: os.mkfifo(at)), ("a link to a file", lambda: os.symlink(__file__, at)),
                       ("a link to nothing", lambda: os.symlink("nothing", at))):
        make()
        before = os.lstat(at)
        refused(kind, ["--listen", where], 1, "found a file that is no socket, expected none")
        check(kind + " stays", (os.lstat(at).st_ino, os.lstat(at).st_size), (before.st_ino, before.st_size))
        (os.rmdir if kind == "a folder" else os.unlink)(at)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(at)
        refused("another kind of socket", ["--listen", where], 1, "cannot ask whether a server listens there")
        check("another kind of socket stays", os.path.exists(at))
        os.unlink(at)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(at)
        other.listen(0)
        with socket.socket(socket.AF_UNIX) as full:
            full.connect(at)  # it can take no more
            refused("a server that is busy", ["--listen", where], 1, "found a server that listens there")
        os.unlink(at)
    stale()
    with Server(where=where) as first:
        refused("a server that listens", ["--listen", where], 1, "found a server that listens there")
        check("the first one stays", first.ask("/live")[2], b"live\n")
        os.unlink(at)
        stale()
    check("the socket of another process stays", os.path.exists(at))
    both = [subprocess.Popen([LAL, "serve", "--listen", where, "--grace", "0"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ends = [p for p in both if "ready on" not in p.stderr.readline()]
    check("servers that start at once: those that end", [p.wait(60) for p in ends], [1] * 3)
    check("and the socket of the other one", os.path.exists(at))
    for p in both:
        p.terminate()
        p.communicate(timeout=60)
    check("is gone with it", os.path.exists(at), False)


# ---- passwords

def passwords(folder):
    file = os.path.join(folder, "password")
    options = ["--user", "me", "--password-file", file]

    def put(data):
        with open(file, "wb") as f:
            f.write(data)

    def status(s, password, user=b"me", scheme="Basic "):
        return s.ask("/", "x", [("Authorization", scheme + base64.b64encode(user + b":" + password).decode())])[0]
    for what, path, said in (("a missing file", "/missing/file", "/missing/file: cannot open: "),
                             ("a folder", folder, "cannot read: Is a directory"),
                             ("a device", "/dev/zero", "/dev/zero:1:1: found a NUL byte")):
        refused(what, ["--user", "me", "--password-file", path], 1, said)
    for what, data, said in (("no line", b"", "password: found no line"),
                             ("an empty line", b"\nx\n", "found an empty line"),
                             ("only a line break", b"\r\n", "found an empty line"),
                             ("a NUL", b"ab\0c\n", ":1:3: found a NUL"),
                             ("a long line", b"x" * 4097, "expected a password of at most 4096 bytes"),
                             ("a name before it", b"me:secret\n", "found 'me:' before the password")):
        put(data)
        refused(what, options, 1, said)
    refused("a name with a colon", ["--user", "a:b", "--password-file", file], 2, "expected a name without ':'")
    refused("an empty name", ["--user", "", "--password-file", file], 2, "expected a name without ':'")
    long = b"x" * 600 + b"y" * 3496
    for what, data, right, wrong in (("a long one", long, long, long[:511]),
                                     ("a mark", b"\xef\xbb\xbfab\r\n", b"ab", b"a"),
                                     ("signs", b" a\tb\r: \xc3\xa9\n2\n", b" a\tb\r: \xc3\xa9", b"a\tb\r: \xc3\xa9")):
        put(data)
        with Server(*options) as s:
            found = [status(s, x) for x in (right, wrong, right + b"x", right + b"\0")]
            found += [status(s, right, b"I"), status(s, right, scheme="basic  "), status(s, right, scheme="Digest ")]
            check(what, found, [200, 401, 401, 401, 401, 200, 401])
    os.unlink(file)
    os.mkfifo(file)
    writer = threading.Thread(target=put, args=(b"pi:ped\nand more",))
    writer.start()
    with Server(*options) as s:
        check("a pipe", (status(s, b"pi:ped"), status(s, b"pi")), (200, 401))
    writer.join()
    for name in "/dev/stdin", "/proc/self/fd/0":
        ends = os.pipe()
        os.write(ends[1], b"piped\n")  # and stays open
        with Server(*options, "--password-file", name, stdin=ends[0]) as s:
            check(name, (status(s, b"piped"), status(s, b"")), (200, 401))
        for end in ends:
            os.close(end)
    other = os.path.join(folder, "other")
    with open(other, "w") as f:
        f.write("secret\n")
    with Server("--user", "me", "--password-file", other, "--cors", "https://x.org") as s:
        ask = [("Origin", "https://x.org"), ("Access-Control-Request-Method", "POST"),
               ("Access-Control-Request-Headers", "authorization")]
        for path in "/", "/v1/parse?format=json", "/process", "/v1/models":
            answer = s.ask(path, method="OPTIONS", headers=ask)
            check("a preflight of " + path, (answer[0], answer[1].get("access-control-allow-headers"),
                                             answer[1].get("access-control-allow-origin")),
                  (204, "Authorization, Content-Type", "https://x.org"))
        check("what follows it needs the password", s.ask("/v1/parse", "x", ask)[0], 401)
        check("a path that is not there", s.ask("/none", method="OPTIONS", headers=ask)[0], 401)
    with Server("--user", "me", "--password-file", other) as s:
        check("without --cors", s.ask("/", method="OPTIONS")[0], 401)


# ---- logs

def stalled_log(kind):
    """Nobody reads standard output: answers come, lost lines are counted, said when it is read, and SIGTERM ends it."""
    reads, writes = small_pipe()
    with Server("--log", kind, stdout=writes) as s:
        os.close(writes)
        request = b"GET /" + b"x" * 250 + b" HTTP/1.1\r\nHost: x\r\nUser-Agent: " + b"y" * 250 + b"\r\n\r\n"
        with s.connect() as c:
            f = c.makefile("rb")
            for _ in range(60):
                c.sendall(request * 50)
                statuses = [read_answer(f)[0] for _ in range(50)]
                if statuses != [404] * 50:
                    check("an answer while nobody reads the log", statuses, [404] * 50)
                    break
        lost = s.metric("lal_log_lost_lines_total")
        check("lines are lost", lost > 0)
        text = b""
        while b"lost" not in text:
            text += os.read(reads, 65536)
        last = text[:text.index(b"\n", text.index(b"lost")) + 1].decode().splitlines()
        n = json.loads(last[-1])["lost"] if kind == "json" else int(re.search(r"lost (\d+) lines$", last[-1])[1])
        check("the others are whole", sum(line.count("x" * 199) for line in last), len(last) - 1)
        check("all are counted", n + len(last) - 1, 3000 + (n - lost))
        s.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            s.process.wait(60)
        check("it ends while nobody reads", s.process.returncode, 0)
    os.close(reads)


def stalled_messages(folder):
    """Nobody reads standard error, or standard output, which is full before the server starts; or it is closed."""
    at = os.path.join(folder, "log-at")
    for which in "stdout", "stderr":
        reads, writes = small_pipe()
        os.set_blocking(writes, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writes, b"x")
        os.set_blocking(writes, True)
        streams = dict({"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}, **{which: writes})
        p = subprocess.Popen([LAL, "serve", "--listen", "unix:" + at, "--grace", "0"], **streams)
        os.close(writes)
        s = Server.__new__(Server)
        s.at = at
        check("it starts with a full " + which, comes(lambda: os.path.exists(at)))
        check("an answer", [s.core("It rains.")[0] for _ in range(20)], [200] * 20)
        for _ in range(5):
            p.send_signal(signal.SIGHUP)
            check("an answer after SIGHUP", s.core("It rains.")[0], 200)
        p.terminate()
        check("it ends with a full " + which, p.wait(60), 0)
        os.close(reads)
    for kind in "text", "json":
        reads, writes = small_pipe()
        with Server("--log", kind, stdout=writes) as s:
            os.close(writes)
            os.close(reads)
            check("a log without a reader", [s.ask("/live")[0] for _ in range(20)], [200] * 20)
            check("its lines are lost", comes(lambda: s.metric("lal_log_lost_lines_total") >= 20))
    with Server(stdout=os.open("/dev/full", os.O_WRONLY)) as s:
        check("a full disk", [s.ask("/live")[0] for _ in range(20)], [200] * 20)
        check("its lines are lost", comes(lambda: s.metric("lal_log_lost_lines_total") >= 20))


def methods_in_log():
    long = b"A" * 3000
    for kind in "text", "json":
        with Server("--log", kind) as s:
            for method, status in ((b"G\x1b[31mET", 400), (b"GE\"T", 400), (b"G\xc3\xa9T", 400), (long, 405),
                                   (b"X-Y", 405), (b"get", 405)):
                check("a method", s.exchange(method + b" /live HTTP/1.1\r\nHost: x\r\n\r\n")[0], status)
            s.exchange(b"GET /" + long + b" HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b" + long + b"\r\n\r\n")
            check("all are logged", comes(lambda: len(s.lines()) == 7))
            check("no line is long", max(len(line) for line in s.lines()) < 700)
            check("nor has control characters", re.findall(r"[^\x20-\x7e]", "".join(s.lines()).replace("é", "")), [])
            if kind == "json":
                check("each is JSON", [json.loads(line)["status"] for line in s.lines()], [400] * 3 + [405] * 3 + [404])
            else:
                check("a cut one", '"' + "A" * 20 + '" ' in s.lines()[3])


# ---- memory of what is received

def resident(s):
    return int(re.search(r"VmRSS:\s+(\d+)", open("/proc/%d/status" % s.process.pid).read())[1]) * 1024


def send_parts(s, head, n, size):
    """n connections that have sent all but the last bytes of a body."""
    clients = [s.connect() for _ in range(n)]
    for c in clients:
        c.sendall(head % (size + 9) + b"x" * size)
    return clients


def bodies(folder):
    file = os.path.join(folder, "password-of-bodies")
    with open(file, "w") as f:
        f.write("secret\n")
    size = 3900000
    with Server("--max-memory", "2e7", "--workers", "1") as s:
        before = resident(s)
        for what, head in (("a path that is not there", b"POST /none"), ("a method", b"PUT /v1/parse"),
                           ("CoreNLP's others", b"POST /tokensregex"), ("health", b"POST /live"),
                           ("the page", b"GET /"), ("a parameter", b"POST /v1/parse?x=%%zz")):
            clients = send_parts(s, head + b" HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 10, size)
            check("bytes kept for " + what, s.metric("lal_held_bytes"), 0.0)
            clients[0].sendall(b"It rains." + b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            f = clients[0].makefile("rb")
            check("the answer to " + what, read_answer(f)[0] in (200, 400, 404, 405, 501))
            check("and the connection stays", read_answer(f)[2], b"pong\n")
            for c in clients:
                c.close()
        check("memory", resident(s) - before < 2e7)
        clients = send_parts(s, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 40, size)
        check("bytes of bodies are limited", 0 < s.metric("lal_held_bytes") <= 2e7)
        if os.path.basename(BUILD) == "default":  # sanitizers keep what is freed
            check("and the memory", resident(s) - before < 6e7)
        clients[-1].sendall(b"It rains.")
        check("others are refused", read_answer(clients[-1].makefile("rb"))[0], 503)
        check("and counted", s.metric('lal_rejected_total{reason="memory"}') > 0)
        for c in clients:
            c.close()
        check("nothing is held for clients that have left", s.settles("lal_held_bytes", 0.0))
        check("there is room again", s.core("It rains.")[0], 200)
        check("a chunked body that is too long", s.exchange(
            b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
            (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 64 + b"0\r\n\r\n")[0], 413)
        check("nothing is held for it", s.settles("lal_held_bytes", 0.0))
    with Server("--user", "me", "--password-file", file, where="unix:" + os.path.join(folder, "bodies")) as s:
        login = [("Authorization", "Basic " + base64.b64encode(b"me:secret").decode())]
        clients = send_parts(s, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", 10, size)
        check("bytes kept without a password",
              b"\nlal_held_bytes 0\n" in s.ask("/metrics", headers=login)[2])
        clients[0].sendall(b"It rains.")
        check("and their answer", read_answer(clients[0].makefile("rb"))[0], 401)
        for c in clients:
            c.close()
        with s.connect() as c:
            c.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\nExpect: 100-continue\r\n\r\n")
            check("who asks first is answered first", read_answer(c.makefile("rb"))[0], 401)


# ---- answers that are not taken

def slow_client(s, request):
    c = s.connect()
    c.sendall(request)
    return c


def stalled_readers(folder):
    where = "unix:" + os.path.join(folder, "stalled")  # its buffers are small
    with Server("--workers", "1", "--timeout", "600", "--body-timeout", "600", where=where) as s:
        client = slow_client(s, STREAM % (b"svg", len(BRIEF), BRIEF))
        whole = slow_client(s, PLAIN % (len(BRIEF), BRIEF))
        time.sleep(0.1)
        check("they are at work", s.metric("lal_connections") >= 3)
        check("workers are free while nobody reads", s.settles("lal_workers_busy", 0.0) and
              s.metric("lal_queue_length") == 0)
        check("others are answered", s.ask("/v1/parse?format=brackets", "It rains. " * 300)[0], 200)
        expected = s.ask("/v1/parse?format=svg", BRIEF)[2]
        check("the whole answer was kept", read_answer(client.makefile("rb"))[2] == expected)
        check("and of CoreNLP", len(json.loads(read_answer(whole.makefile("rb"))[2])["sentences"]), 400)
        for c in client, whole:
            c.close()
        check("then nothing is held", s.settles("lal_held_bytes", 0.0))
    with Server("--workers", "1", "--timeout", "600", "--max-memory", "1e6", where=where) as s:
        held = slow_client(s, STREAM % (b"svg", len(BRIEF), BRIEF))
        check("a worker gives up for lack of memory", s.settles('lal_rejected_total{reason="memory"}', 1.0))
        check("and is free", s.settles("lal_workers_busy", 0.0))
        check("and so is the memory", s.settles("lal_held_bytes", 0.0))
        check("others are answered", s.core("It rains.")[0], 200)
        check("the answer breaks", read_answer(held.makefile("rb"))[0], 0)
        held.close()


def slow_readers(folder):
    """A client that takes some of its answer now and then gets all of it, however long it takes."""
    for where, data in ("127.0.0.1:0", BRIEF * 3), ("unix:" + os.path.join(folder, "slow"), BRIEF):
        with Server("--workers", "1", "--timeout", "600", "--body-timeout", "1", "--idle-timeout", "1",
                    where=where) as s:
            for kind, request in (("a stream", STREAM % (b"svg", len(data), data)),
                                  ("a whole answer", PLAIN % (len(data), data))):
                c = slow_client(s, request)
                got, n = b"", 0
                while n < 8:  # longer than all limits
                    part = c.recv(40000)
                    got, n = got + part, n + 1
                    time.sleep(0.2)
                while not got.endswith(b"0\r\n\r\n" if kind == "a stream" else b"}\n") and part:
                    part = c.recv(1 << 20)
                    got += part
                check(kind + " to a slow reader", got[-5:] == b"0\r\n\r\n" if kind == "a stream" else
                      len(json.loads(got.split(b"\r\n\r\n", 1)[1])["sentences"]) == 2 * data.count(b"Go"))
                c.close()
            held = slow_client(s, STREAM % (b"svg", len(data), data))
            check("who takes nothing is closed", comes(lambda: s.ask("/metrics")[2].find(b"\nlal_connections 1\n") > 0))
            held.close()


# ---- HTTP

def framing(s):
    head = b"POST /v1/parse?format=brackets HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
    chunk = b"3\r\nabc\r\n0\r\n\r\n"
    for line, status in ((b"Transfer-Encoding: chunked", 200), (b"transfer-encoding:CHUNKED", 200),
                         (b"Transfer-Encoding : chunked", 400), (b"Transfer-Encoding\t: chunked", 400),
                         (b" Transfer-Encoding: chunked", 400), (b"Transfer-Encoding:\r\n chunked", 400),
                         (b"Transfer-Encoding:\r\n\tchunked", 400), (b"X: y\r\n Transfer-Encoding: chunked", 400),
                         (b"X: y\r\n Content-Length: 3", 400), (b"Content-Length:\r\n 3", 400),
                         (b"Content-Length : 3", 400), (b"Content-Length\x0b: 3", 400), (b"Content Length: 3", 400),
                         (b"X Y: z", 400), (b"X(Y): z", 400), (b"\xc3\xa9: z", 400), (b"Host: y", 400),
                         (b"Content-Length: 3\r\nTransfer-Encoding: chunked", 400),
                         (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
                         (b"Transfer-Encoding: gzip", 501), (b"Transfer-Encoding: identity", 501),
                         (b"Transfer-Encoding: gzip, chunked", 501), (b"Transfer-Encoding: chunked, gzip", 501),
                         (b"Transfer-Encoding: chunked;x=y", 501), (b"Transfer-Encoding: \x0bchunked", 501),
                         (b"Transfer-Encoding: xchunked", 501), (b"Transfer-Encoding:", 501)):
        with s.connect() as c:
            c.sendall(head + line + b"\r\n\r\n" + chunk + b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            f = c.makefile("rb")
            check("%r" % line, read_answer(f)[0], status)
            check("%r: what follows it" % line, read_answer(f)[2], b"pong\n" if status == 200 else b"")
    old = b"POST /live HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
    check("chunks in HTTP/1.0", s.exchange(old + chunk)[0], 400)


def targets(s):
    for n, status in ((999, 200), (1000, 200), (1001, 400), (1200, 400), (5000, 400), (20000, 400)):
        for form in b"a", b"a=":
            query = b"&".join([form] * n)
            check("%d parameters" % n, s.exchange(b"GET /models?" + query + b" HTTP/1.1\r\nHost: x\r\n\r\n")[0], status)
    many = {"k%d" % k: "v" for k in range(1001)}
    check("as properties", s.core("x", many)[0], 400)
    check("as a form", s.ask("/process", "&".join("%s=v" % k for k in many),
                             [("Content-Type", "application/x-www-form-urlencoded")])[0], 400)
    check("a percent sign alone", s.exchange(b"GET /models?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n")[0], 400)
    for target, expected in ((b"http://localhost/ping", b"pong\n"), (b"HTTP://x:80/ping", b"pong\n"),
                             (b"https://[::1]:9000/ping", b"pong\n"), (b"http://user@x/ping", b"pong\n"),
                             (b"http://x/%70ing?a=b", b"pong\n"), (b"ftp://x/ping", b"URI ftp://x/ping not handled")):
        check("%r" % target, s.exchange(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")[2], expected)
    for target in b"http://x", b"http://x/", b"http://x?a=b":
        check("%r" % target, s.exchange(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")[1].get("content-type"),
              "text/html; charset=utf-8")
    answer = s.exchange(b"POST http://x/v1/parse?format=brackets HTTP/1.1\r\nHost: y\r\nContent-Length: 3\r\n\r\nabc")
    check("an absolute target with a text", answer[2], b"(TOP (NP (NNP abc)))\n")
    for host, status in ((b"localhost", 200), (b"localhost:9000", 200), (b"127.0.0.1:9000", 200), (b"127.8.0.1", 200),
                         (b"[::1]:9000", 200), (b"a.LOCALHOST.", 200), (b"example.org", 404), (b"localhost.x", 404),
                         (b"xlocalhost", 404), (b"127.0.0.1.x", 404), (b"192.168.0.1", 404), (b"", 404)):
        request = b"GET /metrics HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
        check("numbers for the host %r" % host, s.exchange(request)[0], status)


def half_closed(folder):
    """A client that sends no more is answered; one that leaves is not, and counts as that."""
    data, long = LONG[:len(LONG) // 8].encode(), LONG.encode()
    for where in "127.0.0.1:0", "unix:" + os.path.join(folder, "half"):
        with Server("--workers", "1", "--timeout", "600", "--log", "json", where=where) as s:
            for request in (b"GET /live HTTP/1.1\r\nHost: x\r\n\r\n", PLAIN % (9, b"It rains."),
                            STREAM % (b"brackets", 9, b"It rains."), STREAM % (b"brackets", len(data), data),
                            PLAIN % (len(data), data), (PLAIN % (9, b"It rains.")).replace(b"HTTP/1.1", b"HTTP/1.0")):
                with s.connect() as c:
                    c.sendall(request)
                    c.shutdown(socket.SHUT_WR)
                    answer = read_answer(c.makefile("rb"))
                check("the answer to %r" % request[:30], (answer[0], len(answer[2]) > 4), (200, True))
            check("all are logged", comes(lambda: len(s.lines()) >= 6))
            check("none has left", {json.loads(line)["status"] for line in s.lines()}, {200})
            n = len(s.lines())
            for k, (request, close) in enumerate((r, c) for r in (STREAM % (b"brackets", len(long), long),
                                                                  PLAIN % (len(long), long)) for c in (False, True)):
                with s.connect() as c:
                    c.sendall(request)
                    time.sleep(0.3)
                    if close:  # with a reset
                        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                check("one who left is logged", comes(lambda: len(s.lines()) > n + k) and
                      json.loads(s.lines()[n + k])["status"], 499)
            text = s.ask("/metrics")[2].decode()
            check("and counted", re.findall(r'lal_requests_total\{path="(\S+)",status="499"\} (\d+)', text),
                  [("/", "2"), ("/v1/parse", "2")])
            check("as nothing else", re.findall(r'status="500".*|lal_timeouts_total [1-9].*', text), [])


with tempfile.TemporaryDirectory() as folder:
    sockets(folder)
    passwords(folder)
    for kind in "text", "json":
        stalled_log(kind)
    stalled_messages(folder)
    methods_in_log()
    bodies(folder)
    stalled_readers(folder)
    slow_readers(folder)
    half_closed(folder)
with Server("--workers", "1") as server:
    framing(server)
    targets(server)
finish()
