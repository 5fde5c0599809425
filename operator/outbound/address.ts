// Which network addresses a connection may go to. Judges addresses only; names are judged by what they resolve to.
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** `private`: only where a provider allows it. `forbidden`: never, whatever anybody allows. */
export type AddressKind = "public" | "private" | "forbidden";

const PRIVATE_RANGES: ReadonlySet<string> = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

// Where clouds answer anybody who asks with credentials. The link-local ones are forbidden by their range.
const METADATA = [
  "168.63.129.16/32", // Azure; counts as public by its range
  "100.100.100.200/32", // Alibaba
  "192.0.0.192/32", // Oracle
  "fd00:ec2::/32", // AWS: instance metadata, name servers, pod identity
  "fd20:ce::/32", // Google
].map((range) => ipaddr.parseCIDR(range));

// Only these are handed out for use on the internet (RFC 4291); the deprecated IPv4-compatible ::/96 is not among them.
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3") as [ipaddr.IPv6, number];
// The NAT64 prefix that resolvers put before IPv4 addresses (RFC 6052).
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96") as [ipaddr.IPv6, number];

/** Judges an address in the form that sockets use. What is no address at all is forbidden. */
export function kindOf(address: string): AddressKind {
  if (isIP(address) === 0) return "forbidden";
  const parsed = unwrap(ipaddr.parse(address));
  if (METADATA.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match([network, bits])))
    return "forbidden";

  const range = parsed.range();
  if (PRIVATE_RANGES.has(range)) return "private";
  if (range !== "unicast") return "forbidden";
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST) ? "forbidden" : "public";
}

/** Whether a connection may go there. Metadata services and link-local addresses are out of reach under every policy. */
export function isReachable(address: string, allowPrivateAddresses: boolean): boolean {
  const kind = kindOf(address);
  return kind === "public" || (kind === "private" && allowPrivateAddresses);
}

// An IPv4 address in IPv6 clothes is judged as what it is.
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}
