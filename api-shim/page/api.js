// The REST interface as the page uses it: one token, one namespace, answers as values, and what is refused as a Refusal. Nothing
// is tried twice here.

/** @import { TaskView } from "../tasks/view.ts" */
/** @import { TaskRequest } from "../tasks/request.ts" */
/** @import { AssetLink } from "../routes/assets.ts" */
/** @import { CreditsReply } from "../routes/credits.ts" */
/** @import { Happening } from "../routes/history.ts" */
/** @import { ProviderReply } from "../routes/providers.ts" */
/** @import { FieldError } from "../problems.ts" */
/** @import { Session } from "./session.js" */

/** What the server answered instead, as RFC 9457 has it; status 0 when it did not answer. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} detail
   * @param {{ readonly errors?: readonly FieldError[]; readonly retryAfterMs?: number }} [more]
   */
  constructor(status, code, detail, more = {}) {
    super(detail);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.errors = more.errors ?? [];
    this.retryAfterMs = more.retryAfterMs;
  }
}

const ANSWER_MS = 30_000;

/** @typedef {ReturnType<typeof makeApi>} Api */

/** @param {Session} session */
export function makeApi(session) {
  /** @type {(path: string, init?: RequestInit) => Promise<Response>} */
  const send = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${session.token}`);
    if (session.namespace !== "") headers.set("x-genop-namespace", session.namespace);
    const address = new URL(`v1/${path}`, document.baseURI);
    const answer = await fetch(address, { ...init, headers, cache: "no-store", credentials: "omit" }).catch(
      unreachable,
    );
    if (answer.ok) return answer;
    throw await refusalOf(answer);
  };
  /** @type {(path: string, init?: RequestInit) => Promise<unknown>} */
  const ask = async (path, init = {}) => {
    const answer = await send(path, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.json().catch(unreachable);
  };

  return {
    /** @type {(lastEventId: string, signal: AbortSignal) => Promise<Response>} */
    events: (lastEventId, signal) =>
      send("events", { signal, headers: lastEventId === "" ? {} : { "last-event-id": lastEventId } }),
    /** @type {(request: TaskRequest, key: string) => Promise<TaskView>} */
    create: async (request, key) => {
      const headers = { "content-type": "application/json", "idempotency-key": key };
      return /** @type {TaskView} */ (await ask("tasks", { method: "POST", headers, body: JSON.stringify(request) }));
    },
    /** @type {(id: string, change: "cancel" | "resume" | "suspend") => Promise<TaskView>} */
    change: async (id, change) =>
      /** @type {TaskView} */ (await ask(`tasks/${encodeURIComponent(id)}/${change}`, { method: "POST" })),
    /** @type {(id: string) => Promise<readonly Happening[]>} */
    history: async (id) => {
      const answer = await ask(`tasks/${encodeURIComponent(id)}/history`);
      return /** @type {{ readonly events: readonly Happening[] }} */ (answer).events;
    },
    /** @type {(id: string, name: string) => Promise<AssetLink>} */
    assetLink: async (id, name) =>
      /** @type {AssetLink} */ (await ask(`tasks/${encodeURIComponent(id)}/assets/${encodeURIComponent(name)}/link`)),
    /** @type {() => Promise<CreditsReply>} */
    credits: async () => /** @type {CreditsReply} */ (await ask("credits")),
    /** @type {() => Promise<readonly ProviderReply[]>} */
    providers: async () => {
      const answer = await ask("providers");
      return /** @type {{ readonly providers: readonly ProviderReply[] }} */ (answer).providers;
    },
  };
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function unreachable(error) {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new Refusal(0, "no-answer", "the server does not answer");
}

/** @param {Response} answer */
async function refusalOf(answer) {
  const told = /** @type {unknown} */ (await answer.json().catch(() => undefined));
  const { code, detail, errors } = /** @type {{ code?: string; detail?: string; errors?: readonly FieldError[] }} */ (
    told ?? {}
  );
  const seconds = Number(answer.headers.get("retry-after") ?? "");
  return new Refusal(answer.status, code ?? "unknown", detail ?? `the server answered ${answer.status}`, {
    ...(errors && { errors }),
    ...(seconds > 0 && { retryAfterMs: seconds * 1000 }),
  });
}
