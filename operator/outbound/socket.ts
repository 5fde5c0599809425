// Opens a connection to a host that a user named: checks literal addresses, checks every address that a name resolves to and
// dials only those, checks where it arrived, and limits the connect and the TLS handshake apart.
// Whatever fails in here is a NotSentFault: there was no connection yet that a request could have been written to.
import { lookup as resolve } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as secure } from "node:tls";
import { isReachable } from "./address.ts";
import { NotSentFault, type NotSentCode } from "./fault.ts";
import { makeLimit } from "./limit.ts";

export interface ConnectPolicy {
  /** Loopback and private networks too; metadata services and link-local addresses never. */
  readonly allowPrivateAddresses: boolean;
  /** For resolving the name and connecting. */
  readonly connectMs: number;
  readonly tlsMs: number;
  /** PEM, in place of the system's own; for providers with a certificate authority of their own. */
  readonly certificateAuthorities?: string | undefined;
  /** For tests of what names resolve to. */
  readonly lookup?: LookupFunction | undefined;
}

export interface Target {
  /** A name, or an address without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
}

/** A connection that is ready for the first byte of a request. Rejects with a NotSentFault, also when `signal` is aborted. */
export async function openSocket(target: Target, policy: ConnectPolicy, signal: AbortSignal): Promise<Socket> {
  if (isIP(target.hostname) !== 0) checkAddress(target.hostname, policy);
  const socket = await dial(target, policy, signal);
  try {
    checkArrival(socket, policy);
    return target.isSecure ? await shakeHands(socket, target, policy, signal) : socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function checkAddress(address: string, policy: ConnectPolicy): void {
  if (!isReachable(address, policy.allowPrivateAddresses))
    throw new NotSentFault("guard-address", "the address is private, local or reserved");
}

// Belt and braces: where the connection arrived is where it was meant to go. One that is gone already arrived nowhere.
function checkArrival(socket: Socket, policy: ConnectPolicy): void {
  if (socket.remoteAddress === undefined) throw new NotSentFault("connect-lost", "the connection ended at once");
  checkAddress(socket.remoteAddress, policy);
}

function dial(target: Target, policy: ConnectPolicy, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    host: target.hostname,
    port: target.port,
    lookup: guardedLookup(policy),
    autoSelectFamily: true,
    noDelay: true,
  });
  return established(socket, "connect", {
    signal,
    afterMs: policy.connectMs,
    late: new NotSentFault("connect-timeout", "no connection within spec.timeouts.connectSeconds"),
    judge: (error) => new NotSentFault(connectCode(error), "no connection to the host", error),
  });
}

function shakeHands(socket: Socket, target: Target, policy: ConnectPolicy, signal: AbortSignal): Promise<Socket> {
  const { hostname } = target;
  const encrypted = secure({
    socket,
    host: hostname, // what the certificate must be made out to
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ...(policy.certificateAuthorities !== undefined && { ca: policy.certificateAuthorities }),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true, // said out loud: the environment could else switch it off for the whole process
  });
  return established(encrypted, "secureConnect", {
    signal,
    afterMs: policy.tlsMs,
    late: new NotSentFault("tls-timeout", "no TLS handshake within spec.timeouts.connectSeconds"),
    judge: (error) => {
      // Set by a chain that is not trusted; a name that does not match comes after that, with a code of its own.
      const isUntrusted = Boolean(encrypted.authorizationError) || error.code === "ERR_TLS_CERT_ALTNAME_INVALID";
      return isUntrusted
        ? new NotSentFault("tls-certificate", "the host's certificate is not trusted", error)
        : new NotSentFault("tls-failed", "the TLS handshake failed", error);
    },
  });
}

interface Establishing {
  readonly signal: AbortSignal;
  readonly afterMs: number;
  readonly late: NotSentFault;
  readonly judge: (error: NodeJS.ErrnoException) => NotSentFault;
}

async function established(socket: Socket, event: string, how: Establishing): Promise<Socket> {
  // Stays: a connection may break in the moment between this promise and the next owner's listeners.
  socket.on("error", () => undefined);
  const limit = makeLimit(how.signal, how.afterMs, () => how.late);
  try {
    return await new Promise((done, fail) => {
      const stop = (): void => {
        const isLate = limit.signal.reason === how.late;
        fail(isLate ? how.late : new NotSentFault("aborted", "it was called off", limit.signal.reason));
      };
      if (limit.signal.aborted) stop();
      limit.signal.addEventListener("abort", stop, { once: true });
      socket.once(event, () => done(socket));
      socket.once("error", (error: NodeJS.ErrnoException) =>
        fail(error instanceof NotSentFault ? error : how.judge(error)),
      );
      socket.once("close", () => fail(how.judge(Object.assign(new Error("closed"), { code: "ECONNRESET" }))));
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    limit.clear();
  }
}

/** Resolves as the system does, and refuses the name when any of its addresses is out of bounds: what is checked is what is dialled. */
function guardedLookup(policy: ConnectPolicy): LookupFunction {
  const lookup = policy.lookup ?? resolve;
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error) {
        callback(error, found, family);
        return;
      }
      const addresses = typeof found === "string" ? [found] : found.map(({ address }) => address);
      const isFine =
        addresses.length > 0 && addresses.every((address) => isReachable(address, policy.allowPrivateAddresses));
      callback(isFine ? null : new NotSentFault("guard-address", "the name leads to a private address"), found, family);
    });
  };
}

function connectCode(error: NodeJS.ErrnoException): NotSentCode {
  const { code = "" } = error;
  if (code === "ENOTFOUND") return "name-not-found";
  if (code.startsWith("EAI_")) return "name-failed";
  if (code === "ECONNREFUSED") return "connect-refused";
  return code === "ETIMEDOUT" ? "connect-timeout" : "connect-failed";
}
