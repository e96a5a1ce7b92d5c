"""browser.py: loadThread (wasm/lalparser.js) in headless Chromium, from a server of this machine: check.html."""
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "build/wasm/lalparser", ROOT / "models", ROOT / "tests/wasm")
result = []
ready = threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        found = [folder / path[1:] for folder in FOLDERS if (folder / path[1:]).is_file()]
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
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + work,
               "--remote-debugging-port=0", "http://127.0.0.1:%d/check.html" % server.server_port]
    page = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": work})
    ready.wait(180)
    page.terminate()
    page.wait()
print("in a browser: %s" % (result or ["no result"])[0])
sys.exit(result != ["passed"])
