"""Types a line over a WebSocket and waits until the screen shows it. Prints the raw output that came with it.

usage: ws.py URL TEXT [TOKEN]
"""

import json
import sys

from websockets.sync.client import connect


def main(url, text, token=None):
    output = b""
    with connect(f"{url}/ws?subscribe=output,screen&encoding=binary") as ws:
        if token:
            ws.send(json.dumps({"type": "auth", "token": token}))
        hello = json.loads(ws.recv(timeout=20))
        assert hello["type"] == "hello", hello
        ws.send(json.dumps({"type": "input", "text": text, "enter": True, "id": 1}))
        replied = shown = False
        while not (replied and shown):
            message = ws.recv(timeout=20)
            if isinstance(message, bytes):
                offset = int.from_bytes(message[:8], "big")
                assert offset == hello["offset"] + len(output), "output goes on where it was"
                output += message[8:]
                continue
            message = json.loads(message)
            if message["type"] == "screen":
                shown = any(text in line for line in message["lines"])
            if message.get("id") == 1:
                assert message["type"] == "reply", message
                assert message["result"] == {"bytes_written": len(text) + 1}, message
                replied = True
    # Leaving the block says goodbye and waits for the answer to it.
    assert ws.close_code == 1000, ws.close_code
    sys.stdout.buffer.write(output)


main(*sys.argv[1:])
