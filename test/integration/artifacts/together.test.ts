import { describe, expect, test } from "@jest/globals";
import { bytesOf } from "../../unit/artifacts/samples.ts";
import { bigWave } from "./big-wave.ts";
import { makeFixture } from "./fixture.ts";
import { dripping, sized, startSender } from "./sender.ts";
import type { Respond } from "./sender.ts";
import { KEY, loopbackAccess, orderOf, output } from "./order.ts";
import { fetchOnce, makeWorkshop } from "./workshop.ts";

const PNG = bytesOf("image.png");
const interrupted = (code: string) => ({ outcome: "interrupted", code, retryAfterMs: undefined });
const { sender, workshop, serve } = makeFixture();

describe("all or none", () => {
  test("one bad output of three: the others are called off, nothing is published, and nothing is left", async () => {
    const order = orderOf([
      output(serve(sized(PNG))),
      output(serve(sized(Buffer.from("not a picture".repeat(20))))),
      output(serve(dripping(bigWave(1000), 100_000, 20))),
    ]);
    expect(await fetchOnce(workshop(), order)).toMatchObject({
      outcome: "unusable",
      message: expect.stringMatching(/^output-1 /),
    });
    expect((await workshop().keys()).filter((key) => key.includes(order.attempt.id))).toEqual([]);
    expect(await workshop().uploads()).toEqual([]);
  });

  test("a good output that is verified long before another turns out bad is not published either", async () => {
    // First until the good one is staged; then so often as would show a copy that is made at once.
    const lateAndBad: Respond = (request, response) => {
      void waitFor(`staging/${order.attempt.id}/`, 5_000)
        .then(() => waitFor(place, 50))
        .then(() => sized(Buffer.from("no picture".repeat(20)))(request, response));
    };
    const order = orderOf([output(serve(sized(PNG))), output(serve(lateAndBad))]);
    const place = `assets/${KEY}/${order.attempt.id}`;
    const has = async (start: string) => (await workshop().keys()).some((key) => key.startsWith(start));
    const waitFor = async (start: string, looks: number): Promise<void> => {
      for (let look = 0; look < looks && !(await has(start)); look += 1);
    };
    expect(await fetchOnce(workshop(), order)).toMatchObject({ outcome: "unusable" });
    expect(await has(place)).toBe(false);
  });

  test("what lies in an attempt's place but the outputs that are to be kept is taken away, and the other attempts are left alone", async () => {
    const [mine, other] = [orderOf([output(serve(sized(PNG)))]), orderOf([output(serve(sized(PNG)))])];
    const { id } = mine.attempt;
    const fetched = await fetchOnce(workshop(), mine);
    await fetchOnce(workshop(), other);
    await workshop().put(`assets/${KEY}/${id}/renamed`, PNG);
    const left = async (part: string) => (await workshop().keys()).filter((key) => key.includes(part));
    const keepOnly = (names: readonly string[]) =>
      workshop().artifacts.keepOnly(names, { attemptId: id, taskKey: KEY }, AbortSignal.timeout(5_000));
    if (fetched.outcome !== "published") throw new Error(`expected published, got ${fetched.outcome}`);
    await keepOnly(fetched.assets.map(({ name }) => name));
    expect(await left(id)).toEqual([`assets/${KEY}/${id}/output-0`]);
    await keepOnly([]);
    expect(await left(id)).toEqual([]);
    expect(await left(other.attempt.id)).toEqual([`assets/${KEY}/${other.attempt.id}/output-0`]);
  });
});

describe("E2: one global limit of streams", () => {
  test("never more downloads at a time than streams, and each is served", async () => {
    let open = 0;
    let most = 0;
    const counting: Respond = (_, response) => {
      most = Math.max(most, ++open);
      response.on("close", () => (open -= 1));
      setTimeout(() => response.writeHead(200, { "content-length": PNG.length }).end(PNG), 30);
    };
    const narrow = makeWorkshop({ accessTo: () => loopbackAccess([sender().port]), limits: { streams: 2 } });
    const orders = [0, 1].map(() => orderOf(Array.from({ length: 5 }, () => output(serve(counting)))));
    const outcomes = await Promise.all(orders.map((order) => fetchOnce(narrow, order)));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["published", "published"]);
    expect(most).toBe(2);
    await narrow.close();
  });

  test("who gets no stream in time is told so, and its deadline has not begun", async () => {
    const narrow = makeWorkshop({ accessTo: () => loopbackAccess([sender().port]), limits: { streams: 1 } });
    const ended = new AbortController();
    const first = fetchOnce(narrow, orderOf([output(serve(dripping(bigWave(1000), 100_000, 20)))]), 60, ended.signal);
    expect(await fetchOnce(narrow, orderOf([output(serve(sized(PNG)))]), 1)).toEqual(interrupted("no-free-stream"));
    ended.abort();
    expect(await first).toEqual(interrupted("aborted"));
    await narrow.close();
  });
});

describe("E3: a credential goes to its own origin alone", () => {
  test("also when that origin redirects elsewhere", async () => {
    const shown: (string | undefined)[] = [];
    const elsewhere = await startSender();
    const target = elsewhere.serve("/there", (request, response) => {
      shown.push(request.headers["x-api-key"]?.toString());
      sized(PNG)(request, response);
    });
    const url = serve((request, response) => {
      shown.push(request.headers["x-api-key"]?.toString());
      response.writeHead(302, { location: target }).end();
    });
    const credential = { origin: sender().origin, headers: { "x-api-key": "key-1" } };
    const guarded = makeWorkshop({ accessTo: () => loopbackAccess([sender().port, elsewhere.port], credential) });
    expect(await fetchOnce(guarded, orderOf([output(url)]))).toMatchObject({ outcome: "published" });
    expect(shown).toEqual(["key-1", undefined]);
    await guarded.close();
    await elsewhere.close();
  });
});
