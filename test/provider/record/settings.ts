// The provider's own settings, durable so that a restart goes on as before: config, schedule of faults, the key that signs output URLs.
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { Config, Schedule } from "../schema/config.ts";

export interface Settings {
  config(): Config;
  setConfig(config: Config): void;
  /** Uses up one of the connection resets that were asked for; false if there is none. */
  takeConnectionReset(): boolean;
  schedule(): Schedule;
  setSchedule(schedule: Schedule): void;
  urlKey(): string;
  /** Reads everything again after the record was cleared. */
  reload(): void;
}

export function makeSettings(db: DatabaseSync): Settings {
  const select = db.prepare("select value from settings where name = ?");
  const upsert = db.prepare(
    "insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value",
  );
  const read = (name: string): unknown => {
    const row = select.get(name) as { readonly value: string } | undefined;
    return row && (JSON.parse(row.value) as unknown);
  };
  const write = <T>(name: string, value: T): T => {
    upsert.run(name, JSON.stringify(value));
    return value;
  };
  const readAll = (): { config: Config; schedule: Schedule; urlKey: string } => ({
    config: Config.parse(read("config") ?? {}),
    schedule: Schedule.parse(read("schedule") ?? {}),
    urlKey: z.string().parse(read("urlKey") ?? write("urlKey", randomBytes(32).toString("hex"))),
  });

  let current = readAll();
  const setConfig = (config: Config): void => {
    current = { ...current, config: write("config", config) };
  };
  return {
    config: () => current.config,
    setConfig,
    takeConnectionReset: () => {
      const left = current.config.resetConnections;
      if (left > 0) setConfig({ ...current.config, resetConnections: left - 1 });
      return left > 0;
    },
    schedule: () => current.schedule,
    setSchedule: (schedule) => void (current = { ...current, schedule: write("schedule", schedule) }),
    urlKey: () => current.urlKey,
    reload: () => void (current = readAll()),
  };
}
