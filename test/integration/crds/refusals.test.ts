// The real API server takes every sample and refuses every invalid example, with the message that says why.
import { describe, expect, test } from "@jest/globals";
import { sharedEnvironment } from "../../env/shared.ts";
import { documentFiles, expectedMessage, type KubernetesDocument } from "../../unit/crds/documents.ts";
import { acceptedObject, refusalOf } from "./api-server.ts";
import { useOwnNamespace } from "./own-namespace.ts";

const environment = sharedEnvironment();
const { server } = useOwnNamespace(environment);

describe("the API server takes", () => {
  test.each(documentFiles("samples"))("sample $name", async ({ documents: [document] }) => {
    expect(await server().create(document, { dryRun: true })).toMatchObject({ accepted: true });
  });
});

describe("the API server refuses", () => {
  const files = documentFiles("invalid");

  test.each(files.filter(({ documents }) => documents.length === 1))("$name", async (file) => {
    expect(refusalOf(await server().create(file.documents[0], { dryRun: true }))).toContain(expectedMessage(file));
  });

  test.each(files.filter(({ documents }) => documents.length === 2))("the change in $name", async (file) => {
    const [before, after] = file.documents as readonly [KubernetesDocument, KubernetesDocument];
    const object = acceptedObject(await server().create(before));
    try {
      expect(await server().tryChange(object, before.spec)).toMatchObject({ accepted: true });
      expect(refusalOf(await server().tryChange(object, after.spec))).toContain(expectedMessage(file));
    } finally {
      await server().remove(object);
    }
  });
});
