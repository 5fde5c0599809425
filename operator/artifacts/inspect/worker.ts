// The thread that looks into files strangers made. It reads nothing by itself: it asks the other side for blocks.
// A file that makes it hang or crash costs this thread, never the process.
import { parentPort } from "node:worker_threads";
import { unreachable } from "../../task/unreachable.ts";
import { makeBlocks } from "./blocks.ts";
import { makeProbe } from "./probe.ts";
import { checkStructure } from "./structure/structure.ts";
import type { FromWorker, Inspection, ToWorker } from "./inspection.ts";
import type { Probe } from "./probe.ts";
import type { ByteSource } from "./structure/whole.ts";
import type { Container } from "../media-type.ts";

function serve(port: NonNullable<typeof parentPort>): void {
  const probe = makeProbe();
  let takeBlock: ((data: Uint8Array) => void) | undefined;
  const say = (message: FromWorker): void => port.postMessage(message);
  const answer = (answered: Promise<FromWorker>): void => {
    answered.catch((): FromWorker => ({ kind: "failed" })).then(say, () => undefined);
  };
  const fetchBlock = (offset: number, length: number): Promise<Uint8Array> => {
    say({ kind: "need", offset, length });
    return new Promise((resolve) => (takeBlock = resolve));
  };
  const look = async (size: number, container: Container): Promise<FromWorker> => {
    const inspection = await inspect(await probe, makeBlocks(size, fetchBlock), container);
    return { kind: "found", inspection };
  };

  port.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "begin":
        answer(probe.then(() => ({ kind: "ready" })));
        break;
      case "inspect":
        answer(look(message.size, message.container));
        break;
      case "block":
        takeBlock?.(message.data);
        break;
      default:
        return unreachable(message);
    }
  });
}

async function inspect(probe: Probe, bytes: ByteSource, container: Container): Promise<Inspection> {
  const wholeness = await checkStructure(container, bytes);
  if (!wholeness.whole) return { outcome: "broken", why: wholeness.why };
  const tracks = await probe(bytes);
  if (!tracks) return { outcome: "broken", why: "no image, sound or video can be read from it" };
  return { outcome: "whole", proven: wholeness.proven, tracks };
}

if (parentPort) serve(parentPort);
