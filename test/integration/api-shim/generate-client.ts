// The types of a client, generated from the OpenAPI document. By hand: node generate-client.ts URL > openapi-types.ts
import openapiTS, { astToString } from "openapi-typescript";
import { format } from "prettier";
import { request } from "undici";

/** The text of openapi-types.ts for this document. */
export async function typesOf(document: string): Promise<string> {
  const text = astToString(await openapiTS(document, { defaultNonNullable: false }));
  // Nothing in the document makes these two.
  const used = text.replaceAll(/^export type (webhooks|\$defs) = .*;$/gm, "");
  return format(used, { parser: "typescript", printWidth: 120 });
}

const [, script, url] = process.argv;
if (script === import.meta.filename && url !== undefined) {
  const answer = await request(`${url}/openapi.json`);
  process.stdout.write(await typesOf(await answer.body.text()));
}
