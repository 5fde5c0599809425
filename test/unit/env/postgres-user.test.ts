// As whom Postgres runs when everything else runs as root.
import { expect, test } from "@jest/globals";
import { unprivilegedUser } from "../../env/postgres-user.ts";

const ROOT = "root:x:0:0:root:/root:/bin/bash";
const NOBODY = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin";
const POSTGRES = "postgres:x:102:104::/var/lib/postgresql:/bin/bash";

test.each([
  { when: "postgres is preferred", passwd: [ROOT, NOBODY, POSTGRES], then: { uid: 102, gid: 104 } },
  { when: "nobody will do", passwd: [ROOT, NOBODY], then: { uid: 65534, gid: 65534 } },
  { when: "root under another name is no help", passwd: [ROOT, "postgres:x:0:0::/:"], then: undefined },
  { when: "a bare file has nobody", passwd: [""], then: undefined },
])("$when", ({ passwd, then }) => {
  expect(unprivilegedUser(passwd.join("\n"))).toEqual(then);
});
