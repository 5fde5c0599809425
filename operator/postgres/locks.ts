// The advisory locks, in one place, so that no two share a number. "genp" in the first half keeps them apart from other programs'.
const SPACE = "1734700912";

/** Of a migration: several at once wait for each other. */
export const MIGRATION_LOCK = `${SPACE}, 2`;
/** Whoever numbers a term of one shard holds it, as the last of its locks: it is never held for longer than a statement. */
export const NUMBERS_LOCK = `${SPACE}, 3`;
/** Whoever seals the chain tries it. */
export const SEAL_LOCK = `${SPACE}, 4`;

/**
 * Of a shard, which SQL names. Writers hold it shared until they end, a new term takes it alone. An advisory lock and not a lock on
 * the row: sharing one hot row among all writers would write to it each time, and a stream of writers could keep a new term waiting
 * for ever. The first has the number that it had when there was no other.
 */
export const shardLock = (shard: string): string => `${SPACE}, (case ${shard} when 0 then 1 else 100 + ${shard} end)`;
