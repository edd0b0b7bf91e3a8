// Where one writes: sends, replies, edits, brings files, and shows others that someone is typing.
import { at, bytes, avatar, icon, make, readFiles } from "./dom.js";
import { isUsing, leave, sendCommand, useCommand, useTyped } from "./commands.js";
import { toEnd } from "./message_list.js";
import { openEmoji, performElse } from "./menus.js";
import { decode, encode, suggest, takeKey, close } from "./autocomplete.js";
import { act, room, tell, world } from "./store.js";

const text = at("text"), above = at("above");
const drafts = new Map();   // what was begun in other channels
let replying = null, editing = null, files = [], told = 0;

at("attach").append(icon("plus"));
at("emoji").append(icon("smile"));
at("send").append(icon("send"));

function grow() {
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight, 260)}px`;
}

// Above the field: whom one answers, what one edits, which files wait

function drawAbove() {
  if (isUsing()) return;
  const bar = (label, stop, ...inside) => make("div", { class: "bar" }, make("p", {}, inside),
    make("button", { type: "button", class: "icon", "aria-label": label, onclick: stop }, icon("close")));
  above.replaceChildren(...[
    replying && bar("Do not reply", stop, "Replying to ", avatar(replying.author.avatar, "tiny"), make("b", {}, replying.author.name)),
    editing && bar("Do not edit", stop, "Editing your message. ", make("small", {}, "Enter saves, Escape leaves it as it was")),
    files.length && make("ul", { class: "waiting", "aria-label": "Files to send" }, files.map(drawWaiting)),
  ].filter(Boolean));
}

function drawWaiting(file) {
  const picture = file.type.startsWith("image/") && make("img", { src: URL.createObjectURL(file), alt: "" });
  return make("li", {}, picture || icon("file"), make("span", {}, file.name), make("small", {}, bytes(file.size)),
    make("button", { type: "button", class: "icon", "aria-label": `Remove ${file.name}`,
      onclick: () => { files = files.filter((one) => one !== file); drawAbove(); text.focus(); } }, icon("bin")));
}

function addFiles(given) {
  files = [...files, ...given].slice(0, 10);
  drawAbove();
  text.focus();
}

/** Neither answer nor edit any more. */
export function stop() {
  if (editing) text.value = "";
  replying = editing = null;
  drawAbove();
  grow();
  text.focus();
}

/** Reply to a message, edit it, or what else can be done. */
export function perform(what, message) {
  leave();
  if (what === "reply") { stop(); replying = message; }
  else if (what === "edit" && message.can_edit) {
    stop();
    editing = message;
    text.value = decode(message.raw);
  } else return performElse(what, message);
  drawAbove();
  grow();
  return text.focus();
}

/** Another channel: what was begun here is kept for when one comes back. */
export function moveTo(channel) {
  if (world.here && !editing) drafts.set(world.here, text.value);
  leave();
  close();
  replying = editing = null;
  files = [];
  text.value = drafts.get(channel) ?? "";
  drawAbove();
  grow();
}

// Sending

async function send() {
  text.focus();
  if (isUsing()) return sendCommand();
  const words = text.value.trim();
  if (editing) return save(words);
  if (!words && !files.length) return undefined;
  if (words.startsWith("/") && !files.length && (await useTyped(words))) return undefined;
  const message = { channel: world.here, text: encode(words), reply: replying?.id, files: await readFiles(files) };
  const kept = { words: text.value, files, replying };
  text.value = "";
  files = [];
  replying = null;
  drawAbove();
  grow();
  toEnd();
  if (!(await act("say", message))) {   // nothing that was written is lost
    text.value = kept.words + text.value;
    files = kept.files;
    replying = kept.replying;
    drawAbove();
    grow();
  } else toEnd();
  return undefined;
}

async function save(words) {
  const message = editing;
  if (!words) return tell("An empty message cannot be saved. Delete it instead.");
  if (await act("edit", { channel: message.channel, message: message.id, text: encode(words) })) stop();
  return undefined;
}

/** Others see that someone is typing, at most every eight seconds. */
function tellTyping() {
  if (!world.here || !text.value || editing || Date.now() - told < 8000) return;
  told = Date.now();
  act("typing", { channel: world.here }, true);
}

function editLast() {
  const own = [...(room()?.messages.values() ?? [])].reverse().find((one) => one.mine && one.can_edit);
  if (own) perform("edit", own);
}

at("write").addEventListener("submit", (event) => { event.preventDefault(); send(); });
text.addEventListener("input", () => { grow(); suggest(useCommand); if (!text.value.startsWith("/")) tellTyping(); });
text.addEventListener("click", () => suggest(useCommand));
text.addEventListener("blur", close);
text.addEventListener("keydown", (event) => {
  if (event.isComposing || takeKey(event)) return;
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); send(); }
  else if (event.key === "Escape") { if (isUsing()) leave(); else stop(); }
  else if (event.key === "ArrowUp" && !text.value) { event.preventDefault(); editLast(); }
});
document.addEventListener("left", () => { drawAbove(); document.dispatchEvent(new Event("placed")); });

at("attach").addEventListener("click", () => at("files").click());
at("files").addEventListener("change", () => { addFiles(at("files").files); at("files").value = ""; });
at("emoji").addEventListener("click", (event) => openEmoji(event.currentTarget, (one) => {
  text.setRangeText(one.sign ?? `:${one.name}: `, text.selectionStart, text.selectionEnd, "end");
  text.focus();
}));
text.addEventListener("paste", (event) => { if (event.clipboardData.files.length) addFiles(event.clipboardData.files); });
for (const kind of ["dragover", "drop"])
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    if (kind === "drop" && event.dataTransfer.files.length) addFiles(event.dataTransfer.files);
  });
