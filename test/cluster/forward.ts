// Carries connections from one address to another: `node forward.ts FROM TO`, each a path of a socket or host:port. A socket in
// the file system is the door between the machine's network and ours, which otherwise know nothing of each other.
import { createConnection, createServer, type NetConnectOpts } from "node:net";
import { pipeline } from "node:stream";

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) throw new Error("usage: node forward.ts FROM TO");
const target = addressOf(to);

createServer({ allowHalfOpen: true }, (near) => {
  const far = createConnection({ ...target, allowHalfOpen: true });
  // Either end may go at any moment; pipeline then ends the other.
  pipeline(near, far, () => undefined);
  pipeline(far, near, () => undefined);
}).listen(addressOf(from));

function addressOf(text: string): NetConnectOpts {
  if (text.startsWith("/")) return { path: text };
  const [host = "", port = ""] = text.split(":");
  return { host, port: Number(port) };
}
