"""A scripted model on loopback: enough of Anthropic Messages and OpenAI Responses for one headless session.

A script is a list of turns, one for each request that offers tools; after the last one it says "Done." for ever.
A turn is {"text"} or {"tool", "input"} or, for a freeform tool, {"tool", "raw"} with perhaps a "namespace"; or a function
that makes one of what the request brought that was new (what a person does meanwhile, it may do too).
Opens no connection of its own, and logs no header.
"""
import gzip
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Json = dict


def messages(turn: Json, model: str, serial: int):
    """Server-sent events of an Anthropic reply."""
    if "tool" in turn:
        block = {"type": "tool_use", "id": f"toolu_{serial:04d}", "name": turn["tool"], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn["input"])}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": turn["text"]}
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": f"msg_{serial:04d}", "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if "tool" in turn else "end_turn", "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def responses(turn: Json, model: str, serial: int):
    """Server-sent events of an OpenAI Responses reply."""
    item = {"id": f"item_{serial:04d}", "status": "completed"}
    if "tool" not in turn:
        item |= {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": turn["text"], "annotations": []}]}
    elif "raw" in turn:
        item |= {"type": "custom_tool_call", "call_id": f"call_{serial:04d}", "name": turn["tool"], "input": turn["raw"]}
    else:
        item |= {"type": "function_call", "call_id": f"call_{serial:04d}", "name": turn["tool"], "arguments": json.dumps(turn["input"])}
    if "namespace" in turn:
        item["namespace"] = turn["namespace"]
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}
    whole = {"id": f"resp_{serial:04d}", "object": "response", "created_at": int(time.time()), "status": "completed", "model": model, "output": [item], "error": None, "tools": [], "usage": usage}
    yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item | {"status": "in_progress"} | ({"content": []} if "content" in item else {})}
    if "content" in item:
        where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.content_part.added", **where, "part": item["content"][0] | {"text": ""}}
        yield {"type": "response.output_text.delta", **where, "delta": turn["text"]}
        yield {"type": "response.output_text.done", **where, "text": turn["text"]}
        yield {"type": "response.content_part.done", **where, "part": item["content"][0]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}


def texts(value):
    """Every text in a part of a conversation."""
    if isinstance(value, str):
        yield value
    for item in value if isinstance(value, list) else []:
        yield from texts(item)
    if isinstance(value, dict):
        for key in ("text", "content", "output"):
            yield from texts(value.get(key))


def unseen(body: Json) -> str:
    """What the model has not seen before: all text after its own last message."""
    fresh = []
    for item in body.get("messages") or body.get("input") or []:
        if item.get("role") == "assistant" or item.get("type", "").endswith("_call"):
            fresh = []
        else:
            fresh.append(item)
    return "\n".join(text for item in fresh for text in texts(item))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args) -> None:
        """Requests are kept by the model, not printed."""

    def do_GET(self) -> None:
        self.reply(200, {"object": "list", "data": []}) if self.path.split("?")[0].endswith("/models") else self.reply(404, {})

    def do_HEAD(self) -> None:
        self.reply(200, {})

    def do_POST(self) -> None:
        path = self.path.split("?")[0]
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        if path.endswith("/count_tokens"):
            self.reply(200, {"input_tokens": 100})
        elif path.endswith("/messages"):
            self.stream(messages, body)
        elif path.endswith("/responses"):
            self.stream(responses, body)
        else:
            self.reply(404, {"type": "error", "error": {"type": "not_found", "message": path}})

    def reply(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode() if self.command != "HEAD" else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, dialect, body: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        turn, serial = self.server.next_turn(body)
        for event in dialect(turn, body.get("model", "scripted"), serial):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        self.close_connection = True


class Model(ThreadingHTTPServer):
    """Serves one script; `seen` is what each scripted request brought that was new."""

    daemon_threads = True

    def __init__(self, turns: list[Json]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.turns, self.seen, self.serial, self.lock = list(turns), [], 0, threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def next_turn(self, body: Json) -> tuple[Json, int]:
        with self.lock:
            self.serial += 1
            listed = body.get("input") if isinstance(body.get("input"), list) else []
            if not body.get("tools") and not any(item.get("type") == "additional_tools" for item in listed):
                return {"text": "ok"}, self.serial  # a title or the like uses up no turn
            self.seen.append(unseen(body))
            turn = self.turns.pop(0) if self.turns else {"text": "Done."}
            return (turn(self.seen[-1]) if callable(turn) else turn), self.serial

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up in the middle of a reply is no error."""
