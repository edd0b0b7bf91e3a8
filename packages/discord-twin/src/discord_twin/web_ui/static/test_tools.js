// Tools for testing a bot: let Discord fail, take a permission away, move time, share the state, see refused requests.
import { at, icon, make } from "./dom.js";
import { control, duration } from "./control_api.js";
import { drawRequest } from "./message_history.js";
import { makeLink } from "./state_link.js";
import { openPanel } from "./side_panel.js";
import { tell, world } from "./store.js";

const FAULTS = [
  ["429 bucket", "Rate limit of one bucket", { kind: "RATE_USER", seconds: 3 }],
  ["429 global", "Rate limit of the whole bot", { kind: "RATE_GLOBAL", seconds: 3 }],
  ["500", "Server error", { kind: "STATUS", status: 500 }],
  ["502 page", "Server error with a page instead of JSON", { kind: "HTML_STATUS", status: 502 }],
  ["Lost answer", "It is carried out, and the connection closes", { kind: "COMMIT_THEN_DROP_ACK" }],
  ["Late answer", "It is carried out, and the answer comes after 5 seconds", { kind: "ACK_DELAY", seconds: 5 }],
];
const ROUTES = [["a new message", undefined], ["an edit", ["messages.edit", "webhooks.message", "interactions.message"]], ["any request", []]];
const PERMISSIONS = {   // the number of the bit, by name
  SEND_MESSAGES: 11n, VIEW_CHANNEL: 10n, EMBED_LINKS: 14n, ATTACH_FILES: 15n, ADD_REACTIONS: 6n, READ_MESSAGE_HISTORY: 16n,
  MANAGE_MESSAGES: 13n, MANAGE_WEBHOOKS: 29n, USE_EXTERNAL_EMOJIS: 18n, SEND_MESSAGES_IN_THREADS: 38n,
  CREATE_PUBLIC_THREADS: 35n, PIN_MESSAGES: 51n,
};
const STEPS = [["1 min", 60], ["15 min", 900], ["1 h", 3600], ["1 day", 86400]];
const SPEEDS = [1, 10, 100];
const REFRESH_MS = 2000;
const SHOWN = 25;

const button = (label, title, onclick) => make("button", { type: "button", class: "button", title, onclick }, label);
const row = (label, ...inside) => make("div", { class: "tool-row", role: "group", "aria-label": label }, inside);
const choice = (label, entries) => make("select", { "aria-label": label }, entries.map(([words], index) => make("option", { value: index }, words)));

export function showTools() {
  const pending = make("p", { class: "subtext", role: "status" }), time = make("p", { class: "subtext", role: "status" });
  const taken = make("p", { class: "subtext", role: "status" }), requests = make("div", { class: "requests" });
  openPanel("Test tools", "Test tools", [
    make("h3", {}, "Let the next request fail"), drawFaults(pending), pending,
    make("h3", {}, "Connection"), drawConnection(),
    make("h3", {}, "Permissions of the bot here"), drawPermissions(taken), taken,
    make("h3", {}, "Time"), drawTime(time), time,
    make("h3", {}, "State"), drawState(),
    make("h3", {}, "Newest requests"), requests,
  ], () => clearInterval(timer));
  readRevoked(taken);
  const refresh = async () => {
    if (document.hidden) return;
    await Promise.all([readFaults(pending), readTime(time), readRequests(requests)]);
  };
  const timer = setInterval(refresh, REFRESH_MS);
  refresh();
}

// Faults

function drawFaults(pending) {
  const where = choice("Which request", ROUTES);
  const add = async (fault) => {
    const routes = ROUTES[+where.value][1];
    if (await control("POST", "faults", routes ? { ...fault, routes } : fault)) readFaults(pending);
  };
  return [row("Which request", make("label", {}, "Of ", where)), row("Faults", FAULTS.map(([label, about, fault]) => button(label, about, () => add(fault))),
    button("Forget all", "No fault is to come", async () => { if (await control("DELETE", "faults")) readFaults(pending); }))];
}

async function readFaults(line) {
  const faults = await control("GET", "faults");
  if (!faults) return;
  const kinds = faults.pending.map((one) => one.about);
  setText(line, kinds.length ? `To come: ${kinds.join("; ")}.` : "No fault is to come.");
}

/** A line that says the same is left alone: a screen reader would read it again. */
function setText(line, words) { if (line.textContent !== words) line.textContent = words; }

function drawConnection() {
  const gateway = (label, about, body) => button(label, about, async () => {
    const done = await control("POST", "gateway", body);
    if (done) tell(done.connections ? `${label}: ${done.connections} connected.` : "No bot is connected.");
  });
  const outage = (seconds) => button(`Outage ${seconds} s`, "Nothing answers, this page neither", async () => {
    if (await control("POST", "outage", { seconds })) tell(`Nothing answers for ${seconds} seconds.`);
  });
  return row("Connection", gateway("Drop the gateway", "It closes with 4000, the bot resumes", { do: "drop" }),
    gateway("Break the gateway", "Without a close code", { do: "abort" }),
    gateway("New session", "Op 9: the bot must identify again", { do: "invalidate" }), outage(5), outage(30));
}

// Permissions

const spoken = (name) => name.replaceAll("_", " ").toLowerCase();

function drawPermissions(line) {
  const names = Object.keys(PERMISSIONS), which = choice("Permission", names.map((one) => [spoken(one)]));
  const set = async (deny) => {
    if (await control("POST", "permissions", { channel: world.here, deny })) readRevoked(line);
  };
  return row("Permissions", which,
    button("Revoke", "From the bot, in this channel", async () => set([...await findRevoked(), names[+which.value]])),
    button("Give all back", "To the bot, in this channel", () => set([])));
}

/** The permissions that this channel denies the first bot. */
async function findRevoked() {
  const [twin, guilds] = await Promise.all([control("GET", ""), control("GET", "guilds")]);
  const channel = guilds?.guilds.flatMap((one) => one.channels).find((one) => one.id === world.here);
  const own = channel?.permission_overwrites?.find((one) => one.id === twin.bots[0].id);
  const bits = BigInt(own?.deny ?? 0);
  return Object.keys(PERMISSIONS).filter((name) => bits >> PERMISSIONS[name] & 1n);
}

async function readRevoked(line) {
  const names = (await findRevoked()).map(spoken);
  setText(line, names.length ? `Revoked: ${names.join(", ")}.` : "Nothing is revoked.");
}

// Time

function drawTime(line) {
  const change = async (body) => { if (await control("POST", "clock", body)) readTime(line); };
  return [row("Move time forward", STEPS.map(([label, seconds]) => button(`+ ${label}`, `Time moves ${label} forward`, () => change({ advance: seconds })))),
    row("Speed", SPEEDS.map((speed) => button(`${speed} ×`, `Time runs ${speed} times as fast`, () => change({ speed }))))];
}

async function readTime(line) {
  const clock = await control("GET", "clock");
  if (!clock) return;
  const moved = clock.advanced ? `moved forward by ${duration(clock.advanced)}` : "real time";
  const fast = clock.speed === 1 ? "" : ` and runs ${clock.speed} times as fast`;
  setText(line, clock.speed === null ? "The clock of this twin cannot be changed." : `Time is ${moved}${fast}.`);
}

// State

function drawState() {
  const copy = async () => {
    const state = await control("GET", "state"), link = state && await makeLink(state);
    if (!state) return;
    if (!link) return tell("The state is too large for a link. Use discord-twin --state FILE.");
    try {
      await navigator.clipboard.writeText(link);
      tell("Copied. The link opens this state on any local Discord with the same address.");
    } catch {
      at("state-link").value = link;
      at("state-link").hidden = false;
      at("state-link").select();
    }
    return undefined;
  };
  const restart = async () => { if (await control("POST", "reset")) location.reload(); };
  return [row("State", button("Copy a link", "Channels, people, messages, options and faults", copy),
    button("Start over", "Messages and all that was added go; bots stay", restart)),
  make("input", { id: "state-link", "aria-label": "Link to this state", readonly: true, hidden: true })];
}

// Requests

async function readRequests(box) {
  const found = await control("GET", `requests?limit=${SHOWN}`);
  if (!found) return;
  const last = found.requests.at(-1)?.number ?? 0;
  if (box.dataset.last === String(last)) return;   // what someone has opened stays open
  box.dataset.last = last;
  box.replaceChildren(...(found.requests.length ? found.requests.reverse().map(drawRequest) : [make("p", { class: "subtext" }, "No bot has asked for anything.")]));
}

at("show-tools").append(icon("tools"));
at("show-tools").addEventListener("click", showTools);
