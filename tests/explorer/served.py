"""The explorer's files on a loopback port, and a headless Chromium that opens one of them, with messages both ways."""
import functools
import http.server
import json
import os
import queue
import subprocess
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
                      ".wasm": "application/wasm", "": "application/octet-stream"}

    def do_GET(self):
        name = self.path.split("?")[0].lstrip("/")
        made = self.server.made.get(name)
        if name == "next":
            made = json.dumps(self.server.questions.get()).encode()
        if name == "wait.js":  # a page that has it is not loaded, and no picture of it is taken, for some seconds
            time.sleep(5)
            made = b""
        if made is None:
            return super().do_GET()
        self.reply(made, self.extensions_map[os.path.splitext(name)[1]])

    def do_POST(self):
        self.server.answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.reply(b"", "text/plain")

    def reply(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Served:
    """`made`: further files, or other ones in the place of the explorer's."""

    def __init__(self, explorer, made):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=explorer))
        self.server.daemon_threads = True
        self.server.made, self.server.questions, self.server.answers = made, queue.Queue(), queue.Queue()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        self.profile = tempfile.TemporaryDirectory()

    def chromium(self, *words):
        return ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--no-first-run",
                f"--user-data-dir={self.profile.name}", *words]

    def open(self, page):
        self.log = tempfile.TemporaryFile()
        self.browser = subprocess.Popen(self.chromium("--remote-debugging-port=0", self.address + page),
                                        stdout=subprocess.DEVNULL, stderr=self.log)

    def close(self):
        """Ends the browser; the errors that it logged on its console."""
        self.browser.kill()
        self.browser.wait()
        self.log.seek(0)
        return [line for line in self.log.read().decode(errors="replace").splitlines() if "CONSOLE" in line]


class Browser:
    """The engines in a worker of Chromium."""

    def __init__(self, explorer):
        with open(os.path.join(HERE, "engines.js"), "rb") as file:
            engines = file.read()
        self.served = Served(explorer, {"engines.js": engines,
                                        "engines.html": b"<script>new Worker('engines.js')</script>"})
        self.served.open("engines.html")
        self.memory = 0

    def ask(self, question):
        self.served.server.questions.put(question)
        answer = self.served.server.answers.get(timeout=600)
        self.memory = max(self.memory, answer.get("memory", 0))
        return answer

    def close(self):
        return self.served.close()
