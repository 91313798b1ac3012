# Says that it changed arguments that are not there, or into what they cannot be.
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



import itertools

CHANGES = itertools.cycle([[[99, []]], [[-1, []]], [[0, {"d": []}]], "all", [[0]], [[0, []], [0, []]], {"0": []}])
take_over(lambda r: frame({"n": r["n"], "kind": "value", "value": 300, "changed": next(CHANGES)}))
