// What opens at a place and closes again: menus of messages and people, pickers of emoji and options.
import { at, emoji, icon, make } from "./dom.js";
import { askForThread, confirmDelete, showForm } from "./forms.js";
import { showWhy } from "./explain_message.js";
import { showHistory } from "./message_history.js";
import { act, commandsOf, tell, world } from "./store.js";

let popup = null, back = null;

export function closePopup() {
  if (!popup) return;
  const had = popup.contains(document.activeElement);
  popup.remove();
  popup = null;
  if (had) back?.focus?.({ preventScroll: true });
}

/** Open something at an element, or at a point of the window; it never leaves the window. */
function openAt(anchor, content) {
  closePopup();
  back = anchor.back ?? anchor;
  popup = content;
  (document.querySelector("dialog[open]") ?? document.body).append(popup);
  const place = anchor.getBoundingClientRect?.() ?? { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
  const { width, height } = popup.getBoundingClientRect();
  const left = Math.min(place.left, innerWidth - width - 8);
  const below = place.bottom + 4 + height <= innerHeight;
  popup.style.left = `${Math.max(8, left)}px`;
  popup.style.top = `${Math.max(8, below ? place.bottom + 4 : Math.min(place.top - height - 4, innerHeight - height - 8))}px`;
  popup.querySelector("button, input")?.focus();
}

document.addEventListener("pointerdown", (event) => { if (popup && !popup.contains(event.target)) closePopup(); });
document.addEventListener("keydown", (event) => {
  if (!popup) return;
  if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); closePopup(); }
  if (event.key === "Tab") closePopup();
  const moves = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 };
  if (!(event.key in moves) || (event.target.tagName === "INPUT" && event.target.type !== "checkbox" && event.key !== "ArrowDown")) return;
  event.preventDefault();
  const all = [...popup.querySelectorAll("button, input[type=checkbox]")];
  const wide = popup.classList.contains("grid") && event.key.match(/Up|Down/) ? 8 : 1;
  const index = all.indexOf(document.activeElement);
  all[Math.max(0, Math.min(all.length - 1, index + moves[event.key] * wide))]?.focus();
}, true);

// Menus

/** A menu of `{label, icon, danger, act}`; an entry with `head` is a title. */
export function openMenu(anchor, label, entries) {
  const draw = (entry) => {
    if (entry.head) return make("p", { class: "head", role: "presentation" }, entry.head);
    return make("button", {
      type: "button", role: "menuitem", class: entry.danger ? "danger" : undefined,
      onclick: () => { closePopup(); entry.act(); },
    }, make("span", {}, entry.label), entry.icon && icon(entry.icon));
  };
  openAt(anchor, make("div", { class: "popup menu", role: "menu", "aria-label": label }, entries.filter(Boolean).map(draw)));
}

const appEntries = (commands, kind, use) => {
  const found = commands.filter((one) => one.kind === kind);
  if (!found.length) return [];
  return [{ head: "Apps" }, ...found.map((one) => ({ label: one.name, icon: "app", act: () => use(one) }))];
};

/** Use a command of a message's or person's menu. */
async function useMenu(command, given) {
  const answer = await act("menu", { channel: world.here, name: command.name, ...given });
  if (answer?.modal) showForm(answer.modal);
}

export async function openMessageMenu(anchor, message, perform) {
  const commands = await commandsOf(message.channel);
  const close = !message.only_you;
  openMenu(anchor, "Message", [
    close && { label: "Add a reaction", icon: "smile", act: () => openReactions(message, anchor) },
    close && { label: "Reply", icon: "reply", act: () => perform("reply", message) },
    message.can_edit && { label: "Edit", icon: "edit", act: () => perform("edit", message) },
    close && message.can_thread && { label: "Create a thread", icon: "thread", act: () => perform("thread", message) },
    close && message.can_pin && !message.pinned && { label: "Pin", icon: "pin", act: () => perform("pin", message) },
    world.explains && message.author.machine && { label: "Why?", icon: "why", act: () => showWhy(message) },
    world.tools && { label: "Requests and events", icon: "tools", act: () => showHistory(message) },
    { label: "Copy text", icon: "file", act: () => copy(message.raw) },
    { label: "Copy id", icon: "hash", act: () => copy(message.id) },
    ...appEntries(commands, "message", (one) => useMenu(one, { message: message.id })),
    message.can_delete && { label: "Delete", icon: "bin", danger: true, act: () => perform("delete", message) },
  ]);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell("Copied.");
  } catch {
    tell("This browser does not let the page copy.");
  }
}

/** The menu of a person: of someone in the list, or of who wrote a message. */
export async function openPersonMenu(anchor, person, message) {
  const commands = message?.author.webhook ? [] : await commandsOf();
  const isBot = world.people.some((one) => one.id === person.id && one.bot);
  openMenu(anchor, person.name, [
    { head: person.name },
    !message?.author.webhook && { label: "Mention", icon: "plus", act: () => mention(person) },
    isBot && { label: "Message", icon: "send", act: () => document.dispatchEvent(new CustomEvent("direct", { detail: person.id })) },
    { label: "Copy id", icon: "hash", act: () => copy(person.id) },
    ...appEntries(commands, "user", (one) => useMenu(one, { user: person.id })),
  ]);
}

function mention(person) {
  const text = at("text");
  text.setRangeText(`@${person.name} `, text.selectionStart, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input"));
  text.focus();
}

/** What is done with a message besides replying and editing, which happen where one writes. */
export function performElse(what, message) {
  const about = { channel: message.channel, message: message.id };
  if (what === "delete" && message.can_delete) confirmDelete(message, () => act("delete", about));
  if (what === "thread" && message.can_thread) askForThread(message);
  if (what === "pin" && message.can_pin) act("pin", about);
}

// Emoji

const EMOJI = {
  "👍": "thumbs up", "👎": "thumbs down", "❤️": "heart", "😂": "tears of joy", "😄": "grin", "😉": "wink", "😊": "smile",
  "😍": "heart eyes", "🤔": "thinking", "😢": "crying", "😭": "sobbing", "😡": "angry", "😱": "scream", "😴": "asleep",
  "🙄": "rolling eyes", "😎": "cool", "🤯": "mind blown", "🥳": "party", "🙏": "thanks", "👏": "clapping", "🙌": "hooray",
  "👀": "eyes", "💪": "strong", "👋": "wave", "🎉": "tada", "🔥": "fire", "✨": "sparkles", "⭐": "star", "🌙": "moon",
  "☀️": "sun", "🌈": "rainbow", "🐱": "cat", "🐶": "dog", "🤖": "robot", "🍕": "pizza", "☕": "coffee", "🎂": "cake",
  "🚀": "rocket", "💡": "idea", "✅": "done", "❌": "no", "❓": "question", "❗": "exclamation", "💯": "hundred",
  "📌": "pin", "🔁": "again", "⏳": "waiting", "🐛": "bug",
};

/** Pick an emoji: `use` gets a character, or the custom emoji. */
export function openEmoji(anchor, use) {
  const take = (one) => { closePopup(); use(one); };
  const own = world.emoji.map((one) => make("button", {
    type: "button", "aria-label": `:${one.name}:`, title: `:${one.name}:`, onclick: () => take(one),
  }, one.picture ? emoji({ picture: one.picture, text: `:${one.name}:` }) : one.name.slice(0, 2)));
  const all = Object.entries(EMOJI).map(([sign, name]) => make("button", {
    type: "button", "aria-label": name, title: name, onclick: () => take({ sign }),
  }, sign));
  openAt(anchor, make("div", { class: "popup grid", role: "group", "aria-label": "Emoji" }, own, all));
}

export function openReactions(message, anchor) {
  const send = (one) => act("react", {
    channel: message.channel, message: message.id, emoji: one.sign ?? `${one.name}:${one.id}`, on: true,
  });
  openEmoji(anchor, send);
}

// Options of a menu on a message

/** Choose from a menu: one option at once, or several and then Done. */
export function openPicker(anchor, select, use) {
  const many = select.max > 1 || select.min === 0;
  const draw = (option, index) => {
    const inside = [option.emoji && emoji(option.emoji), make("span", {}, option.label, option.about && make("small", {}, option.about))];
    if (!many)
      return make("button", { type: "button", role: "option", "aria-selected": String(option.chosen),
        onclick: () => { closePopup(); use([option.value]); } }, inside);
    return make("label", {}, make("input", { type: "checkbox", value: index, checked: option.chosen }), inside);
  };
  const done = () => {
    const boxes = [...list.querySelectorAll("input:checked")];
    if (boxes.length > select.max) return tell(`Choose ${select.max} at most.`);
    closePopup();
    return use(boxes.map((one) => select.options[+one.value].value));
  };
  const list = make("div", { class: "popup picker", role: many ? "group" : "listbox", "aria-label": select.hint },
    select.options.map(draw), many && make("button", { type: "button", class: "button primary", onclick: done }, "Done"));
  openAt(anchor, list);
}
