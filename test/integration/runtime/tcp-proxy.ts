// A TCP proxy before the API server that can fail like networks do: reset, go silent without a word, be slow, refuse.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  readonly port: number;
  /** Connections accepted so far. */
  accepted(): number;
  open(): number;
  /** Cuts every open connection with a reset. */
  reset(): void;
  /** Every connection that is open now stays open, and nothing passes any more: half-open, as behind a dead balancer. */
  blackHole(): void;
  /** New connections are reset at once. */
  refuse(isRefusing: boolean): void;
  /** Each piece arrives so much later. */
  delay(byMs: number): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isDead: boolean;
}

interface State {
  readonly pairs: Set<Pair>;
  accepted: number;
  isRefusing: boolean;
  delayMs: number;
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const state: State = { pairs: new Set(), accepted: 0, isRefusing: false, delayMs: 0 };
  const { pairs } = state;
  const server = createServer((client) => {
    state.accepted += 1;
    if (state.isRefusing) client.resetAndDestroy();
    else join(state, { client, server: connect(target.port, target.host), isDead: false });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => state.accepted,
    open: () => [...pairs].filter(({ client }) => !client.destroyed).length,
    reset: () => {
      for (const { client } of pairs) client.resetAndDestroy();
    },
    blackHole: () => {
      for (const pair of pairs) pair.isDead = true;
    },
    refuse: (isRefusing) => (state.isRefusing = isRefusing),
    delay: (byMs) => (state.delayMs = byMs),
    close: async () => {
      for (const pair of pairs) {
        pair.client.destroy();
        pair.server.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(state: State, pair: Pair): void {
  state.pairs.add(pair);
  pass(state, pair, [pair.client, pair.server]);
  pass(state, pair, [pair.server, pair.client]);
}

function pass(state: State, pair: Pair, [from, to]: readonly [Socket, Socket]): void {
  from.on("data", (bytes) => {
    const forward = (): void => {
      if (!pair.isDead && !to.destroyed) to.write(bytes);
    };
    if (state.delayMs > 0) setTimeout(forward, state.delayMs);
    else forward();
  });
  from.on("error", () => to.destroy());
  from.on("close", () => {
    if (!pair.isDead) to.destroy();
    if (to.destroyed) state.pairs.delete(pair); // the living half of a dead pair is still ours to close
  });
}
