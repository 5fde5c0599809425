// The baseline's calls to the provider: a submit over a connection of its own, as the operator makes it, and queries.
import { Agent } from "undici";
import { MODEL } from "./stage.ts";

export interface ShownOutput {
  readonly name: string;
  readonly url: string;
  readonly bytes: number;
}

export interface Jobs {
  submit(attemptId: string, input: object): Promise<string>;
  /** The output of a job that is done. */
  query(jobId: string): Promise<ShownOutput>;
  fetch(url: string): Promise<Buffer>;
  close(): Promise<void>;
}

export function makeJobs({ baseUrl, token }: { readonly baseUrl: string; readonly token: string }): Jobs {
  const root = new URL(baseUrl.endsWith("/v1") ? baseUrl : `${baseUrl}/v1`);
  const kept = new Agent({ connections: 64 });
  const authorization = `Bearer ${token}`;
  return {
    submit: async (attemptId, input) => {
      const once = new Agent({ connections: 1, pipelining: 0 });
      try {
        const answer = await once.request({
          ...{ origin: root.origin, path: `${root.pathname}/jobs`, method: "POST" },
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify({ model: MODEL, input, ref: attemptId }),
        });
        return ((await answer.body.json()) as { readonly id: string }).id;
      } finally {
        await once.close();
      }
    },
    query: async (jobId) => {
      const path = `${root.pathname}/jobs/${jobId}`;
      const answer = await kept.request({ origin: root.origin, path, method: "GET", headers: { authorization } });
      const { outputs } = (await answer.body.json()) as { readonly outputs: readonly ShownOutput[] };
      const [output] = outputs;
      if (!output) throw new Error("cannot go on: the job is not done");
      return output;
    },
    fetch: async (url) => {
      const { origin, pathname, search } = new URL(url);
      const answer = await kept.request({ origin, path: `${pathname}${search}`, method: "GET" });
      return Buffer.from(await answer.body.arrayBuffer());
    },
    close: () => kept.close(),
  };
}
