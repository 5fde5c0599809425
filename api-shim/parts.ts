// What the shim's process is made of, as parts of a lifecycle, beside the runtime's own. Each only ties two things together.
import type { Part } from "../operator/runtime/lifecycle.ts";
import { untilAborted } from "../operator/runtime/signals.ts";
import type { Transport } from "../operator/runtime/transport.ts";
import type { RestServer } from "./http/server.ts";
import type { Books } from "./intake/books.ts";
import type { Storage } from "./storage/storage.ts";

/** Ready at once. Closes connections when everything that used them has ended. */
export function closingPart({
  storage,
  transport,
}: {
  readonly storage: Storage;
  readonly transport: Transport;
}): Part {
  return {
    name: "connections",
    run: async ({ stop }, ready) => {
      ready();
      await untilAborted(stop);
      storage.close();
      await transport.close();
    },
  };
}

export function booksPart(books: Books): Part {
  return {
    name: "books",
    run: async ({ stop }, ready) => {
      ready();
      await books.run(stop);
    },
  };
}

/** The last to start and the first to stop. */
export function restPart(
  server: RestServer,
  at: { readonly host: string; readonly port: number },
  listening?: (port: number) => void,
): Part {
  return {
    name: "rest",
    run: async ({ force, stop }, ready) => {
      const port = await server.listen(at);
      listening?.(port);
      ready();
      await untilAborted(stop);
      await server.close(force);
    },
  };
}
