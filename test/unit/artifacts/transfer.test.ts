import type { S3Client } from "@aws-sdk/client-s3";
import { describe, expect, test } from "@jest/globals";
import { Interruption } from "../../../operator/artifacts/interruption.ts";
import type { StoreClient } from "../../../operator/artifacts/store/client.ts";
import { PART_BYTES, beginTransfer } from "../../../operator/artifacts/store/transfer.ts";

type Route = Parameters<StoreClient["sender"]>[0];
type Command = Parameters<Route>[0];

/** A client of the SDK that answers so. */
function clientOf(answer: (command: Command, route: Route) => Promise<unknown>): StoreClient {
  const config = { requestChecksumCalculation: () => Promise.resolve("WHEN_REQUIRED") };
  return {
    ...{ bucket: "harbour", hasChecksums: false, close: () => undefined },
    call: () => Promise.reject(new Error("not used here")),
    sender: (route) => ({ config, send: (command: Command) => answer(command, route) }) as unknown as S3Client,
  };
}

describe("a transfer that is cut", () => {
  test("frees its writer and ends in time, also when the request on its way heeds no signal", async () => {
    const asked = Promise.withResolvers<undefined>();
    const client = clientOf(() => {
      asked.resolve(undefined); // like an SDK that waits for credentials
      return new Promise(() => undefined);
    });
    const transfer = beginTransfer({ client, key: "k", signal: new AbortController().signal, stepMs: 20 });
    const writing = transfer.write(Buffer.alloc(2 * PART_BYTES));
    writing.catch(() => undefined);
    await asked.promise;
    await transfer.cut();
    await expect(writing).rejects.toMatchObject({ code: "not-needed" });
  });

  test("while it is being created waits for the id, calls that off, and sends no part", async () => {
    const asked = Promise.withResolvers<undefined>();
    const created = Promise.withResolvers<unknown>();
    const sent: string[] = [];
    const client = clientOf((command, route) =>
      route(command, (signal) => {
        signal.throwIfAborted();
        sent.push(command.constructor.name);
        asked.resolve(undefined);
        const broken = new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error)),
        );
        return Promise.race([sent.length === 1 ? created.promise : Promise.resolve({}), broken]);
      }),
    );
    const controller = new AbortController();
    const transfer = beginTransfer({ client, key: "k", signal: controller.signal, stepMs: 600_000 });
    const writing = transfer.write(Buffer.alloc(2 * PART_BYTES));
    writing.catch(() => undefined);
    await asked.promise;
    controller.abort(new Interruption("deadline"));
    await expect(writing).rejects.toMatchObject({ code: "deadline" });
    const cutting = transfer.cut();
    setImmediate(created.resolve, { UploadId: "u" });
    await cutting;
    expect(transfer.uploadId()).toBe("u");
    expect(sent).toEqual(["CreateMultipartUploadCommand", "AbortMultipartUploadCommand"]);
  });
});
