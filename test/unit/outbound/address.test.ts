import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isReachable, kindOf } from "../../../operator/outbound/address.ts";

const PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::200e", "::ffff:8.8.8.8", "64:ff9b::808:808"];

const PRIVATE = [
  "127.0.0.1",
  "127.255.255.254",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "100.64.0.1",
  "::1",
  "fd12:3456::1",
  "fc00::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
];

const FORBIDDEN = [
  ["the metadata service of most clouds", "169.254.169.254"],
  ["the same, mapped into IPv6", "::ffff:169.254.169.254"],
  ["the same, mapped in hexadecimal", "::ffff:a9fe:a9fe"],
  ["the same, behind NAT64", "64:ff9b::a9fe:a9fe"],
  ["credentials of container tasks", "169.254.170.2"],
  ["Azure's wire server, public by its range", "168.63.129.16"],
  ["Azure's wire server, mapped", "::ffff:168.63.129.16"],
  ["Azure's wire server, behind NAT64", "64:ff9b::a83f:8110"],
  ["Alibaba's metadata service, carrier-grade NAT by its range", "100.100.100.200"],
  ["Oracle's metadata service", "192.0.0.192"],
  ["AWS' metadata service over IPv6", "fd00:ec2::254"],
  ["AWS' pod identity over IPv6", "fd00:ec2::23"],
  ["Google's metadata service over IPv6", "fd20:ce::254"],
  ["link-local IPv6", "fe80::1"],
  ["link-local IPv6 with a zone", "fe80::1%lo"],
  ["this host, which connects to loopback", "0.0.0.0"],
  ["unspecified IPv6", "::"],
  ["multicast", "224.0.0.1"],
  ["IPv6 multicast", "ff02::1"],
  ["broadcast", "255.255.255.255"],
  ["reserved", "240.0.0.1"],
  ["benchmarks", "198.18.0.1"],
  ["IPv4-compatible IPv6 in hexadecimal", "::7f00:2"],
  ["6to4 around loopback", "2002:7f00:1::"],
  ["Teredo", "2001:0:1::1"],
  ["NAT64 with a local prefix", "64:ff9b:1::7f00:1"],
  ["translated IPv4", "::ffff:0:127.0.0.1"],
  ["site-local", "fec0::1"],
  ["documentation", "2001:db8::1"],
  ["the discard prefix", "100::1"],
  ["segment routing", "5f00::1"],
  ["an address that nobody has been given", "4000::1"],
  ["a name", "localhost"],
  ["a short form that is no address", "127.1"],
  ["a number", "2130706433"],
  ["nothing", ""],
] as const;

describe("an address", () => {
  test.each(PUBLIC)("%s is public", (address) => {
    expect(kindOf(address)).toBe("public");
    expect(isReachable(address, false)).toBe(true);
  });

  test.each(PRIVATE)("%s is private: reachable only where a provider allows it", (address) => {
    expect(kindOf(address)).toBe("private");
    expect(isReachable(address, false)).toBe(false);
    expect(isReachable(address, true)).toBe(true);
  });

  test.each(FORBIDDEN)("of %s (%s) is out of reach under every policy", (_what, address) => {
    expect(kindOf(address)).toBe("forbidden");
    expect(isReachable(address, true)).toBe(false);
  });

  test("in IPv6 clothes is judged like the IPv4 address inside", () => {
    fc.assert(
      fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), (parts) => {
        const dotted = parts.join(".");
        const [a, b, c, d] = parts.map((part) => part.toString(16).padStart(2, "0"));
        expect(kindOf(`::ffff:${a}${b}:${c}${d}`)).toBe(kindOf(dotted));
        expect(kindOf(`64:ff9b::${a}${b}:${c}${d}`)).toBe(kindOf(dotted));
      }),
    );
  });
});
