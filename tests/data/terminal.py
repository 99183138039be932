"""Runs a program as a person would: on a terminal of its own, below no other program.

terminal.py ANSWER PROGRAM [ARGUMENT...] prints what the terminal shows, then "exit CODE".
ANSWER is typed once a question ends in ": "; WORD in it stands for the word after "type ".
"""

import os
import pty
import re
import select
import sys

answer, program = sys.argv[1], sys.argv[2:]
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
child, terminal = pty.fork()
if child == 0:
    os.execvp(program[0], program)
shown, asked = b"", False
while True:
    if not select.select([terminal], [], [], 30)[0]:
        break
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if not asked and shown.endswith(b": "):
        asked = True
        word = re.search(rb"type (\w+)", shown)
        typed = answer.replace("WORD", word.group(1).decode() if word else "")
        os.write(terminal, typed.encode() + b"\n")
_, status = os.waitpid(child, 0)
sys.stdout.write(shown.decode("utf-8", "replace") + "\nexit %d\n" % os.waitstatus_to_exitcode(status))
sys.stdout.flush()
