// A sender and a workshop for one test file.
import { afterAll, beforeAll } from "@jest/globals";
import type { ArtifactLimits } from "../../../operator/artifacts/limits.ts";
import { startSender } from "./sender.ts";
import type { Respond, Sender } from "./sender.ts";
import { loopbackAccess } from "./order.ts";
import { makeWorkshop } from "./workshop.ts";
import type { Workshop } from "./workshop.ts";

export interface Fixture {
  readonly sender: () => Sender;
  readonly workshop: () => Workshop;
  /** A new URL that is answered so. */
  readonly serve: (respond: Respond) => string;
}

/** To be called at the top of a test file. */
export function makeFixture(limits: Partial<ArtifactLimits> = {}, nowMs: () => number = Date.now): Fixture {
  let sender: Sender | undefined;
  let workshop: Workshop | undefined;
  let served = 0;
  const present = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error("the fixture is not set up yet");
    return part;
  };

  beforeAll(async () => {
    sender = await startSender();
    const { port } = sender;
    workshop = makeWorkshop({ accessTo: () => loopbackAccess([port]), limits, nowMs });
  });
  afterAll(async () => {
    await workshop?.close();
    await sender?.close();
  });

  return {
    sender: () => present(sender),
    workshop: () => present(workshop),
    serve: (respond) => present(sender).serve(`/${++served}`, respond),
  };
}
