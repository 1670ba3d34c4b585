#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# An object storage with the part of S3 that reading needs; a file sets how it
# behaves.
#
#	storage.py DIR CERTIFICATE KEY
#
# Listens with TLS on 127.0.0.1 and writes its port to DIR/port.  GET /open/NAME
# answers with the file DIR/NAME.  Every other path needs a signature with the
# line "ID SECRET REGION TOKEN" of DIR/credentials ("-" means no token) and reads
# DIR/BUCKET/KEY, with KEY percent-encoded once more.  An ETag is a hash of the
# file.  The mode in DIR/mode replaces the good answer; the modes are below, and a
# number is a status.  Each request adds a line to DIR/asked:
#
#	PATH STATUS IF-NONE-MATCH AGENT
#
# STATUS is the name of the mode if there is one.
import gzip
import hashlib
import hmac
import os
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse

DIR, CERTIFICATE, KEY = sys.argv[1:]
SAYS = "the-storage-says-4711"  # must not appear in any log
DRIP = 0.5  # seconds between two bytes
SKEW = 900  # the greatest age of a request in seconds
LOCK = threading.Lock()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    with open(f"{DIR}/port.new", "w") as out:
        print(listening.getsockname()[1], file=out)
    os.rename(f"{DIR}/port.new", f"{DIR}/port")
    while True:
        plain, _ = listening.accept()
        threading.Thread(
            target=serve, args=(context, plain), daemon=True).start()


def serve(context, plain):
    try:
        with context.wrap_socket(plain, server_side=True) as s:
            s.settimeout(60)
            answer(s)
    except OSError:
        plain.close()


def answer(s):
    got = b""
    while b"\r\n\r\n" not in got:
        piece = s.recv(65536)
        if not piece:
            return
        got += piece
    head, *lines = got.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    method, target, _ = head.split(" ")
    headers = {}
    for line in lines:
        name, value = line.split(":", 1)
        headers.setdefault(name.lower(), []).append(value)
    behave(s, method, target, headers)


def behave(s, method, target, headers):
    mode = read("mode").decode().strip() or "good"
    path = target.split("?")[0]
    tag = headers.get("if-none-match", ["-"])[0].strip()
    status, body = 200, b""
    if not path.startswith("/open/") and not signed(method, target, headers):
        mode, status = "unsigned", 403
    elif mode == "good":
        body = read(named(path))
        etag = '"' + hashlib.md5(body).hexdigest() + '"'
        status = 404 if not body else 304 if tag == etag else 200
    elif mode.isdigit():
        status = int(mode)
    with LOCK, open(f"{DIR}/asked", "a") as out:
        told = mode if mode in MODES else status
        agent = headers.get("user-agent", ["-"])[0].strip()
        print(target, told, tag, agent, file=out)
    if mode in MODES:
        MODES[mode](s, read(named(path)))
    elif status == 200:
        reply(s, 200, body, f"ETag: {etag}")
    else:
        reply(s, status, b"" if status == 304 else
              f"<Error><Code>{SAYS}</Code></Error>".encode(), f"X-Why: {SAYS}")


def read(name):
    try:
        with open(f"{DIR}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


# The file of a path: /open/NAME or /BUCKET/KEY.
def named(path):
    first, rest = path[1:].split("/", 1)
    if first == "open":
        return rest
    key = urllib.parse.unquote_to_bytes(rest)
    return first + "/" + urllib.parse.quote(key, safe="")


# As in Amazon's "Authenticating Requests (AWS Signature Version 4)".
def signed(method, target, headers):
    try:
        (user, secret, region, token), = (
            line.split() for line in read("credentials").decode().splitlines())
        scheme, rest = headers["authorization"][0].strip().split(" ", 1)
        fields = dict(f.strip().split("=", 1) for f in rest.split(","))
        date, = headers["x-amz-date"]
        payload, = headers["x-amz-content-sha256"]
    except (KeyError, ValueError):
        return False
    date, payload = date.strip(), payload.strip()
    age = time.time() - calendar_time(date)
    names = fields["SignedHeaders"].split(";")
    scope = f"{date[:8]}/{region}/s3/aws4_request"
    sent = headers.get("x-amz-security-token", ["-"])[0].strip()
    if (scheme != "AWS4-HMAC-SHA256" or abs(age) > SKEW or
            fields["Credential"] != f"{user}/{scope}" or sent != token or
            payload != hashlib.sha256(b"").hexdigest() or
            names != sorted(names) or "host" not in names or
            any(h.startswith("x-amz-") and h not in names for h in headers)):
        return False
    path, _, query = target.partition("?")
    decoded = urllib.parse.unquote_to_bytes(path)
    canonical = "\n".join([
        method, urllib.parse.quote(decoded, safe="/-_.~"),
        "&".join(sorted(query.split("&"))),
        "".join(f"{n}:{value(headers[n])}\n" for n in names),
        ";".join(names), payload])
    text = "\n".join([
        scheme, date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope.split("/") + [text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.compare_digest(key.hex(), fields["Signature"])


def calendar_time(date):
    return time.mktime(time.strptime(date + " UTC", "%Y%m%dT%H%M%SZ %Z")) - \
        time.timezone


def value(values):
    return ",".join(re.sub(" +", " ", v.strip()) for v in values)


def reply(s, status, body, *more):
    head = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", *more]
    s.sendall("\r\n".join(head + ["", ""]).encode() + body)


def endlessly(s, head, piece):
    s.sendall(head)
    while True:
        s.sendall(piece)


def drip(s, text):
    for i in range(len(text)):
        s.sendall(text[i:i + 1])
        time.sleep(DRIP)


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
MODES = {
    # Not a model, or only a part of one.
    "html": lambda s, body: reply(
        s, 200, f"<html>{SAYS}</html>".encode(), "Content-Type: text/html"),
    "empty": lambda s, body: reply(s, 200, b""),
    "half": lambda s, body: s.sendall(
        OK + b"Content-Length: %d\r\n\r\n" % len(body) +
        body[:len(body) // 2]),
    "cut": lambda s, body: s.sendall(OK + b"\r\n" + body[:len(body) // 2]),
    "partial": lambda s, body: reply(s, 206, body[:100]),
    # Too large.
    "huge": lambda s, body: endlessly(
        s, OK + b"Content-Length: 99999999999\r\n\r\n", b" " * 65536),
    "endless": lambda s, body: endlessly(
        s, OK + b"\r\n" + body, b" " * 65536),
    "chunks": lambda s, body: endlessly(
        s, CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"),
    "bomb": lambda s, body: reply(
        s, 200, gzip.compress(b" " * 20000000), "Content-Encoding: gzip"),
    "bombs": lambda s, body: s.sendall(
        OK + b"Transfer-Encoding: gzip\r\n\r\n" +
        gzip.compress(b" " * 20000000)),
    "heads": lambda s, body: endlessly(
        s, OK, b"X-Much: " + b"x" * 990 + b"\r\n"),
    # Not HTTP.
    "badchunk": lambda s, body: s.sendall(CHUNKED + b"-5\r\nhello\r\n"),
    "garbage": lambda s, body: s.sendall(SAYS.encode() + b"\r\n\r\n"),
    "nothing": lambda s, body: None,
    # Slow.
    "hang": lambda s, body: time.sleep(60),
    "drip": lambda s, body: drip(
        s, OK + b"Content-Length: %d\r\n\r\n" % len(body) + body),
    # A redirect, which must not be followed.
    "redirect": lambda s, body: reply(
        s, 302, b"", f"Location: /open/elsewhere/{SAYS}"),
    # Good answers with odd headers.
    "odd": lambda s, body: reply(
        s, 200, body, "Content-Type: image/png", "ETag: " + "x" * 9000),
    "any": lambda s, body: reply(s, 200, body, "ETag: *"),
    "both": lambda s, body: reply(s, 200, body, 'ETag: "a","b"'),
    "weak": lambda s, body: reply(s, 200, body, 'ETag: W/"a"'),
    "same": lambda s, body: reply(s, 304, b""),
    "soon": lambda s, body: s.sendall(
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + OK +
        b"Content-Length: %d\r\n\r\n" % len(body) + body),
}

main()
