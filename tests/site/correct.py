"""correct.py PORT: serves correct.html beside the page of `lal serve` on that port, so that one may use the other.

Prints the address. Ends with its standard input.
"""
import http.server
import pathlib
import sys
import threading
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).parent


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/correct.html":
            self.answer(200, "text/html", (HERE / "correct.html").read_bytes())
        else:
            self.forward(None)

    def do_POST(self):
        self.forward(self.rfile.read(int(self.headers["Content-Length"])))

    def forward(self, body):
        request = urllib.request.Request(f"http://127.0.0.1:{sys.argv[1]}{self.path}", body)
        if body is not None:
            request.add_header("Content-Type", self.headers["Content-Type"])
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                self.answer(reply.status, reply.headers["Content-Type"], reply.read())
        except urllib.error.HTTPError as error:
            self.answer(error.code, "text/plain", error.read())

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
