// Fields that more than one resource has, so that a name or an amount means the same everywhere.
import { z } from "zod";
import { CREDITS_PATTERN } from "./credits.ts";
import { matching } from "./rule.ts";

/** Names of our own objects become label values and parts of other names. */
export const MAX_NAME_LENGTH = 63;

const NAME_MESSAGE =
  "cannot use this name: write lower-case letters, digits, '-' and '.', a letter or digit at both ends";

/** The name of an object or of an entry in the operator's configuration. */
export function nameField(maxLength = 253): z.ZodString {
  return matching(z.string().min(1).max(maxLength), /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, NAME_MESSAGE);
}

/** Credits as people write them. */
export function creditsField(): z.ZodString {
  return matching(
    z.string().max(20),
    CREDITS_PATTERN,
    'cannot read these credits: write a decimal number with at most six places and no sign, such as "0.05"',
  ).describe("A decimal number of credits with at most six places.");
}

/** Whole seconds, at least one. */
export function secondsField(max: number): z.ZodInt {
  return z.int().min(1).max(max);
}

/** CEL, compiled by the operator. */
export function expression(): z.ZodString {
  return z.string().min(1).max(4096);
}

/** A Secret and the key in it. Which namespace is meant stands in the description of the field that holds it. */
export const SecretKeyRef = z.strictObject({
  name: nameField().describe("The Secret's name."),
  key: matching(
    z.string().min(1).max(253),
    /^[-._a-zA-Z0-9]+$/,
    "cannot use this key: the keys of a Secret are letters, digits, '-', '_' and '.'",
  ).describe("The key in the Secret's data."),
});
