// Slash commands: their options stand in fields of their own, and the bot suggests values while one is typed.
import { at, icon, make, readFiles } from "./dom.js";
import { showForm } from "./forms.js";
import { close, offer, takeKey } from "./autocomplete.js";
import { act, commandsOf, world } from "./store.js";

let used = null, strip = null, asked = 0;

export const isUsing = () => used !== null;

/** Begin to use a command: one without options can be sent at once. */
export function useCommand(command) {
  const text = at("text");
  text.value = "";
  used = command;
  // The first one stands open even if it may be left empty, so that one can go on typing.
  const shown = command.options.filter((one, index) => one.required || index === 0);
  const hidden = command.options.filter((one) => !shown.includes(one));
  strip = make("div", { class: "command", role: "group", "aria-label": `/${command.name}` },
    make("b", {}, `/${command.name}`), shown.map(drawOption), hidden.map(drawMore),
    make("button", { type: "button", class: "icon", "aria-label": "Leave this command", onclick: leave }, icon("close")));
  at("above").replaceChildren(strip, make("p", { class: "about" }, command.about));
  at("line").classList.add("commanding");
  text.readOnly = true;
  text.placeholder = "Enter sends the command";
  (strip.querySelector("input, select") ?? text).focus();
}

export function leave() {
  if (!used) return;
  used = null;
  close();
  at("above").replaceChildren();
  at("line").classList.remove("commanding");
  at("text").readOnly = false;
  document.dispatchEvent(new Event("left"));
  at("text").focus();
}

function drawMore(option) {
  return make("button", {
    type: "button", class: "chip", "aria-label": `Add ${option.name}`, title: option.about,
    onclick: (event) => {
      const field = drawOption(option);
      event.currentTarget.replaceWith(field);
      field.querySelector("input, select").focus();
    },
  }, `+ ${option.name}`);
}

function drawOption(option) {
  const id = `option-${option.name}`;
  return make("span", { class: "option" }, make("label", { for: id, title: option.about }, option.name), drawField(option, id));
}

const LISTS = {
  user: () => world.people, role: () => world.roles,
  mention: () => [...world.people, ...world.roles], channel: () => world.channels.filter((one) => one.kind !== "direct"),
};

function drawField(option, id) {
  const given = { id, name: option.name, required: option.required, onkeydown };
  const choose = (entries) => make("select", given, make("option", { value: "" }, "…"),
    entries.map(([label, value]) => make("option", { value }, label)));
  if (option.choices.length) return choose(option.choices.map((one) => [one.label, one.value]));
  if (option.kind === "truth") return choose([["True", "true"], ["False", "false"]]);
  if (option.kind in LISTS) return choose(LISTS[option.kind]().map((one) => [one.name, one.id]));
  if (option.kind === "file") return make("input", { ...given, type: "file" });
  if (option.kind === "whole" || option.kind === "number")
    return make("input", { ...given, type: "number", step: option.kind === "whole" ? 1 : "any", min: option.min, max: option.max });
  const field = make("input", { ...given, type: "text", placeholder: option.about, autocomplete: "off",
    minlength: option.min, maxlength: option.max });
  if (option.completes) listen(field, option);
  return field;
}

function onkeydown(event) {
  if (takeKey(event)) return;
  if (event.key === "Escape") leave();
  if (event.key === "Enter") { event.preventDefault(); sendCommand(); }
}

// Suggestions of the bot

function listen(field, option) {
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", "suggestions");
  field.setAttribute("aria-expanded", "false");
  const complete = () => {
    clearTimeout(asked);
    asked = setTimeout(async () => {
      if (!used) return;
      const options = { ...(await values()), [option.name]: field.value };
      const answer = await act("complete", { channel: world.here, name: used.name, typing: option.name, options }, true);
      if (!answer?.choices || document.activeElement !== field) return;
      offer(answer.choices.map((one) => ({ label: one.label, value: one.value })), (one) => { field.value = one.value; },
        // Enter sends a command whose optional value was left empty.
        field, option.required || field.value ? 0 : -1);
    }, 120);
  };
  field.addEventListener("input", complete);
  field.addEventListener("focus", complete);
  field.addEventListener("blur", close);
}

// Sending

async function values() {
  const given = {};
  for (const option of used.options) {
    const field = at(`option-${option.name}`);
    if (!field) continue;
    if (option.kind === "file") {
      if (field.files.length) [given[option.name]] = await readFiles(field.files);
    } else if (option.kind === "truth" && field.value) given[option.name] = field.value === "true";
    else if (field.value !== "") given[option.name] = option.choices.find((one) => String(one.value) === field.value)?.value ?? field.value;
  }
  return given;
}

/** Who types `/eat apple` in one go and sends it has used the command; false if there is none of that name. */
export async function useTyped(words) {
  const found = (await commandsOf()).filter((one) => one.kind === "slash" && `${words} `.startsWith(`/${one.name} `));
  const command = found.sort((one, other) => other.name.length - one.name.length)[0];
  if (!command) return false;
  useCommand(command);
  const rest = words.slice(command.name.length + 1).trim(), first = strip.querySelector("input, select");
  if (rest && first?.type === "text") first.value = rest;
  if (!command.options.some((one) => one.required && !at(`option-${one.name}`).value)) await sendCommand();
  return true;
}

export async function sendCommand() {
  const lacking = [...strip.querySelectorAll("input, select")].find((field) => !field.reportValidity());
  if (lacking) return;
  const about = { channel: world.here, name: used.name, options: await values() };
  leave();
  const answer = await act("slash", about);
  if (answer?.modal) showForm(answer.modal);
}
