// The list above the field: people, roles and the bot behind @, channels behind #, emoji behind :, commands behind /.
import { at, emoji, avatar, icon, make } from "./dom.js";
import { commandsOf, world } from "./store.js";

const text = at("text"), list = at("suggestions");
const SHOWN = 8;
let found = [], chosen = 0, choose = () => {};

export const isOpen = () => !list.hidden;

export function close() {
  list.hidden = true;
  list.replaceChildren();
  found = [];
  text.setAttribute("aria-expanded", "false");
  text.removeAttribute("aria-activedescendant");
}

/** Show entries `{label, about, draw, use}`, the first of them chosen unless `start` is -1: then Enter is not for the list. */
export function offer(entries, use, control = text, start = 0) {
  found = entries.slice(0, 25);
  choose = use;
  if (!found.length) return close();
  list.replaceChildren(...found.map((one, index) => make("div", {
    id: `suggestion-${index}`, role: "option", "aria-selected": "false",
    onpointerdown: (event) => { event.preventDefault(); pick(index); },
  }, one.draw ?? null, make("span", {}, one.label), one.about && make("small", {}, one.about))));
  list.hidden = false;
  control.setAttribute("aria-expanded", "true");
  chosen = start;
  control.removeAttribute("aria-activedescendant");
  return start < 0 ? undefined : highlight(start, control);
}

function highlight(index, control = document.activeElement) {
  chosen = (index + found.length) % found.length;
  [...list.children].forEach((one, at_) => one.setAttribute("aria-selected", String(at_ === chosen)));
  control.setAttribute("aria-activedescendant", `suggestion-${chosen}`);
  list.children[chosen].scrollIntoView({ block: "nearest" });
}

function pick(index) {
  const one = found[index];
  close();
  choose(one);
}

/** Keys that belong to the list while it is open; true if one was used. A name that is there in full is just sent. */
export function takeKey(event) {
  if (list.hidden) return false;
  if (event.key === "ArrowDown") highlight(chosen + 1);
  else if (event.key === "ArrowUp") highlight(Math.max(chosen, 0) - 1);
  else if (chosen < 0 && event.key !== "Escape") { if (event.key === "Enter") close(); return false; }
  else if (event.key === "Enter" && found[chosen].whole) { close(); return false; }
  else if (event.key === "Enter" || event.key === "Tab") pick(chosen);
  else if (event.key === "Escape") close();
  else return false;
  event.preventDefault();
  return true;
}

// What is offered while someone writes a message

const has = (name, part) => name.toLowerCase().includes(part.toLowerCase());
const first = (part) => (one, other) => other.label.toLowerCase().startsWith(part) - one.label.toLowerCase().startsWith(part);

const SOURCES = {
  "@": (part) => [
    // Oneself comes last: few people mention themselves.
    ...[...world.people].sort((one, other) => (one.id === world.me?.id) - (other.id === world.me?.id)).map((one) => ({ label: one.name, about: one.bot ? "APP" : "", draw: avatar(one.avatar, "tiny"), words: `@${one.name} ` })),
    ...world.roles.map((one) => ({ label: one.name, about: "role", draw: icon("people"), words: `@${one.name} ` })),
  ].filter((one) => has(one.label, part)),
  "#": (part) => world.channels.filter((one) => one.kind !== "direct" && has(one.name, part))
    .map((one) => ({ label: one.name, draw: icon("hash"), words: `#${one.name} ` })),
  ":": (part) => part.length < 2 ? [] : world.emoji.filter((one) => has(one.name, part))
    .map((one) => ({ label: `:${one.name}:`, draw: one.picture ? emoji({ ...one, text: "" }) : icon("smile"), words: `:${one.name}: ` })),
};

/** Look at what stands before the cursor, and offer what could be meant. */
export async function suggest(useCommand) {
  const before = text.value.slice(0, text.selectionStart);
  if (/^\/[\w -]*$/.test(text.value)) return suggestCommands(text.value.slice(1), useCommand);
  const word = /(?:^|\s)([@#:])([^\s@#:]{0,32})$/.exec(before);
  if (!word) return close();
  const [, sign, part] = word;
  const entries = SOURCES[sign](part).sort(first(part.toLowerCase())).slice(0, SHOWN)
    .map((one) => ({ ...one, whole: one.words.trim() === sign + part }));
  return offer(entries, (one) => {
    text.setRangeText(one.words, text.selectionStart - part.length - 1, text.selectionStart, "end");
    text.dispatchEvent(new Event("input"));
  });
}

// What is known is offered at once: a list for fewer letters must not take the Enter that sends a message.
async function suggestCommands(part, use) {
  const known = matching(world.commands.get(world.here) ?? [], part);
  offerCommands(known, use);
  const commands = matching(await commandsOf(), part);
  if (text.value !== `/${part}`) return;   // more was typed meanwhile
  if (commands.map((one) => one.name).join() !== known.map((one) => one.name).join()) offerCommands(commands, use);
}

const matching = (commands, part) => commands.filter((one) => one.kind === "slash" && has(one.name, part.trim()))
  .sort((one, other) => other.name.startsWith(part) - one.name.startsWith(part) || one.name.localeCompare(other.name));

function offerCommands(commands, use) {
  offer(commands.map((one) => ({ label: `/${one.name}`, about: one.about, draw: icon("app"), command: one })), (one) => use(one.command));
}

// What is sent: names become what Discord's client sends for them

/** The text with `@name`, `#channel` and `:emoji:` written as Discord knows them; code stays as it is. */
export function encode(words) {
  const names = [
    ...world.people.map((one) => [`@${one.name}`, `<@${one.id}>`]),
    ...world.roles.map((one) => [`@${one.name}`, `<@&${one.id}>`]),
    ...world.channels.filter((one) => one.kind !== "direct").map((one) => [`#${one.name}`, `<#${one.id}>`]),
    ...world.emoji.map((one) => [`:${one.name}:`, `<:${one.name}:${one.id}>`]),
  ].sort((one, other) => other[0].length - one[0].length);
  return words.split(/(```[^]*?```|`[^`\n]*`)/).map((part, index) => (index % 2 ? part : encodePart(part, names))).join("");
}

function encodePart(part, names) {
  let coded = "";
  for (let place = 0; place < part.length;) {
    const sign = part[place];
    const hit = "@#:".includes(sign) && !/[\w<]/.test(part[place - 1] ?? " ") && names.find(([name]) =>
      part.startsWith(name, place) && (name.endsWith(":") || !/\w/.test(part[place + name.length] ?? " ")));
    coded += hit ? hit[1] : sign;
    place += hit ? hit[0].length : 1;
  }
  return coded;
}

/** The other way, for editing. */
export function decode(raw) {
  const find = (all, id) => all.find((one) => one.id === id)?.name;
  return raw
    .replace(/<@!?(\d+)>/g, (whole, id) => (find(world.people, id) ? `@${find(world.people, id)}` : whole))
    .replace(/<@&(\d+)>/g, (whole, id) => (find(world.roles, id) ? `@${find(world.roles, id)}` : whole))
    .replace(/<#(\d+)>/g, (whole, id) => (find(world.channels, id) ? `#${find(world.channels, id)}` : whole))
    .replace(/<a?:(\w+):(\d+)>/g, (whole, name, id) => (find(world.emoji, id) ? `:${name}:` : whole));
}
