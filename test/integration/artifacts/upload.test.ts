import { describe, expect, test } from "@jest/globals";
import { Interruption } from "../../../operator/artifacts/interruption.ts";
import { PART_BYTES } from "../../../operator/artifacts/store/transfer.ts";
import { bigWave } from "./big-wave.ts";
import { isCallOff, isCompletion, isPart, isPut, makeUploadFixture, never } from "./upload-fixture.ts";
import { forever } from "./workshop.ts";

const LARGE = bigWave(2 * PART_BYTES + 12_345);

const { workshop, lossy, left, uploads, begin, store } = makeUploadFixture();

describe("an upload that is abandoned", () => {
  test("while its sender is silent is called off at once, and nothing waits for the sender", async () => {
    const upload = begin("silent");
    await upload.write(LARGE.subarray(0, PART_BYTES + 2_000_000));
    await upload.abandon();
    expect(await workshop().uploads()).toEqual([]);
    expect(left()).toBe(0);
  });

  test("before a byte was written asks nothing of the store", async () => {
    await begin("nothing").abandon();
    expect(lossy().look()).toEqual([]);
  });

  test("while a part is on its way breaks that request off", async () => {
    const { reached, broken } = lossy().hold(isPart(1));
    const upload = begin("on-its-way");
    const writing = upload.write(LARGE.subarray(0, PART_BYTES + 2_000_000));
    writing.catch(() => undefined);
    await reached;
    await upload.abandon();
    await broken;
    await expect(writing).rejects.toMatchObject({ code: "not-needed" });
    expect(await workshop().uploads()).toEqual([]);
  });

  test("is called off once more when the first order to do so failed", async () => {
    lossy().refuse(isCallOff, 3); // as often as the SDK tries
    const upload = begin("twice");
    await upload.write(LARGE.subarray(0, PART_BYTES + 2_000_000));
    await upload.abandon();
    expect(lossy().look().filter(isCallOff)).toHaveLength(4);
    expect(await workshop().uploads()).toEqual([]);
    expect(left()).toBe(0);
  });

  test("at a store that does not answer is given up after two steps, and counted", async () => {
    const { reached } = lossy().hold(isCallOff);
    const upload = begin("no-answer", { stepMs: 100 });
    await upload.write(LARGE.subarray(0, PART_BYTES + 2_000_000));
    await upload.abandon();
    await reached;
    expect(left()).toBe(1);
    expect(await workshop().uploads()).toEqual(["no-answer"]);
    lossy().hold(never);
    const at = uploads();
    for await (const listed of at.list(workshop().store.prefix, forever)) await at.abort(listed, forever);
    expect(await workshop().uploads()).toEqual([]);
  });
});

describe("the signal of an upload", () => {
  test.each([
    { what: "a part", bytes: LARGE, which: isPart(2) },
    { what: "a completion", bytes: LARGE, which: isCompletion },
    { what: "a small object, which is not sent in parts", bytes: LARGE.subarray(0, 1_000), which: isPut },
  ])("breaks off $what, and nothing is left", async ({ what, bytes, which }) => {
    const key = `signal/${what.replaceAll(" ", "-")}`;
    const controller = new AbortController();
    const { reached, broken } = lossy().hold(which);
    const storing = store(key, bytes, { signal: controller.signal });
    storing.catch(() => undefined);
    await reached;
    controller.abort(new Interruption("deadline"));
    await expect(storing).rejects.toMatchObject({ code: "deadline" });
    await broken;
    expect(await workshop().uploads()).toEqual([]);
    expect(await workshop().keys()).not.toContain(key);
  });
});

describe("a store that fails", () => {
  test("ends the write that waits for it, and an upload that is gone is no failure to call it off", async () => {
    lossy().refuse(isPart(1), 100);
    const upload = begin("fails");
    await expect(upload.write(LARGE)).rejects.toMatchObject({ code: "store-busy" });
    await expect(upload.write(LARGE)).rejects.toMatchObject({ code: "store-busy" });
    await upload.abandon();
    expect(lossy().look().filter(isCallOff)).toHaveLength(2);
    expect(await workshop().uploads()).toEqual([]);
    expect(left()).toBe(0);
  });

  test("is named by what went wrong first, also when the upload can't be called off", async () => {
    lossy().refuse(isPart(1), 3);
    lossy().hold(isCallOff);
    const upload = begin("named", { stepMs: 100 });
    await expect(upload.write(LARGE)).rejects.toMatchObject({ code: "store-busy" });
    lossy().hold(never);
    await upload.abandon();
    expect(await workshop().uploads()).toEqual([]);
  });

  test("an answer that lacks the ETag of a part is an interruption", async () => {
    lossy().dropEtags(isPart(1));
    await expect(store("no-etag", LARGE)).rejects.toMatchObject({ code: "store-answer" });
    expect(await workshop().uploads()).toEqual([]);
  });
});
