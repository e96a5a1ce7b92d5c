"""browser.py: in headless Chromium, from a server of this machine: loadThread (wasm/lalparser.js), by check.html, and
the page that parses by it, on which tests/site/correct.html corrects sentences."""
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = {"check.html": (ROOT / "build/wasm/lalparser", ROOT / "models", ROOT / "tests/wasm"),
           "correct.html": (ROOT / "build/wasm/page", ROOT / "tests/site")}
folders = []
result = []
ready = threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        path = path.partition("?")[0][1:] or "index.html"
        found = [folder / path for folder in folders if (folder / path).is_file()]
        return str((found or ["none"])[0])

    def do_POST(self):
        result.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()
        ready.set()

    def log_message(self, *_):
        pass


browser = shutil.which("chromium") or shutil.which("chromium-browser")
if not browser:
    sys.exit(print("skipped: there is no Chromium (./setup --tests)"))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
failed = False
for name, folders in FOLDERS.items():
    result.clear()
    ready.clear()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + work,
                   "--remote-debugging-port=0", "http://127.0.0.1:%d/%s" % (server.server_port, name)]
        page = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": work})
        ready.wait(300)
        page.terminate()
        page.wait()
    print("in a browser, %s: %s" % (name, (result or ["no result"])[0]))
    failed = failed or not result or not result[0].startswith("passed")
sys.exit(failed)
