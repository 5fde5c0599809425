// What may be written only for a time: asked at the wire, for every try.
import { describe, expect, test } from "@jest/globals";
import { orAborted } from "../../../operator/runtime/clock.ts";
import { TermOver } from "../../../operator/runtime/errors.ts";
import type { KubeObject, ResourceKind } from "../../../operator/runtime/objects.ts";
import { makeResource, type Resource } from "../../../operator/runtime/resources.ts";
import { answer, failure } from "./scripted-server.ts";
import { faultOf, never, start } from "./with-server.ts";

const WIDGETS: ResourceKind = { group: "example.dev", version: "v1", plural: "widgets", namespaced: true };
const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "w", namespace: "studio" } };
const options = { signal: never };

describe("when the term is over", () => {
  const writes: readonly { what: string; write: (widgets: Resource<KubeObject>) => Promise<unknown> }[] = [
    { what: "create", write: (widgets) => widgets.create(widget, options) },
    { what: "replace", write: (widgets) => widgets.replace(widget, options) },
    { what: "replaceStatus", write: (widgets) => widgets.replaceStatus(widget, options) },
    { what: "patch", write: (widgets) => widgets.patch("studio/w", {}, options) },
    { what: "patchStatus", write: (widgets) => widgets.patchStatus("studio/w", {}, options) },
    { what: "jsonPatch", write: (widgets) => widgets.jsonPatch("studio/w", [], options) },
    { what: "apply", write: (widgets) => widgets.apply(widget, { ...options, fieldManager: "us" }) },
    { what: "applyStatus", write: (widgets) => widgets.applyStatus(widget, { ...options, fieldManager: "us" }) },
    { what: "remove", write: (widgets) => widgets.remove("studio/w", options) },
  ];

  test.each(writes)("$what sends nothing, and is asked for its key", async ({ write }) => {
    const asked: string[] = [];
    const { server, transport } = await start(() => answer(widget));
    const widgets = makeResource(transport, WIDGETS, (key) => {
      asked.push(key);
      return false;
    });
    expect(await faultOf(write(widgets))).toBeInstanceOf(TermOver);
    expect([server.asked.length, asked]).toEqual([0, ["studio/w"]]);
  });

  test("reading goes on", async () => {
    const { server, transport } = await start(() => answer(widget));
    expect(await makeResource(transport, WIDGETS, () => false).get("studio/w", options)).toEqual(widget);
    expect(server.asked).toHaveLength(1);
  });

  test("a write that the server had put off is not tried again", async () => {
    let isOver = false;
    const { server, transport } = await start(() => {
      isOver = true;
      return failure(429, "TooManyRequests");
    });
    const widgets = makeResource(transport, WIDGETS, () => !isOver);
    expect(await faultOf(widgets.patch("studio/w", {}, options))).toBeInstanceOf(TermOver);
    expect(server.asked).toHaveLength(1);
  });
});

test("a fault that comes after its caller has given up is nobody's, and ends no process", async () => {
  const late = Promise.withResolvers<never>();
  const given = AbortSignal.abort(new Error("given up"));
  await expect(orAborted(late.promise, given)).rejects.toThrow("given up");
  late.reject(new Error("the transport is closed"));
  // By now Node has ended the process for a rejection that nobody has heard.
  await new Promise(setImmediate);
});
