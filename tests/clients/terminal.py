#!/usr/bin/env python3
"""A person at a terminal of their own: run a command there and type an answer.

usage: terminal.py RESULT ANSWER COMMAND [ARG ...]

The command runs on a new pseudo-terminal, in a session whose parents are gone (a daemon's way), so that whoever runs the
tests is not among its ancestors. ANSWER and a line end are typed once it says something. RESULT gets one JSON object
{"status", "said"} when it has ended; the caller waits for that file.
"""
import json
import os
import pty
import select
import sys
import time


def at_terminal(command: list[str], answer: str) -> tuple[int, str]:
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    said, typed, end = b"", False, time.monotonic() + 30
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                more = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
            if not more:
                break
            said += more
        elif said and not typed:
            os.write(terminal, answer.encode() + b"\n")
            typed = True
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode(errors="replace")


def main() -> None:
    result, answer, *command = sys.argv[1:]
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    while os.getppid() != 1 and time.sleep(0.01) is None:  # until the parent is gone
        if not os.path.exists(f"/proc/{os.getppid()}") or "terminal.py" not in open(f"/proc/{os.getppid()}/cmdline").read():
            break
    status, said = at_terminal(command, answer)
    with open(result + ".new", "w") as out:
        json.dump({"status": status, "said": said}, out)
    os.rename(result + ".new", result)


if __name__ == "__main__":
    main()
