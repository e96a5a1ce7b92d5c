"""server.py: what serve.py and serve_pressure.py share: a server of lal, its clients, checks that are counted."""
import contextlib, json, os, re, socket, subprocess, sys, tempfile, time
import urllib.parse

BUILD = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAL = os.path.join(BUILD, "lal")
LONG = "The committee that the board appointed last year met the owners of the mill. " * 4000
FORM = [("Content-Type", "application/x-www-form-urlencoded")]
PLAIN = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s"
failed = checks = 0


def check(what, found, expected=True):
    global failed, checks
    checks += 1
    if found != expected:
        failed += 1
        print("%s: found %.400r, expected %.400r" % (what, found, expected), flush=True)


def comes(what):
    """Does what() become true?"""
    for _ in range(2400):
        if what():
            return True
        time.sleep(0.05)
    return False


def written(file):
    """All of a file that a process still writes through the same position, which stays where it is."""
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)


class Server:
    """A server, which ends with the block of `with`. stdout: a descriptor in place of the file that lines() reads."""
    def __init__(self, *options, where="127.0.0.1:0", env=None, status=0, stdout=None, stdin=None):
        self.status = status
        self.log, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen([LAL, "serve", "--listen", where, "--grace", "0", *options], stdin=stdin,
                                        stdout=self.log if stdout is None else stdout, stderr=self.err,
                                        env=dict(os.environ, **(env or {})))
        self.port = None
        for _ in range(1200):
            if "ready on" in self.said() or self.process.poll() is not None:
                break
            time.sleep(0.05)
        found = re.search(r"ready on http://127\.0\.0\.1:(\d+)/", self.said())
        self.at = ("127.0.0.1", int(found[1])) if found else where[5:]
        check("the server is ready", "ready on" in self.said())

    def said(self):
        return written(self.err).decode(errors="replace")

    def lines(self):
        return written(self.log).decode().splitlines()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            check("exit status", self.process.wait(60), self.status)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check("the server ends", False)
        check("no fault is reported", re.findall(r".*(?:Sanitizer|runtime error).*", self.said()), [])
        if "Sanitizer" in self.said():
            print(self.said())

    def connect(self, timeout=300):
        s = socket.socket(socket.AF_INET if isinstance(self.at, tuple) else socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(self.at)
        return s

    def exchange(self, request):
        """Status, headers, body of the answer to bytes; status 0: the connection was closed."""
        with self.connect() as s:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                s.sendall(request)
            return read_answer(s.makefile("rb"), request[:5] == b"HEAD ")

    def ask(self, path, body=None, headers=(), method=None):
        data = body.encode() if isinstance(body, str) else body
        lines = ["%s %s HTTP/1.1" % (method or ("GET" if data is None else "POST"), path), "Host: localhost"]
        lines += ["%s: %s" % h for h in headers]
        if data is not None:
            if not any(h[0] == "Content-Type" for h in headers):
                lines.append("Content-Type: text/plain; charset=utf-8")
            lines.append("Content-Length: %d" % len(data))
        return self.exchange("\r\n".join(lines).encode() + b"\r\n\r\n" + (data or b""))

    def core(self, text, properties="{}", **headers):
        text_of = properties if isinstance(properties, str) else json.dumps(properties)
        path = "/?" + urllib.parse.urlencode({"properties": text_of})
        return self.ask(path, text, list(headers.items()))

    def metric(self, name):
        found = re.search(r"^%s (\S+)$" % re.escape(name), self.ask("/metrics")[2].decode(), re.M)
        return float(found[1]) if found else None

    def settles(self, name, value):
        return comes(lambda: self.metric(name) == value)


def read_answer(f, head=False):
    try:
        line = f.readline().split()
    except ConnectionResetError:
        line = []
    if len(line) < 2:
        return 0, {}, b""
    status, headers = int(line[1]), {}
    if status == 100:
        f.readline()
        return read_answer(f, head)
    while line := f.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = b""
    if head:
        return status, headers, body
    if headers.get("transfer-encoding") == "chunked":
        while True:
            n = int(f.readline().split(b";")[0] or b"-1", 16)
            if n < 0:
                return 0, headers, body  # it ended before its end
            body += f.read(n)
            f.readline()
            if n == 0:
                break
    else:
        body = f.read(int(headers.get("content-length", 0)))
    return status, headers, body


def finish():
    print("%d checks, %d complaints" % (checks, failed))
    sys.exit(failed > 0)
