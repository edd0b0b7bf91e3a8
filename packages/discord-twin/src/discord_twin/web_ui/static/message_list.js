// The messages of the channel that is shown: in order, in blocks, at the end unless someone reads further up.
import { at, day, icon, isOlder, make } from "./dom.js";
import { drawMark, drawMessage } from "./message.js";
import { openMessageMenu, openReactions } from "./menus.js";
import { showWhy } from "./explain_message.js";
import { showHistory } from "./message_history.js";
import { act, ask, here, room, world } from "./store.js";

const box = at("messages"), rows = at("rows");
let stuck = true, missed = 0, loading = false, newFrom = "";
const on = { go, open: () => {}, dismiss, react: openReactions };

/** What happens when someone opens a thread from here. */
export const whenOpened = (open) => { on.open = open; };

// Drawing

/** Draw the channel again, at its end. */
export function drawLog(unread = 0) {
  const messages = [...(room()?.messages.values() ?? [])];
  newFrom = unread && unread <= messages.length ? messages[messages.length - unread].id : "";
  rows.replaceChildren(...(room()?.more ? [] : [drawBeginning()]), ...drawRows(messages));
  missed = 0;
  toEnd();
}

function drawBeginning() {
  const place = here();
  if (!place) return make("p", { class: "beginning" }, "There is no channel yet.");
  const name = place.kind === "direct" ? place.name : `#${place.name}`;
  return make("div", { class: "beginning" }, make("h3", {}, place.kind === "direct" ? name : `Welcome to ${name}`),
    make("p", {}, place.kind === "direct" ? "Only the two of you see this." : place.topic || "This is where it begins."),
    place.suggestions.length && place.can_write ? drawSuggestions(place) : null);
}

/** Messages to try, each a button that sends it. */
function drawSuggestions(place) {
  return make("div", { class: "row", role: "group", "aria-label": "Messages to try" }, place.suggestions.map((text) =>
    make("button", { type: "button", class: "button", onclick: () => { toEnd(); act("say", { channel: place.id, text }); } }, text)));
}

function drawRows(messages, before) {
  return messages.flatMap((message, index) => {
    const last = messages[index - 1] ?? before;
    return [...drawDividers(last, message), drawMessage(message, isFirst(last, message), on)];
  });
}

function drawDividers(last, message) {
  const dividers = [];
  if (!last || day(last.at) !== day(message.at)) dividers.push(make("p", { class: "divider" }, make("span", {}, day(message.at))));
  if (message.id === newFrom) dividers.push(make("p", { class: "divider new" }, make("span", {}, "New")));
  return dividers;
}

/** Messages of one name that follow each other closely are one block. */
function isFirst(last, message) {
  if (!last || last.system || message.system || !message.plain || message.id === newFrom) return true;
  const same = last.author.id === message.author.id && last.author.name === message.author.name;
  return !same || last.only_you !== message.only_you || message.at - last.at >= world.window * 1000;
}

const rowOf = (id) => at(`m-${id}`);

function neighbours(id) {
  const all = [...room().messages.values()], index = all.findIndex((one) => one.id === id);
  return [all[index - 1], all[index], all[index + 1]];
}

/** Draw one message where it stands, and the one after it if that stands first now, or no longer. */
function redraw(id) {
  const [last, message, next] = neighbours(id);
  const old = rowOf(id), drawn = message && drawMessage(message, isFirst(last, message), on);
  if (old && drawn) swap(old, drawn);
  else if (drawn) rows.append(...drawDividers(last, message), drawn);
  if (next && rowOf(next.id)) {
    const isNow = rowOf(next.id).classList.contains("first");
    if (isNow !== isFirst(message ?? last, next)) swap(rowOf(next.id), drawMessage(next, !isNow, on));
  }
}

/** Someone who uses the keyboard keeps their place. */
function swap(old, drawn) {
  const focused = old.contains(document.activeElement);
  old.replaceWith(drawn);
  if (focused) drawn.focus({ preventScroll: true });
}

// News

/** A message is new or has changed. */
export function put(message) {
  const place = room(message.channel);
  if (!place) return;
  const known = place.messages.get(message.id);
  if (!known && place.messages.size && isOlder(message.id, place.messages.keys().next().value) < 0) return;
  place.messages.set(message.id, { ...message, mark: message.mark ?? known?.mark ?? "" });
  if (message.channel !== world.here) return;
  redraw(message.id);
  if (known) return;
  rowOf(message.id)?.classList.add("arrives");
  if (!message.mine && message.system === "") {
    const words = message.raw || (message.files.length ? "sent a file" : "");
    at("said").textContent = `${message.author.name}: ${words.slice(0, 300)}`;
  }
  missed += 1;
  follow();
}

/** A message is gone; who answered it sees that. */
export function drop(channel, id) {
  const messages = room(channel)?.messages;
  if (!messages?.has(id)) return;
  const next = channel === world.here ? neighbours(id)[2] : null;
  messages.delete(id);
  for (const one of messages.values())
    if (one.reply?.id === id) { one.reply = { gone: true }; if (channel === world.here) redraw(one.id); }
  if (channel !== world.here) return;
  const row = rowOf(id), focused = row?.contains(document.activeElement);
  row?.remove();
  if (focused) at("text").focus();
  if (next) redraw(next.id);
}

/** What a phone did at a message. */
export function mark(channel, id, what) {
  const message = room(channel)?.messages.get(id);
  if (!message) return;
  message.mark = what;
  if (channel === world.here && what) rowOf(id)?.append(drawMark(what));
}

function dismiss(message) {
  drop(message.channel, message.id);
  at("text").focus();
}

// Scrolling

export function toEnd() {
  stuck = true;
  missed = 0;
  box.scrollTop = box.scrollHeight;
  at("jump").hidden = true;
}

/** Stay at the end if that is what is read; else say that there is more. */
function follow() {
  if (stuck) { missed = 0; return; }   // the one who watches the size of the log scrolls to its end
  at("jump").replaceChildren(icon("down"), `${missed} new ${missed === 1 ? "message" : "messages"}`);
  at("jump").hidden = false;
}

async function loadOlder() {
  const channel = world.here, place = room();
  if (loading || !place?.more || !place.messages.size) return;
  loading = true;
  const first = place.messages.keys().next().value;
  const answer = await ask("messages", { channel, before: first });
  loading = false;
  if (!answer) return;
  place.messages = new Map([...answer.messages.map((one) => [one.id, one]), ...place.messages]);
  place.more = answer.more;
  if (channel !== world.here) return;
  const height = box.scrollHeight, top = box.scrollTop;
  rows.querySelector(".divider")?.remove();
  rows.prepend(...(place.more ? [] : [drawBeginning()]), ...drawRows(answer.messages));
  redraw(first);
  box.scrollTop = top + box.scrollHeight - height;
}

function go(id) {
  const row = rowOf(id);
  if (!row) return;
  row.scrollIntoView({ block: "center" });
  row.focus({ preventScroll: true });
  row.classList.add("found");
  setTimeout(() => row.classList.remove("found"), 1500);
}

let last = 0;
box.addEventListener("scroll", () => {
  // Only who goes up leaves the end: it may have moved on before this is heard.
  if (box.scrollHeight - box.scrollTop - box.clientHeight < 80) stuck = true;
  else if (box.scrollTop < last) stuck = false;
  last = box.scrollTop;
  if (stuck) { at("jump").hidden = true; missed = 0; }
  if (box.scrollTop < 400) loadOlder();
}, { passive: true });
new ResizeObserver(() => { if (stuck) box.scrollTop = box.scrollHeight; }).observe(rows);
new ResizeObserver(() => { if (stuck) box.scrollTop = box.scrollHeight; }).observe(box);
at("jump").addEventListener("click", toEnd);

// What can be done with a message: a bar that goes where the pointer or the focus is, a menu, and keys

const bar = make("div", { class: "actions", role: "toolbar", "aria-label": "Message actions" });
let shown = "";

function showBar(row) {
  const message = room()?.messages.get(row.id.slice(2));
  if (!message || (shown === row.id && row.contains(bar))) return;
  shown = row.id;
  const button = (name, label, act_) => make("button", { type: "button", class: "icon", "aria-label": label, title: label,
    onclick: (event) => act_(event.currentTarget) }, icon(name));
  bar.replaceChildren(...[
    !message.only_you && button("smile", "Add a reaction", (control) => openReactions(message, control)),
    !message.only_you && button("reply", "Reply", () => perform("reply", message)),
    message.can_edit && button("edit", "Edit", () => perform("edit", message)),
    world.explains && message.author.machine && button("why", "Why does it look like this?", () => showWhy(message)),
    button("more", "More", (control) => openMessageMenu(control, message, perform)),
  ].filter(Boolean));
  row.append(bar);
}

let perform = () => {};

/** What is done with messages elsewhere: replying and editing. */
export const whenUsed = (use) => { perform = use; };

for (const kind of ["pointerover", "focusin"])
  rows.addEventListener(kind, (event) => {
    const row = event.target.closest("article");
    if (row) showBar(row);
  });
rows.addEventListener("contextmenu", (event) => {
  const row = event.target.closest("article"), message = row && room()?.messages.get(row.id.slice(2));
  if (!message || event.target.closest("a, img")) return;
  event.preventDefault();
  openMessageMenu({ x: event.clientX, y: event.clientY, back: row }, message, perform);
});

const KEYS = { r: "reply", e: "edit", Delete: "delete", t: "thread", p: "pin" };

box.addEventListener("keydown", (event) => {
  const row = document.activeElement.closest?.("article");
  if (event.key === "ArrowUp" || event.key === "ArrowDown") return step(event, row);
  if (!row || document.activeElement !== row || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const message = room()?.messages.get(row.id.slice(2));
  if (!message) return undefined;
  if (event.key in KEYS) perform(KEYS[event.key], message);
  else if (event.key === "w" && world.explains) showWhy(message);
  else if (event.key === "i" && world.tools) showHistory(message);
  else if (event.key === "+" || event.key === "a") openReactions(message, row);
  else if (event.key === "Enter") openMessageMenu(row, message, perform);
  else if (event.key === "Escape") at("text").focus();
  else return undefined;
  event.preventDefault();
  return undefined;
});

function step(event, row) {
  const all = [...rows.querySelectorAll("article")];
  const index = row ? all.indexOf(row) + (event.key === "ArrowUp" ? -1 : 1) : all.length - 1;
  if (index >= all.length) at("text").focus();
  else all[Math.max(index, 0)]?.focus();
  event.preventDefault();
}

