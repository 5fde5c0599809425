// `wait` while the API server is away: it goes on when that is back, and only a first look that fails ends it.
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { ApiError, type Cluster } from "../../../cli/cluster/client.ts";
import { waitForTask } from "../../../cli/commands/wait.ts";
import { makeTerminal } from "../../../cli/output/terminal.ts";
import type { Session } from "../../../cli/session.ts";

type Look = "Polling" | "Succeeded" | "absent" | number;

/** Each look at the task is answered in turn: by its phase, or refused with this status. No watch tells anything. */
function session(looks: readonly Look[]): { readonly session: Session; readonly asked: () => number } {
  let asked = 0;
  const cluster: Cluster = {
    call: () => {
      const look = looks[asked++];
      if (typeof look === "number") return Promise.reject(new ApiError(look, "it said no"));
      const items = look === "absent" ? [] : [{ metadata: { name: "sunrise" }, status: { phase: look } }];
      return Promise.resolve({ metadata: { resourceVersion: "1" }, items });
    },
    watch: async function* () {
      await Promise.reject(new ApiError(0, "the API server cannot be reached"));
      yield undefined;
    },
    token: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
  const [out, err] = [new PassThrough(), new PassThrough()];
  return {
    asked: () => asked,
    session: {
      ...{ cluster, namespace: "studio", format: "table", signal: new AbortController().signal, now: () => new Date() },
      terminal: makeTerminal({ out, err, noColour: undefined }),
      services: { evidence: () => Promise.reject(new Error()), assetUrl: () => Promise.reject(new Error()) },
    },
  };
}

const SUCCEEDED = { for: "Succeeded", timeout: 20_000 } as const;

test("an API server that is away, or just starting, is waited for", async () => {
  const { asked, session: own } = session(["Polling", 0, 503, "Succeeded"]);
  expect([await waitForTask(own, "sunrise", SUCCEEDED), asked()]).toEqual([0, 4]);
});

interface Case {
  readonly when: string;
  readonly looks: readonly Look[];
  readonly says: string;
  readonly exitCode?: number;
}

test.each<Case>([
  { when: "the first look finds no server", looks: [0], says: "cannot wait for studio/sunrise: it said no" },
  { when: "the right is taken away", looks: ["Polling", 403], says: "cannot wait for studio/sunrise: it said no" },
  { when: "there is no such task", looks: ["absent"], says: "there is no such task" },
  { when: "the task goes meanwhile", looks: ["Polling", "absent"], says: "it was deleted", exitCode: 2 },
])("it ends when $when", async ({ exitCode = 1, looks, says }) => {
  const ending = await waitForTask(session(looks).session, "sunrise", SUCCEEDED).catch((error: unknown) => error);
  expect(ending).toMatchObject({ message: expect.stringContaining(says), exitCode });
});
