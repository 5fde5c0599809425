import { expect, test } from "@jest/globals";
import { alternate } from "../../bench/alternate.ts";

const options = { rounds: 3, signal: new AbortController().signal, say: () => undefined };

test("every contestant runs once a round, in turned order, and its values are in the order of the rounds", async () => {
  const order: string[] = [];
  const contestant = (name: string) => ({
    name,
    run: (round: number) => {
      order.push(`${name}${round}`);
      return Promise.resolve(`${name}${round}`);
    },
  });
  const measured = await alternate([contestant("a"), contestant("b"), contestant("c")], options);
  expect(order).toEqual(["a0", "b0", "c0", "c1", "b1", "a1", "a2", "b2", "c2"]);
  expect([...measured]).toEqual([
    ["a", ["a0", "a1", "a2"]],
    ["b", ["b0", "b1", "b2"]],
    ["c", ["c0", "c1", "c2"]],
  ]);
});

test("after an abort nobody runs any more", async () => {
  const interrupted = new AbortController();
  let runs = 0;
  const run = () => {
    runs += 1;
    interrupted.abort(new Error("interrupted"));
    return Promise.resolve(0);
  };
  await expect(alternate([{ name: "a", run }], { ...options, signal: interrupted.signal })).rejects.toThrow(
    "interrupted",
  );
  expect(runs).toBe(1);
});
