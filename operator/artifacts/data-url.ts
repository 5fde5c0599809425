// Outputs that come inside the provider's answer: `data:image/png;base64,…`.

export type DataUrl =
  { readonly outcome: "decoded"; readonly bytes: Buffer } | { readonly outcome: "refused"; readonly why: string };

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** The type that it declares is not looked at: what counts is what the bytes are. */
export function decodeDataUrl(url: string, maxBytes: number): DataUrl {
  const comma = url.indexOf(",");
  if (comma === -1 || comma > 256) return { outcome: "refused", why: "it is not a readable data URL" };
  if (!/;\s*base64\s*$/i.test(url.slice(0, comma))) {
    return { outcome: "refused", why: "it is a data URL that is not encoded as base64" };
  }
  if (((url.length - comma) * 3) / 4 > maxBytes + 4) {
    return { outcome: "refused", why: `it is a data URL of more than ${maxBytes} bytes` };
  }
  const text = url.slice(comma + 1);
  const bytes = BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
  return bytes ? { outcome: "decoded", bytes } : { outcome: "refused", why: "it is a data URL that is not base64" };
}
