// Messages to and from a language server, which runs as a process and speaks on its standard input and output.
"use strict";

const { spawn } = require("child_process");

class Connection {
  // `handlers` has a function for each method that the server may call; `ended` is told why there is no server any more.
  constructor(command, folder, handlers, ended) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.number = 0;
    this.received = Buffer.alloc(0);
    this.said = "";
    this.process = spawn(command[0], command.slice(1), { cwd: folder });
    this.process.on("error", (error) => this.end(String(error.message), ended));
    this.process.on("exit", (status) => this.end(this.said.trim() || `it ended with status ${status}`, ended));
    this.process.stderr.on("data", (data) => (this.said = (this.said + data).slice(-2000)));
    this.process.stdin.on("error", () => {});
    this.process.stdout.on("data", (data) => this.receive(data));
  }

  end(reason, ended) {
    if (this.ended) return;
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
    ended(reason);
  }

  send(message) {
    if (this.ended) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.process.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "ascii"), body]));
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params, token) {
    if (this.ended) return Promise.resolve(null);
    const id = ++this.number;
    if (token) token.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const head = this.received.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/Content-Length: *(\d+)/i.exec(this.received.toString("ascii", 0, head))[1]);
      const end = head + 4 + length;
      if (this.received.length < end) return;
      const message = JSON.parse(this.received.toString("utf8", head + 4, end));
      this.received = this.received.subarray(end);
      this.take(message);
    }
  }

  async take(message) {
    if (message.method === undefined) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (waiting === undefined) return;
      // A request that was cancelled has no answer, which is no error.
      if (message.error && message.error.code !== -32800) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.error ? null : message.result);
      return;
    }
    const handler = this.handlers[message.method];
    const result = handler ? await handler(message.params) : null;
    if (message.id !== undefined) this.send({ id: message.id, result: result === undefined ? null : result });
  }
}

module.exports = { Connection };
