"""A web server of the smallest kind: one connection that is kept warm, and an answer that goes on as it comes.

    pip install ./plumb_lang-VERSION-....whl && python3 server.py 8000
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import plumb

connection = plumb.open(Path(__file__).with_name("chat.plumb"))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        question = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/answer":
            self.begin("application/json")
            self.wfile.write(json.dumps(connection.try_call("bot", question)).encode())
        elif self.path == "/chat":
            self.begin("text/plain; charset=utf-8")
            has_text = False
            for item in connection.stream("bot", [question], events=["text"]):
                if "error" in item:
                    self.wfile.write(f"({item['error']['detail']})".encode())
                elif "event" in item or not has_text:
                    self.wfile.write((item["event"]["delta"] if "event" in item else item["value"]).encode())
                has_text = has_text or "event" in item
        else:
            self.send_error(404)

    def begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
with connection:
    server.serve_forever()
