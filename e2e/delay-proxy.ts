import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Bytes that may be under way in one direction; the sender waits when there are more. */
const WINDOW = 2 ** 20;

/**
 * A TCP proxy, each byte of which is `oneWayMs` under way in either direction, in order. A reader that is slow holds its
 * sender up, as without a proxy. Connecting itself is not delayed: the page's connections stand when it asks.
 */
export class DelayProxy {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** Listens on a free port in front of the server at `target` (http). */
  static async start(target: string, oneWayMs: number): Promise<DelayProxy> {
    const { hostname, port } = new URL(target);
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const far = connect({ host: hostname, port: Number(port || 80), allowHalfOpen: true, noDelay: true });
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.once("close", () => sockets.delete(from));
        carry(from, to, oneWayMs);
      }
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has no port");
    return new DelayProxy(`http://127.0.0.1:${address.port}`, server, sockets);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

/** Hands what `from` receives on to `to`. Timers of one length ring in the order in which they were set. */
function carry(from: Socket, to: Socket, delayMs: number): void {
  let underWay = 0;
  from.on("data", (bytes) => {
    underWay += bytes.length;
    if (underWay > WINDOW) from.pause();
    setTimeout(() => to.write(bytes, arrived), delayMs);
    function arrived(): void {
      underWay -= bytes.length;
      if (underWay <= WINDOW) from.resume();
    }
  });
  from.on("end", () => setTimeout(() => to.end(), delayMs));
  from.on("error", () => to.destroy());
}
