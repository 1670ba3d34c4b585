#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# A server of GeoIP databases; a file sets how it behaves.
#
#	geoip_server.py DIR CERTIFICATE
#
# Listens with TLS on two ports of 127.0.0.1, which it writes to DIR/port and
# DIR/other.  GET /NAME answers with the file DIR/NAME, in which "/" and "?" of
# the path are "_"; without it with a redirect to the URL in DIR/NAME.location.
# A path that begins with /private/ needs the user and password in DIR/login.
# The mode in DIR/mode replaces the good answer; the modes are below, and a number
# is a status.  Each request adds a line to DIR/asked:
#
#	PORT PATH STATUS CREDENTIALS
#
# PORT is "port" or "other", CREDENTIALS "yes" or "no".
import base64
import email.utils
import hashlib
import http.server
import os
import ssl
import sys
import threading
import time

DIR, CERTIFICATE = sys.argv[1:]
SAYS = "the-server-says-4711"  # must not appear in any log
DRIP = 0.2  # seconds between two bytes


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path[1:].replace("/", "_").replace("?", "_")
        mode = read("mode").decode().strip() or "good"
        body, location = read(path), read(path + ".location").decode().strip()
        login = self.headers.get("Authorization")
        want = "Basic " + base64.b64encode(read("login").strip()).decode()
        if self.path.startswith("/private/") and login != want:
            status = 401
        elif mode.isdigit():
            status = int(mode)
        elif not body:
            status = 302 if location else 404
        else:
            status = 304 if self.is_same(mode, path, body) else 200
        with open(f"{DIR}/asked", "a") as out:
            print(self.server.name, self.path, status,
                  "yes" if login else "no", file=out)
        if mode in MODES and status == 200:
            self.close_connection = True
            MODES[mode](self, body)
            return
        self.send_response(status, SAYS)
        if mode == "dated":
            self.send_header("Last-Modified", date_of(path))
        elif status in (200, 304):
            self.send_header("ETag", tag_of(body))
        if status == 302:
            self.send_header("Location", location)
        if status not in (200, 304):
            body = SAYS.encode()
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    # Whether the client has this body.
    def is_same(self, mode, path, body):
        if mode == "dated":
            return self.headers.get("If-Modified-Since") == date_of(path)
        return self.headers.get("If-None-Match") == tag_of(body)

    def log_message(self, *_):
        pass


def read(name):
    try:
        with open(f"{DIR}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def tag_of(body):
    return '"' + hashlib.md5(body).hexdigest() + '"'


def date_of(name):
    return email.utils.formatdate(os.stat(f"{DIR}/{name}").st_mtime, usegmt=True)


def head(handler, size):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)


def drip(handler, body):
    head(handler, len(body))
    for i in range(len(body)):
        handler.wfile.write(body[i:i + 1])
        time.sleep(DRIP)


def half(handler, body):
    head(handler, len(body))
    handler.wfile.write(body[:len(body) // 2])


MODES = {"drip": drip, "half": half,
         "huge": lambda handler, body: head(handler, 999999999999)}


def listen(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.name = name
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(f"{DIR}/{name}.new", "w") as out:
        print(server.server_port, file=out)
    os.rename(f"{DIR}/{name}.new", f"{DIR}/{name}")
    return server


threading.Thread(target=listen("other").serve_forever, daemon=True).start()
listen("port").serve_forever()
