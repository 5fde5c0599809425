import { once } from "node:events";
import type { AddressInfo, LookupFunction } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { NotSentFault } from "../../../operator/outbound/fault.ts";
import { openSocket, type ConnectPolicy, type Target } from "../../../operator/outbound/socket.ts";
import { makeCertificate, type Certificate } from "./certificate.ts";
import { startRawServer, type RawServer } from "./raw-server.ts";

const never = new AbortController().signal;
const policy: ConnectPolicy = { allowPrivateAddresses: true, connectMs: 5_000, tlsMs: 5_000 };
const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function listening(): Promise<RawServer> {
  const server = await startRawServer({});
  cleanUps.push(server.close);
  return server;
}

async function codeOf(target: Target, changes: Partial<ConnectPolicy> = {}, signal = never): Promise<string> {
  try {
    const socket = await openSocket(target, { ...policy, ...changes }, signal);
    socket.destroy();
    return "open";
  } catch (error) {
    if (error instanceof NotSentFault) return error.code;
    throw error;
  }
}

/** A name service that gives these addresses for every name. */
const naming =
  (...addresses: readonly string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const failing =
  (code: string): LookupFunction =>
  (_name, _options, callback) =>
    callback(Object.assign(new Error(code), { code }), []);

describe("opening a connection", () => {
  test("to a loopback address works where private addresses are allowed, and is refused before it is dialled where not", async () => {
    const { port, received } = await listening();
    expect(await codeOf({ hostname: "127.0.0.1", port, isSecure: false }, { allowPrivateAddresses: false })).toBe(
      "guard-address",
    );
    expect(received).toHaveLength(0);
    expect(await codeOf({ hostname: "127.0.0.1", port, isSecure: false })).toBe("open");
  });

  test.each([
    { when: "a name leads to a private address", lookup: naming("10.0.0.1"), code: "guard-address" },
    { when: "only one of its addresses is private", lookup: naming("8.8.8.8", "127.0.0.1"), code: "guard-address" },
    { when: "it is private in IPv6 clothes", lookup: naming("::ffff:7f00:1"), code: "guard-address" },
    { when: "a name leads nowhere", lookup: naming(), code: "guard-address" },
    { when: "a name does not exist", lookup: failing("ENOTFOUND"), code: "name-not-found" },
    { when: "the name service is out of order", lookup: failing("EAI_AGAIN"), code: "name-failed" },
  ])("is refused with $code when $when", async ({ lookup, code }) => {
    const { port, received } = await listening();
    const target = { hostname: "api.example", port, isSecure: false };
    expect(await codeOf(target, { allowPrivateAddresses: false, lookup })).toBe(code);
    expect(received).toHaveLength(0);
  });

  test("never reaches a metadata service, even where private addresses are allowed", async () => {
    const target = { hostname: "metadata.example", port: 80, isSecure: false };
    expect(await codeOf(target, { lookup: naming("169.254.169.254") })).toBe("guard-address");
    expect(await codeOf({ hostname: "169.254.169.254", port: 80, isSecure: false })).toBe("guard-address");
  });

  test("dials what was checked: the name is resolved once", async () => {
    const { port } = await listening();
    const answers = ["127.0.0.1", "169.254.169.254"];
    const lookup: LookupFunction = (name, options, callback) =>
      naming(answers.shift() ?? "169.254.169.254")(name, options, callback);
    expect(await codeOf({ hostname: "rebinding.example", port, isSecure: false }, { lookup })).toBe("open");
    expect(answers).toHaveLength(1);
  });

  test("to a closed port is connect-refused", async () => {
    const { port, close } = await startRawServer({});
    await close();
    expect(await codeOf({ hostname: "127.0.0.1", port, isSecure: false })).toBe("connect-refused");
  });

  test("that takes too long is connect-timeout", async () => {
    const silent: LookupFunction = () => undefined;
    expect(
      await codeOf({ hostname: "slow.example", port: 80, isSecure: false }, { lookup: silent, connectMs: 20 }),
    ).toBe("connect-timeout");
  });

  test("that is called off is aborted", async () => {
    const controller = new AbortController();
    const lookup: LookupFunction = () => controller.abort();
    expect(await codeOf({ hostname: "slow.example", port: 80, isSecure: false }, { lookup }, controller.signal)).toBe(
      "aborted",
    );
    expect(await codeOf({ hostname: "127.0.0.1", port: 9, isSecure: false }, {}, AbortSignal.abort())).toBe("aborted");
  });
});

describe("a TLS handshake", () => {
  const lookup = naming("127.0.0.1");

  async function secureServer({ certificate, key }: Certificate): Promise<number> {
    const server = createTlsServer({ cert: certificate, key }).on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanUps.push(async () => {
      server.close();
      await once(server, "close");
    });
    return (server.address() as AddressInfo).port;
  }

  test("succeeds with a trusted certificate for the host's name", async () => {
    const made = makeCertificate("api.example");
    const target = { hostname: "api.example", port: await secureServer(made), isSecure: true };
    expect(await codeOf(target, { lookup, certificateAuthorities: made.certificate })).toBe("open");
  });

  test.each([
    { when: "nobody trusts it", made: makeCertificate("api.example"), trusts: "other" },
    { when: "it is made out to another name", made: makeCertificate("other.example"), trusts: "it" },
    { when: "it has ended", made: makeCertificate("api.example", -1), trusts: "it" },
  ])("is tls-certificate when $when", async ({ made, trusts }) => {
    const target = { hostname: "api.example", port: await secureServer(made), isSecure: true };
    const certificateAuthorities = (trusts === "it" ? made : makeCertificate("api.example")).certificate;
    expect(await codeOf(target, { lookup, certificateAuthorities })).toBe("tls-certificate");
  });

  test("is held to its certificate whatever the environment says", async () => {
    const target = {
      hostname: "api.example",
      port: await secureServer(makeCertificate("api.example")),
      isSecure: true,
    };
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(await codeOf(target, { lookup })).toBe("tls-certificate");
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  test("with something that does not speak it is tls-failed", async () => {
    const server = await startRawServer({ onAccept: (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n") });
    cleanUps.push(server.close);
    expect(await codeOf({ hostname: "127.0.0.1", port: server.port, isSecure: true })).toBe("tls-failed");
  });

  test("that is cut off is tls-failed", async () => {
    const server = await startRawServer({ onAccept: (socket) => socket.resetAndDestroy() });
    cleanUps.push(server.close);
    expect(await codeOf({ hostname: "127.0.0.1", port: server.port, isSecure: true })).toMatch(
      /^(tls|connect)-failed$/,
    );
  });

  test("that is never answered is tls-timeout", async () => {
    const { port } = await listening();
    expect(await codeOf({ hostname: "127.0.0.1", port, isSecure: true }, { tlsMs: 20 })).toBe("tls-timeout");
  });
});
