// A link that holds the whole state: packed into the part of the address behind #, which no browser sends anywhere.
import { control } from "./control_api.js";
import { confirmState } from "./forms.js";
import { tell } from "./store.js";

const MAX_LINK_CHARS = 100_000;
const MAX_STATE_BYTES = 8 << 20;

async function pass(bytes, stream, limit = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) throw new Error("the state is too large");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Pack a state into a link; nothing if it is too large for one. */
export async function makeLink(state) {
  const packed = await pass(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let start = 0; start < packed.length; start += 32768) text += String.fromCharCode(...packed.subarray(start, start + 32768));
  const link = `${location.origin}/#state=${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  return link.length > MAX_LINK_CHARS ? null : link;
}

async function readLink(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(raw, (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await pass(bytes, new DecompressionStream("deflate-raw"), MAX_STATE_BYTES)));
}

/** Offer the state of the address, if there is one. It is loaded only when a person says so. */
export async function offerLinkedState() {
  const found = /^#state=([\w-]+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname + location.search);
  let state = null;
  try {
    state = await readLink(found[1]);
  } catch {
    tell("The link holds no state that can be read.");
    return;
  }
  const count = (name) => (Array.isArray(state?.[name]) ? state[name].length : 0);
  confirmState(`${count("channels")} channels, ${count("users")} people, ${count("messages")} messages and ${count("faults")} faults`,
    async () => { if (await control("PUT", "state", state)) location.reload(); });
}
