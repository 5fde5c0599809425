// Which objects the leader misses when they are gone: the owners of live attempts, page by page.
import { expect, test } from "@jest/globals";
import { liveOwners } from "../../../operator/postgres/live-owners.ts";
import { NEVER, NOT_CREATED, wish } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { ownDesk } from "./own-desk.ts";

let desk: Desk;
ownDesk({ studio: 1_000_000n }, (opened) => ({ desk } = opened));

test("live attempts' owners come once each, in pages, parked ones too; ended attempts have none", async () => {
  const wishes = [wish(), wish(), wish(), wish(), wish()] as const;
  const [first, second, third, fourth, gone] = wishes;
  await desk.begun(first);
  await desk.sent(second);
  await desk.accepted(third);
  await desk.ready(fourth);
  await desk.books.park(second, { reason: "SubmitUnresolved", message: "m" });
  await desk.books.end(await desk.sent(gone), NOT_CREATED, []);

  const page = await liveOwners(desk.pool, "", 3, NEVER);
  const rest = await liveOwners(desk.pool, page.at(-1)?.key ?? "", 3, NEVER);
  expect(page).toHaveLength(3);
  const live = [first, second, third, fourth].map(({ key, name, namespace, uid }) => ({ key, name, namespace, uid }));
  expect([...page, ...rest]).toEqual(live.sort((one, other) => (one.key < other.key ? -1 : 1)));
});
