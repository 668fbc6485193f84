"""Talks to a hub as a browser does, over TLS: the handshake, a login, and a WebSocket.

usage: tls.py PORT CERTIFICATE TOKEN
"""

import hashlib
import http.client
import json
import socket
import ssl
import sys

from websockets.sync.client import connect


def main(port, certificate, token):
    port = int(port)
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with context.wrap_socket(socket.create_connection(("localhost", port)), server_hostname="localhost") as stream:
        shown, alpn = stream.getpeercert(binary_form=True), stream.selected_alpn_protocol()

    plain = ssl.create_default_context(cafile=certificate)
    origin = f"https://localhost:{port}"
    page = http.client.HTTPSConnection("localhost", port, context=plain, timeout=20)
    page.request("POST", "/login", json.dumps({"token": token}), {"Origin": origin, "Content-Type": "application/json"})
    reply = page.getresponse()
    app, cookie = json.load(reply), reply.getheader("Set-Cookie")

    # The other half of the credential, which a page cannot send as a header here.
    options = {"additional_headers": {"Cookie": cookie.split(";")[0]}, "subprotocols": ["coop", f"coop.key.{app['key']}"]}
    with connect(f"wss://localhost:{port}/ws", ssl=plain, origin=origin, **options) as ws:
        hello = json.loads(ws.recv(timeout=20))
    report = {
        "sha256": hashlib.sha256(shown).hexdigest(),
        "alpn": alpn,
        "cookie": cookie,
        "app": app,
        "ws": hello["type"],
    }
    json.dump(report, sys.stdout)


main(*sys.argv[1:])
