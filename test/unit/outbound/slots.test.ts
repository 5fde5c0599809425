import { describe, expect, test } from "@jest/globals";
import { makeSlots } from "../../../operator/outbound/slots.ts";

const never = new AbortController().signal;

describe("slots", () => {
  test("let in as many as the limit says, the others in order", async () => {
    const slots = makeSlots(() => 2);
    const entered: number[] = [];
    const enter = async (nth: number): Promise<() => void> => {
      const release = await slots.take(never);
      entered.push(nth);
      return release;
    };
    const first = await enter(1);
    const second = await enter(2);
    const third = enter(3);
    const fourth = enter(4);
    expect([entered, slots.waiting()]).toEqual([[1, 2], 2]);

    second();
    second(); // giving back twice must not let in two
    await third;
    expect(entered).toEqual([1, 2, 3]);
    first();
    await fourth;
    expect([entered, slots.waiting()]).toEqual([[1, 2, 3, 4], 0]);
  });

  test("let in the most urgent who waits, and the longest wait among equals", async () => {
    const slots = makeSlots(() => 1);
    const release = await slots.take(never);
    const order: string[] = [];
    const taken = Object.entries({ late: 30, first: 10, second: 10, "at once": 0 }).map(async ([name, urgency]) => {
      const give = await slots.take(never, urgency);
      order.push(name);
      give();
    });
    release();
    await Promise.all(taken);
    expect(order).toEqual(["at once", "first", "second", "late"]);
  });

  test("give up the wait of a caller who left, and keep the turn of those behind", async () => {
    const slots = makeSlots(() => 1);
    const release = await slots.take(never);
    const controller = new AbortController();
    const leaving = slots.take(controller.signal);
    const staying = slots.take(never);
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    expect(slots.waiting()).toBe(1);
    release();
    expect(await staying).toBeDefined();
  });

  test("let nobody in whose signal is aborted already", async () => {
    await expect(makeSlots(() => 1).take(AbortSignal.abort(new Error("left")))).rejects.toThrow("left");
  });

  test("follow a limit that changes", async () => {
    let limit = 1;
    const slots = makeSlots(() => limit);
    const first = await slots.take(never);
    const second = slots.take(never);
    const third = slots.take(never);
    limit = 2;
    first();
    expect(await Promise.all([second, third])).toHaveLength(2);
  });

  test("never close altogether: a limit of nothing would wait for ever", async () => {
    expect(await makeSlots(() => 0).take(never)).toBeDefined();
  });

  test("refuse whoever comes when the line is full, instead of letting it grow", async () => {
    const slots = makeSlots(() => 1);
    const release = await slots.take(never);
    const leave = new AbortController();
    const waiting = Array.from({ length: 10_000 }, () => slots.take(leave.signal).catch(() => "left"));
    await expect(slots.take(never)).rejects.toThrow("cannot wait for a slot");
    release();
    expect(slots.waiting()).toBe(9_999);
    leave.abort();
    expect(new Set(await Promise.all(waiting.slice(1)))).toEqual(new Set(["left"]));
  });
});
