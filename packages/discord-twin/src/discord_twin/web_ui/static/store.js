// What this page knows, and how it talks to the twin: news come over one stream, acts go out one by one.
import { at, make } from "./dom.js";

export const world = {
  me: null, server: "", channels: [], people: [], roles: [], emoji: [], window: 420, explains: false, tools: false,
  here: "",             // the id of the channel that is shown
  rooms: new Map(),     // channel id -> { messages: Map(id -> message), more }, for channels that were opened
  commands: new Map(),  // channel id -> the commands that can be used there
};

export const here = () => world.channels.find((one) => one.id === world.here);
export const channelOf = (id) => world.channels.find((one) => one.id === id);
export const room = (id = world.here) => world.rooms.get(id);

const who = () => new URLSearchParams(location.search).get("as") ?? "";

function address(path, given = {}) {
  const query = new URLSearchParams({ ...given, as: world.me?.id ?? who() });
  return `/page/${path}?${query}`;
}

/** Ask the twin for something; `null` if it is away or says no. */
export async function ask(path, given) {
  try {
    const answer = await fetch(address(path, given));
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

/** Do something. Returns what comes of it, `{}` if nothing does, and `null` if it was refused: then a line says why. */
export async function act(name, given, quietly = false) {
  try {
    const answer = await fetch(address(name), { method: "POST", body: JSON.stringify(given) });
    const said = answer.status === 200 ? await answer.json() : {};
    if (answer.ok && !said.refused) return said;
    if (!quietly) tell(said.refused ?? await answer.text());
  } catch {
    if (!quietly) tell("The twin is away. Nothing was sent.");
  }
  return null;
}

let hush = 0;

/** Say a line to the person, for a few seconds. */
export function tell(words) {
  at("state").textContent = words;
  at("state").hidden = false;
  clearTimeout(hush);
  hush = setTimeout(() => { at("state").hidden = true; }, 6000);
}

// The stream

let events = null, again = 0;

/** Listen to the twin; a stream that breaks is opened again until it holds. */
export function connect(take) {
  clearTimeout(again);
  events?.close();
  events = new EventSource(address("events", { channel: world.here }));
  events.onopen = () => { document.body.dataset.link = "live"; };
  events.onmessage = (event) => {
    const news = JSON.parse(event.data);
    if (news.kind === "all") at("state").hidden = true;
    take(news);
  };
  events.onerror = () => {
    document.body.dataset.link = "away";
    events.close();
    clearTimeout(hush);
    at("state").textContent = "The twin is away. Trying again …";
    at("state").hidden = false;
    again = setTimeout(() => connect(take), 1000);
  };
}

/** Become another person: the same page, with another `as`. */
export function become(id) {
  const url = new URL(location.href);
  url.searchParams.set("as", id);
  history.replaceState(null, "", url);
}

/** What someone's phone shows. */
export function ring(message, place) {
  const words = message.raw || message.files.map((file) => file.name).join(", ");
  const card = make("p", { class: "push" }, make("b", {}, `${message.author.name} · ${place}`), ` ${words.slice(0, 140)}`);
  at("phone").append(card);
  while (at("phone").children.length > 3) at("phone").firstChild.remove();
  setTimeout(() => card.remove(), 5000);
}

/** The commands that can be used in a channel; asked for again each time, since bots come and go. */
export async function commandsOf(channel = world.here) {
  const answer = await ask("commands", { channel });
  if (answer) world.commands.set(channel, answer.commands);
  return world.commands.get(channel) ?? [];
}
