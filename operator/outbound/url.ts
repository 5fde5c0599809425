// Which URLs may be asked at all, before any name is resolved: scheme, credentials in the URL, host and port.
import { NotSentFault } from "./fault.ts";

export interface UrlRules {
  readonly allowPlainHttp: boolean;
  /** `host`, `*.domain` (subdomains, any depth, not the domain itself), each with or without `:port`. Without: the default port. */
  readonly hosts: readonly string[];
}

/** Reads a URL and holds it to the rules. Throws a NotSentFault that names the rule, never the URL. */
export function readUrl(text: string, rules: UrlRules): URL {
  if (!URL.canParse(text)) throw new NotSentFault("guard-url", "the URL cannot be read");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new NotSentFault("guard-scheme", "only http and https are spoken");
  if (url.protocol === "http:" && !rules.allowPlainHttp)
    throw new NotSentFault("guard-scheme", "plain http is not allowed by spec.network.allowPlainHTTP");
  if (url.username !== "" || url.password !== "") throw new NotSentFault("guard-userinfo", "the URL holds credentials");
  if (!rules.hosts.some((pattern) => matchesHost(url, pattern)))
    throw new NotSentFault("guard-host", "its host or port is not in spec.outputs.hosts");
  return url;
}

/** Whether one entry of a host list covers this URL's host and port. */
export function matchesHost(url: URL, pattern: string): boolean {
  const [, name = "", port] = /^(.*?)(?::([0-9]{1,5}))?$/.exec(pattern.toLowerCase()) ?? [];
  return portOf(url) === (port === undefined ? defaultPortOf(url) : Number(port)) && matchesName(url.hostname, name);
}

function matchesName(hostname: string, pattern: string): boolean {
  const name = withoutDot(hostname.toLowerCase());
  const wanted = withoutDot(pattern);
  return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) && name.length >= wanted.length : name === wanted;
}

const withoutDot = (name: string): string => (name.endsWith(".") ? name.slice(0, -1) : name);

/** The port that a connection goes to, written or not. */
export function portOf(url: URL): number {
  return url.port === "" ? defaultPortOf(url) : Number(url.port);
}

const defaultPortOf = (url: URL): number => (url.protocol === "https:" ? 443 : 80);
