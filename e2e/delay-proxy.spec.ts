import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect, test } from "@playwright/test";
import { DelayProxy } from "./delay-proxy.ts";

test("bytes come in order, each no sooner than the delay, and the end comes after them", async () => {
  const sent = Array.from({ length: 50 }, (_, index) => `${index} `);
  const target = await listen((socket) => socket.pipe(socket));
  const proxy = await DelayProxy.start(target.url, 30);
  const client = open(proxy.url);
  const began = performance.now();
  const came: string[] = [];
  let first = 0;
  client.on("data", (bytes) => {
    first ||= performance.now() - began;
    came.push(String(bytes));
  });
  for (const text of sent) client.write(text);
  client.end();
  await once(client, "end");
  expect(came.join("")).toBe(sent.join(""));
  // Timers count whole milliseconds, and may ring in the one before.
  expect(first).toBeGreaterThanOrEqual(58);
  await proxy.stop();
  target.server.close();
});

test("a reader that takes nothing holds the sender up", async () => {
  const chunk = Buffer.alloc(2 ** 16);
  let written = 0;
  const target = await listen((socket) => {
    const write = () => {
      while (socket.write(chunk)) written += chunk.length;
    };
    socket.on("drain", write);
    write();
  });
  const proxy = await DelayProxy.start(target.url, 5);
  const client = open(proxy.url).pause();
  let before = -1;
  await expect
    .poll(
      () => {
        const still = written === before;
        before = written;
        return still;
      },
      { intervals: [200], timeout: 10_000 },
    )
    .toBe(true);
  expect(written).toBeLessThan(2 ** 26);
  client.destroy();
  await proxy.stop();
  target.server.close();
});

async function listen(handle: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    handle(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function open(url: string): Socket {
  return connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
}
