# Answers with the costliest data that are still legal, every time.
import json
import os
import sys


def read(count):
    data = b""
    while len(data) < count:
        part = os.read(3, count - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def next_request():
    return json.loads(read(int.from_bytes(read(4), "big")))


def frame(message):
    body = message if type(message) is bytes else json.dumps(message).encode()
    return len(body).to_bytes(4, "big") + body


def send(data):
    while data:
        data = data[os.write(3, data) :]


def current_request():
    caller = sys._getframe()
    while caller is not None:
        if type(caller.f_locals.get("request")) is dict:
            return caller.f_locals["request"]
        caller = caller.f_back


def take_over(answer):
    request = current_request()
    while True:
        if request["verb"] == "load":
            send(frame({"n": request["n"], "kind": "loaded"}))
        else:
            send(answer(request))
        request = next_request()



VALUE = json.dumps([{"d": [[n << 40, 0] for n in range(250)]} for _ in range(4)])
NOTE = json.dumps({"printed": "\ud83d" * 30_000, "text": "x" * 1_000}).encode()
TAIL = b',"kind":"value","value":' + VALUE.encode() + b',"aside":' + NOTE + b"}"
take_over(lambda request: frame(b'{"n":"' + request["n"].encode() + b'"' + TAIL))
