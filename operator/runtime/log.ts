// What the runtime tells its user. Events with fields, no sentences; never a body, a query or a credential.

export type Level = "debug" | "info" | "warn" | "error";

export type Log = (level: Level, event: string, fields?: Readonly<Record<string, unknown>>) => void;

export const silent: Log = () => undefined;
