// Events: one object for many equal ones, bounds on everything, and nothing that fails because of them.
import { expect, test } from "@jest/globals";
import { KubeError } from "../../../operator/runtime/errors.ts";
import { makeRecorder, referenceTo, type Happening, type Recorder } from "../../../operator/runtime/recorder.ts";
import type { KubeRequest } from "../../../operator/runtime/sender.ts";
import { makeManualClock, settle, type ManualClock } from "./manual-clock.ts";

interface Recording {
  readonly recorder: Recorder;
  readonly clock: ManualClock;
  readonly sent: KubeRequest[];
  readonly counted: string[];
  readonly logged: string[];
  readonly stop: () => Promise<void>;
}

async function record(answer: (count: number) => void = () => undefined): Promise<Recording> {
  const clock = makeManualClock();
  const sent: KubeRequest[] = [];
  const counted: string[] = [];
  const logged: string[] = [];
  const recorder = makeRecorder({
    transport: {
      request: (request) => Promise.resolve(sent.push(request)).then((count) => answer(count)),
      stream: () => {
        throw new Error("events are not watched");
      },
      close: () => Promise.resolve(),
    },
    metrics: {
      sent: (happenings) => void counted.push(...Array<string>(happenings).fill("sent")),
      dropped: (why) => void counted.push(why),
    },
    log: (_, event) => void logged.push(event),
    ...{ controller: "example.org/test", instance: "pod-1", clock },
  });
  const stop = new AbortController();
  const running = recorder.run({ stop: stop.signal, force: new AbortController().signal });
  await settle();
  return {
    ...{ recorder, clock, sent, counted, logged },
    stop: async () => {
      stop.abort(new Error("stop"));
      await running;
    },
  };
}

const about = referenceTo({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "cm", namespace: "ns", uid: "u" } });
const happening: Happening = { about, type: "Normal", reason: "Done", action: "Copy", note: "copied" };
const down = new KubeError({ status: 503, reason: "ServiceUnavailable", method: "POST", path: "/events" });
const refused = new KubeError({ status: 403, reason: "Forbidden", method: "POST", path: "/events" });

test("an event says what, about what, by whom and when, as the API server wants it", async () => {
  const { recorder, sent, stop } = await record();
  recorder.record(happening);
  await settle();
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ method: "POST", path: "/apis/events.k8s.io/v1/namespaces/ns/events" });
  expect(sent[0]?.body).toMatchObject({
    metadata: { namespace: "ns", name: expect.stringMatching(/^cm\.[0-9a-f]{16}$/) },
    eventTime: expect.stringMatching(/\.\d{6}Z$/),
    ...{ reportingController: "example.org/test", reportingInstance: "pod-1" },
    ...{ regarding: about, type: "Normal", reason: "Done", action: "Copy", note: "copied" },
  });
  await stop();
});

test("equal events become a count: the first repetition is shown at once, the others once a minute", async () => {
  const { recorder, clock, sent, stop } = await record();
  for (let time = 0; time < 6; time++) {
    recorder.record({ ...happening, note: `copied ${time}` });
    await clock.advance(1_000);
  }
  expect(sent.map(({ method }) => method)).toEqual(["POST", "PATCH"]);
  await clock.advance(60_000);
  expect(sent.map(({ body }) => (body as { series?: { count: number } }).series?.count)).toEqual([undefined, 2, 6]);
  await clock.advance(400_000);
  recorder.record(happening);
  await clock.advance(60_000);
  expect(sent.at(-1)?.method).toBe("POST"); // a new series after a long gap
  await stop();
});

test("what was sent counts each happening once, when the server knows it: a minute in which nothing happens counts nothing", async () => {
  const { recorder, clock, counted, stop } = await record();
  recorder.record(happening);
  await clock.advance(180_000);
  expect(counted).toEqual(["sent"]);
  for (let time = 0; time < 4; time++) recorder.record(happening);
  await settle();
  expect(counted).toHaveLength(2); // the first repetition
  await clock.advance(60_000);
  expect(counted).toEqual(Array(5).fill("sent"));
  await stop();
  expect(counted).toHaveLength(5);
});

test("a count that the server does not take is not lost: it is written a minute later", async () => {
  const { recorder, clock, counted, logged, sent, stop } = await record((count) => {
    if (count === 2 || count === 3) throw down;
  });
  recorder.record(happening);
  recorder.record(happening);
  await clock.advance(60_000);
  expect([counted, logged]).toEqual([["sent"], ["event.count-late"]]);
  await clock.advance(60_000);
  expect([sent.length, counted, logged]).toEqual([4, ["sent", "sent"], ["event.count-late"]]);
  await stop();
});

test("of a flood about one object twenty-five get through, then one in five minutes", async () => {
  const { recorder, clock, sent, counted, stop } = await record();
  for (let time = 0; time < 100; time++) recorder.record({ ...happening, reason: `Reason${time}` });
  await settle();
  expect(sent).toHaveLength(25);
  expect(counted.filter((word) => word === "spam")).toHaveLength(75);
  await clock.advance(300_000);
  recorder.record({ ...happening, reason: "Later" });
  await clock.advance(1_000);
  expect(sent).toHaveLength(26);
  await stop();
});

test("a queue that is full drops, and blocks nobody", async () => {
  const { recorder, counted, stop } = await record();
  for (let object = 0; object < 1_200; object++)
    recorder.record({ ...happening, about: { ...about, uid: String(object) } });
  expect(counted.filter((word) => word === "queue")).toHaveLength(200);
  await stop();
});

test("a server that is down is tried again with the same name, one that refuses is not", async () => {
  const { recorder, clock, sent, counted, stop } = await record((count) => {
    if (count <= 2) throw down;
    if (count > 3) throw refused;
  });
  recorder.record(happening);
  await clock.advance(10_000);
  expect(new Set(sent.map(({ body }) => (body as { metadata: { name: string } }).metadata.name)).size).toBe(1);
  expect([sent.length, counted]).toEqual([3, ["sent"]]);
  recorder.record({ ...happening, reason: "Other" });
  await clock.advance(10_000);
  expect([sent.length, counted.at(-1)]).toEqual([4, "refused"]);
  await stop();
});

test("what was recorded before the end is sent before the end", async () => {
  const { recorder, sent, stop } = await record();
  recorder.record(happening);
  await stop();
  expect(sent).toHaveLength(1);
});

test("a note is cut between characters", async () => {
  const { recorder, sent, stop } = await record();
  recorder.record({ ...happening, note: "ü".repeat(1_000) });
  await settle();
  const { note } = sent[0]?.body as { note: string };
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
  expect(note).toMatch(/^ü+…$/);
  await stop();
});
