// The parts of the web page that know no document: what comes in, what is kept, and what is made of it.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { placeOf, taskHash } from "../../../api-shim/page/place.js";
import { readForm } from "../../../api-shim/page/request.js";
import { makeEventParser, type ServerEvent } from "../../../api-shim/page/sse.js";
import { makeStore } from "../../../api-shim/page/store.js";
import { everything, list, PAGE_SIZE } from "../../../api-shim/page/task-list.js";
import { timelineOf } from "../../../api-shim/page/timeline.js";
import { relativeText } from "../../../api-shim/page/time.js";
import { creditsText, groupOf, subtract } from "../../../api-shim/page/words.js";
import type { TaskView } from "../../../api-shim/tasks/view.ts";
import { view } from "./reader.ts";

const NOON = new Date("2026-12-01T12:00:00Z");
const at = (seconds: number): string => new Date(NOON.getTime() + seconds * 1000).toISOString();
const task = (id: string, more: Partial<TaskView> = {}): TaskView => ({ ...view(1, "Pending", id), ...more });

test("events are read whole, wherever the pieces that they come in are cut", () => {
  const text =
    'retry: 2000\n\nid: 7\nevent: task\ndata: {"id":"a: b"}\n\n: still here\n\nevent: deleted\ndata: {"id":"ü"}\n\n';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const told: ServerEvent[] = [];
      const parse = makeEventParser((event) => told.push(event));
      const places = [0, ...cuts.sort((one, other) => one - other), text.length];
      places.slice(1).forEach((end, index) => parse(text.slice(places[index], end)));
      expect(told).toEqual([
        { event: "task", id: "7", data: '{"id":"a: b"}' },
        { event: "deleted", id: undefined, data: '{"id":"ü"}' },
      ]);
    }),
  );
});

describe("the store", () => {
  const say = (event: string, data: unknown): ServerEvent => ({ event, id: undefined, data: JSON.stringify(data) });

  test("forgets what is not there any more when a stream begins, and says how much is not told yet", () => {
    const store = makeStore(() => NOON);
    store.apply(say("tasks", { ids: ["a", "b"] }));
    expect(store.missing()).toBe(2);
    for (const id of ["a", "b"]) store.apply(say("task", task(id)));
    store.apply(say("tasks", { ids: ["b", "c"] }));
    expect([store.all().map(({ id }) => id), store.missing()]).toEqual([["b"], 1]);
    store.apply(say("deleted", { id: "b" }));
    expect(store.size()).toBe(0);
  });

  test("remembers what it saw a task go through, each once, and only the last of many", () => {
    const store = makeStore(() => NOON);
    const see = (more: Partial<TaskView>): void => store.apply(say("task", task("a", more)));
    see({ reason: "QuotaExhausted", queuePosition: 2 });
    see({ reason: "QuotaExhausted", queuePosition: 1 });
    see({ phase: "Polling", reason: "Running" });
    expect(store.sights("a").map(({ reason }) => reason)).toEqual(["QuotaExhausted", "Running"]);
    for (let attempt = 0; attempt < 200; attempt += 1) see({ attempt });
    expect(store.sights("a")).toHaveLength(50);
  });

  test("an answer that comes after the stream has told something newer changes nothing", () => {
    const store = makeStore(() => NOON);
    store.put(task("a", { version: "9", phase: "Pending" }));
    store.apply(say("task", task("a", { version: "10", phase: "Rejected" })));
    store.put(task("a", { version: "9", phase: "Pending" }));
    expect(store.get("a")?.phase).toBe("Rejected");
    store.put(task("a", { version: "11", phase: "Cancelled" }));
    expect(store.get("a")?.phase).toBe("Cancelled");
  });
});

describe("the list", () => {
  const tasks = [
    task("waits-2", { reason: "QuotaExhausted", queuePosition: 2, createdAt: at(1) }),
    task("waits-1", { reason: "QuotaExhausted", queuePosition: 1, createdAt: at(2) }),
    task("poor", { reason: "InsufficientCredits", createdAt: at(3) }),
    task("lost", { phase: "SubmitUnknown", reason: "SubmitUnknown", createdAt: at(4) }),
    task("done", { phase: "Succeeded", reason: "AssetsPublished", createdAt: at(5) }),
  ];
  const ids = (filter: Partial<ReturnType<typeof everything>>): readonly string[] =>
    list(tasks, { ...everything(), ...filter }).shown.map(({ id }) => id);

  test("is in the order that is asked for", () => {
    expect(ids({})).toEqual(["done", "lost", "poor", "waits-1", "waits-2"]);
    expect(ids({ order: "oldest", group: "attention" })).toEqual(["poor", "lost"]);
    expect(ids({ order: "position", group: "waiting" })).toEqual(["waits-1", "waits-2"]);
  });

  test("tells why tasks wait, and finds by any word", () => {
    const { groups, reasons } = list(tasks, { ...everything(), group: "waiting" });
    expect(reasons).toEqual([{ reason: "QuotaExhausted", count: 2, oldest: at(1) }]);
    expect([...groups].sort()).toEqual([
      ["all", 5],
      ["attention", 2],
      ["succeeded", 1],
      ["waiting", 2],
    ]);
    expect(ids({ text: " insufficient" })).toEqual(["poor"]);
    expect(ids({ reason: "SubmitUnknown" })).toEqual(["lost"]);
  });

  test("has pages, and shows the last one to who asks for a later", () => {
    const many = Array.from({ length: PAGE_SIZE + 1 }, (_, index) => task(`t${index}`));
    const { page, pages, shown } = list(many, { ...everything(), page: 9 });
    expect([page, pages, shown.length]).toEqual([1, 2, 1]);
  });
});

test("a wait that does not end by itself needs attention, one for a place in line does not", () => {
  expect(groupOf(task("a", { reason: "InsufficientCredits" }))).toBe("attention");
  expect(groupOf(task("a", { reason: "QuotaExhausted" }))).toBe("waiting");
});

test("a timeline joins what the task, the operator and the page know, tells nothing twice, and how long each lasted", () => {
  const ended = task("a", {
    ...{ phase: "Succeeded", reason: "AssetsPublished", provider: "acme", attempt: 1 },
    ...{ createdAt: at(0), startTime: at(1), submittedTime: at(31), completionTime: at(60) },
  });
  const event = (reason: string, seconds: number, count = 1) =>
    ({ type: "Normal", reason, note: reason, firstTime: at(seconds), lastTime: at(seconds), count }) as const;
  const sight = (phase: TaskView["phase"], reason: string, seconds: number) =>
    ({ at: at(seconds), phase, reason, message: "", attempt: 1 }) as const;
  const sights = [
    sight("Pending", "Accepted", 1),
    sight("Pending", "QuotaExhausted", 2),
    sight("Succeeded", "AssetsPublished", 61),
  ];
  const moments = timelineOf(ended, [event("Submitted", 32), event("Succeeded", 60)], sights, NOON);
  expect(moments.map(({ tone, untilNextMs, what }) => [what, tone, untilNextMs])).toEqual([
    ["Asked for", "plain", 1_000],
    ["Taken up", "plain", 1_000],
    ["Pending: QuotaExhausted", "seen", 29_000],
    ["Attempt 1 sent", "plain", 1_000],
    ["Submitted", "plain", 28_000],
    ["Succeeded", "end", undefined],
  ]);
  const waiting = timelineOf(
    task("b", { createdAt: at(-5), reason: "QuotaExhausted", queuePosition: 3 }),
    [],
    [],
    NOON,
  );
  expect(waiting.at(-1)).toMatchObject({ tone: "now", what: "Pending: QuotaExhausted", note: "number 3 in line" });
});

test("credits are subtracted exactly", () => {
  expect(subtract("0.3", "0.1", "0.2")).toBe("0");
  expect(subtract("1000000", "0.000001")).toBe("999999.999999");
  expect(subtract("0", "0.5")).toBe("-0.5");
  const credits = { reserved: "0.10", settled: "0", released: "0" };
  expect(creditsText(task("a", { credits }))).toBe("0.1 held");
  expect(creditsText(task("a", { phase: "Succeeded", credits: { ...credits, settled: "0.1" } }))).toBe("0.1 paid");
});

test("an address says where the page is, and a damaged one is the list", () => {
  expect(placeOf(taskHash("studio", "a.b"))).toEqual({ view: "task", namespace: "studio", id: "a.b" });
  for (const hash of ["", "#", "#/", "#/elsewhere", "#/tasks/studio", "#/tasks/%/%", "#main"])
    expect(placeOf(hash)).toEqual({ view: "tasks" });
  expect(placeOf("#/providers")).toEqual({ view: "providers" });
});

test("times are told by their largest unit", () => {
  const now = NOON.getTime();
  expect([0, 59_999, 60_000, 3_600_000, 86_400_000 * 3].map((ms) => relativeText(now - ms, now))).toEqual([
    ...["0 s ago", "59 s ago", "1 min ago", "1 h ago", "3 d ago"],
  ]);
  expect(relativeText(now + 5_000, now)).toBe("in 5 s");
});

describe("the form", () => {
  const filled = (fields: Readonly<Record<string, string>>): FormData => {
    const form = new FormData();
    const all = {
      provider: "acme",
      model: "m",
      prompt: "a harbour",
      input: "",
      key: "order-1",
      maxCredits: "",
      maxAttempts: "1",
      ...fields,
    };
    for (const [name, value] of Object.entries(all)) form.set(name, value);
    return form;
  };

  test("makes the request that it looks like", () => {
    expect(readForm(filled({ input: '{"seed": 7}', maxCredits: " 0.05 ", unknownPolicy: "Fail" }))).toEqual({
      key: "order-1",
      request: {
        ...{ providerRef: { name: "acme" }, model: "m", input: { prompt: "a harbour", seed: 7 } },
        ...{ maxCredits: "0.05", retryPolicy: { maxAttempts: 1 }, unknownPolicy: "Fail" },
      },
    });
  });

  test.each([
    { what: "no JSON", fields: { input: "{" }, field: "input" },
    { what: "a list for an object", fields: { input: "[1]" }, field: "input" },
    { what: "nothing to work from", fields: { prompt: " " }, field: "prompt" },
    { what: "no name", fields: { key: "" }, field: "key" },
    { what: "no model", fields: { model: "" }, field: "provider" },
  ])("says which field has $what", ({ field, fields }) => {
    expect(readForm(filled(fields))).toMatchObject({ field });
  });
});
