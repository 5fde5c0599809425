import { describe, expect, test } from "@jest/globals";
import { makeSlots } from "../../../operator/providers/slots.ts";

const never = new AbortController().signal;

describe("slots", () => {
  test("let in as many as the limit says, the others in order", async () => {
    const slots = makeSlots(() => 2);
    const entered: number[] = [];
    const enter = async (nth: number): Promise<() => void> => {
      const release = await slots.take(never);
      entered.push(nth);
      if (!release) throw new Error("not let in");
      return release;
    };
    const first = await enter(1);
    const second = await enter(2);
    const third = enter(3);
    const fourth = enter(4);
    expect(entered).toEqual([1, 2]);

    second();
    second(); // giving back twice must not let in two
    await third;
    expect(entered).toEqual([1, 2, 3]);
    first();
    await fourth;
    expect(entered).toEqual([1, 2, 3, 4]);
  });

  test("give up the wait of a caller who left, and keep the turn of those behind", async () => {
    const slots = makeSlots(() => 1);
    const release = await slots.take(never);
    const controller = new AbortController();
    const leaving = slots.take(controller.signal);
    const staying = slots.take(never);
    controller.abort();
    expect(await leaving).toBeUndefined();
    release?.();
    expect(await staying).toBeDefined();
  });

  test("take nobody in whose signal is aborted already", async () => {
    expect(await makeSlots(() => 1).take(AbortSignal.abort())).toBeUndefined();
  });

  test("follow a limit that changes", async () => {
    let limit = 1;
    const slots = makeSlots(() => limit);
    const first = await slots.take(never);
    const second = slots.take(never);
    const third = slots.take(never);
    limit = 2;
    first?.();
    expect(await Promise.all([second, third])).toHaveLength(2);
  });

  test("never close altogether: a limit of nothing would wait for ever", async () => {
    expect(await makeSlots(() => 0).take(never)).toBeDefined();
  });
});
