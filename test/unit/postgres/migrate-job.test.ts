// The migration job's settings: all problems in one message, and no value in it.
import { expect, test } from "@jest/globals";
import { readMigrateConfig } from "../../../operator/postgres/migrate-job.ts";

test("reads the URL, and what is optional", () => {
  expect(
    readMigrateConfig({
      MIGRATE_DATABASE_URL: "postgresql://owner@db/genop",
      MIGRATE_DATABASE_PASSWORD: "p",
      MIGRATE_APP_LOGIN: "genop",
      MIGRATE_READER_LOGIN: "auditor",
      MIGRATE_CRDS: "true",
      PATH: "/bin",
    }),
  ).toEqual({
    url: "postgresql://owner@db/genop",
    password: "p",
    members: [
      { group: "genop_app", login: "genop" },
      { group: "genop_reader", login: "auditor" },
    ],
    withDefinitions: true,
  });
  expect(readMigrateConfig({ MIGRATE_DATABASE_URL: "postgres://db/genop" })).toEqual({
    url: "postgres://db/genop",
    members: [],
    withDefinitions: false,
  });
});

test.each([
  { when: "the URL is missing", env: {}, says: /MIGRATE_DATABASE_URL/ },
  {
    when: "the URL is of something else",
    env: { MIGRATE_DATABASE_URL: "mysql://secret@db" },
    says: /MIGRATE_DATABASE_URL/,
  },
  {
    when: "two things are wrong",
    env: { MIGRATE_DATABASE_URL: "secret", MIGRATE_APP_LOGIN: 'secret"; drop' },
    says: /MIGRATE_DATABASE_URL[^]*MIGRATE_APP_LOGIN/,
  },
  {
    when: "a login is none",
    env: { MIGRATE_DATABASE_URL: "postgres://db/genop", MIGRATE_RECEIVER_LOGIN: "", MIGRATE_READER_LOGIN: "a secret" },
    says: /MIGRATE_RECEIVER_LOGIN[^]*MIGRATE_READER_LOGIN/,
  },
])("refuses when $when, without repeating a value", ({ env, says }) => {
  expect(() => readMigrateConfig(env)).toThrow(says);
  expect(() => readMigrateConfig(env)).not.toThrow(/secret/);
});
