"""Hostile adapters: `hostile.py KIND` misbehaves in one way, and the gate has to survive it and say the right word.
`--list` prints each kind with that word. Standard library only, and no helper: these write the protocol by hand."""
import json
import os
import signal
import socket
import sys
import time

KINDS = {  # kind: the word of its finding; "start" where the gate does not begin (exit 2); "size", "unreadable": judged
    "hang": "hung", "hang-hello": "start", "abort": "crashed:6", "segv": "crashed:11", "exit": "crashed:exit-3",
    "exit-hello": "start", "half-hello": "start", "typo-hello": "start", "protocol-2": "start", "flood-out": "flooded",
    "flood-err": "flooded", "wrong-seq": "garbled", "short": "garbled", "long": "garbled", "two-keys": "garbled",
    "no-key": "garbled", "unknown-key": "garbled", "twice": "garbled", "nan": "garbled", "huge": "garbled",
    "float": "garbled", "deep": "garbled", "wide": "garbled", "no-json": "garbled", "no-utf8": "garbled",
    "extra-line": "garbled", "child": "garbled", "closes": "crashed:exit-0",
    "bad-alloc": "out-of-memory", "cursor": "crashed:6", "daemon": "size",
    "fork-bomb": "hung", "memory": "hung", "disk": "size", "network": "size", "stops": "hung", "signals": "hung",
    "lies": "size", "unstable": "unstable", "derived": "unreadable",
}


def send(text):
    sys.stdout.buffer.write(text.encode() if isinstance(text, str) else text)
    sys.stdout.buffer.flush()


def hello(kind):
    out = {"seq": 0, "protocol": 2 if kind == "protocol-2" else 1, "impl": {"name": "hostile", "version": "1"},
           "features": ["cursor"] if kind == "cursor" else [],
           "families": {"tirx": {"form": "text", "ops": {"place.map" if kind == "derived" else "place": {}}}}}
    if kind == "typo-hello":
        out["familes"] = {}
    return json.dumps(out) + "\n"


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)


def bomb():
    while True:
        try:
            os.fork()
        except OSError:
            pass


def hoard():
    kept = []
    while True:
        try:
            kept.append(bytearray(1 << 24))
        except MemoryError:
            time.sleep(1)


def lie(cases, asked):
    out = []
    for _ in cases:
        asked[0] += 1
        out.append({"ok": {"axes": ["m"], "values": [[asked[0] if kind == "unstable" else 0]]}})
    return out


def misbehave(kind, line, asked):
    seq, cases = line["seq"], line["cases"]
    answers = lie(cases, asked)
    whole = json.dumps({"seq": seq, "answers": answers})
    one = '{"seq":%d,"answers":[%s]}' % (seq, ",".join(["%s"] * len(cases)))
    every = lambda text: (one % tuple([text] * len(cases))) + "\n"
    if kind == "hang":
        time.sleep(1000)
    elif kind == "abort":
        os.abort()
    elif kind == "bad-alloc":
        os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n")
        os.abort()
    elif kind == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(1000)
    elif kind == "exit":
        os._exit(3)
    elif kind == "closes":
        os._exit(0)
    elif kind == "cursor":
        with open(os.environ["LAYOUT_GATE_BULK"], "r+b") as bulk:
            bulk.write(b"\xff" * 4096)
        os.abort()
    elif kind == "flood-out":
        while True:
            send("[" * 65536)
    elif kind == "flood-err":
        while True:
            os.write(2, b"x" * 65536)
    elif kind == "wrong-seq":
        return send(json.dumps({"seq": seq + 1, "answers": answers}) + "\n")
    elif kind == "short":
        return send(json.dumps({"seq": seq, "answers": answers[:-1]}) + "\n")
    elif kind == "long":
        return send(json.dumps({"seq": seq, "answers": answers + answers[:1]}) + "\n")
    elif kind == "two-keys":
        return send(every('{"ok":{},"error":{}}'))
    elif kind == "no-key":
        return send(every("{}"))
    elif kind == "unknown-key":
        return send(every('{"okay":{}}'))
    elif kind == "twice":
        return send(every('{"ok":{"size":1,"size":2}}'))
    elif kind == "nan":
        return send(every('{"ok":{"size":NaN}}'))
    elif kind == "huge":
        return send(every('{"ok":{"size":1%s}}' % ("0" * 400)))
    elif kind == "float":
        return send(every('{"ok":{"size":1.5}}'))
    elif kind == "deep":
        return send("[" * 3000000 + "\n")
    elif kind == "wide":
        return send("[" + "[]," * 2000000 + "[]]\n")
    elif kind == "no-json":
        return send("Traceback (most recent call last):\n")
    elif kind == "no-utf8":
        return send(b'{"seq":1,"answers":["\xff\xfe"]}\n')
    elif kind == "extra-line":
        return send(whole + "\n" + whole + "\n")
    elif kind == "child":
        return send(json.dumps({"seq": seq, "answers": [], "crashed": {"signal": 6}}) + "\n")
    elif kind == "daemon":
        daemon()
    elif kind == "fork-bomb":
        bomb()
    elif kind == "memory":
        hoard()
    elif kind == "disk":
        try:
            with open("/tmp/layout-gate-hostile-%d" % os.getpid(), "wb") as out:
                os.unlink(out.name)
                for _ in range(64):
                    out.write(b"x" * (1 << 20))
            os._exit(9)  # it could write them
        except OSError:
            pass
    elif kind == "network":
        try:
            socket.create_connection(("127.0.0.1", 9), timeout=1)
            os._exit(9)
        except OSError as no:
            if getattr(no, "errno", 0) == 111:  # refused by a loopback that is there
                os._exit(9)
    elif kind == "stops":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif kind == "signals":
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        time.sleep(1000)
    elif kind == "derived":
        return send(json.dumps({"seq": seq, "answers": [{"ok": {"layout": c["layout"] + ".canonicalize()"}}
                                                         for c in cases]}) + "\n")
    send(whole + "\n")


def main(kind):
    if kind == "exit-hello":
        sys.exit(3)
    if kind == "hang-hello":
        time.sleep(1000)
    asked = [0]
    for text in sys.stdin.buffer:
        line = json.loads(text)
        if line.get("op") == "hello":
            if kind == "half-hello":
                send('{"seq":0,')
                sys.exit(0)
            send(hello(kind))
            continue
        misbehave(kind, line, asked)


if sys.argv[1:] == ["--list"]:
    print("\n".join("%s %s" % pair for pair in KINDS.items()))
else:
    kind = sys.argv[1]
    if kind not in KINDS:
        sys.exit("expected one of %s" % " ".join(KINDS))
    main(kind)
