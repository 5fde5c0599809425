// Times in requests and settings: moments as ISO strings, waits as whole milliseconds.
import { z } from "zod";

const MAX_WAIT_MS = 24 * 3_600_000;

/** A wait in milliseconds, a day at most. */
export const WaitMs = z.number().int().min(0).max(MAX_WAIT_MS);

/** A moment as an ISO string with its offset, read as milliseconds since 1970. */
export const MomentMs = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
