// Dialogs: forms that a bot asks for (modals), and the few questions that the page itself asks.
import { at, make, readFiles } from "./dom.js";
import { drawBlocks } from "./draw_text.js";
import { act, world } from "./store.js";

/** A dialog with a title and buttons; `done` is called when it is confirmed and may keep it open. */
function openDialog(title, inside, { yes = "Submit", danger = false, done }) {
  const complaint = make("p", { class: "complaint", role: "alert" });
  const form = make("form", {
    method: "dialog", onsubmit: async (event) => {
      event.preventDefault();
      const wrong = await done(new FormData(form), form);
      if (typeof wrong === "string") complaint.textContent = wrong;
      else dialog.close();
    },
  }, make("h2", { id: "dialog-title" }, title), make("div", { class: "fields" }, inside), complaint, make("footer", {},
    make("button", { type: "button", class: "button plain", onclick: () => dialog.close() }, "Cancel"),
    make("button", { type: "submit", class: `button ${danger ? "danger" : "primary"}` }, yes)));
  const dialog = make("dialog", { "aria-labelledby": "dialog-title", onclose: () => { dialog.remove(); refocus(back); } }, form);
  const back = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  const first = dialog.querySelector("input, textarea, select") ?? dialog.querySelector("[type=submit]");
  first.focus();
  // A text that is filled in already is replaced by what is typed.
  if (first.value && first.select) first.select();
}

/** Back to where someone was. A browser that has given the focus back by itself may have left the cursor behind. */
function refocus(element) {
  const there = element?.isConnected ? element : at("text");
  there.blur();
  there.focus({ preventScroll: true });
}

// Modals

/** Show the form of a bot and send it back. */
export function showForm(modal) {
  openDialog(modal.title, modal.rows.map(drawRow), {
    done: async (_, form) => {
      const values = {};
      for (const row of modal.rows.filter((one) => one.id)) values[row.id] = await readField(row, form);
      const lacking = modal.rows.find((row) => row.id && row.required && isEmpty(values[row.id]));
      if (lacking) return `${lacking.label} must be filled in.`;
      for (const [id, value] of Object.entries(values)) if (value === null) delete values[id];
      const answer = await act("submit", { modal: modal.id, values });
      return answer ? undefined : "Something went wrong. Try again.";
    },
  });
}

const isEmpty = (value) => value === null || value === "" || (Array.isArray(value) && !value.length);

function drawRow(row) {
  if (row.text) return make("div", { class: "body" }, drawBlocks(row.text));
  const id = `field-${row.id}`, star = row.required && make("span", { class: "star", "aria-hidden": "true" }, " *");
  const about = row.about && make("p", { class: "about", id: `${id}-about` }, row.about);
  const given = { id, name: row.id, required: row.required, "aria-describedby": row.about ? `${id}-about` : undefined };
  if (row.kind === "radio" || row.kind === "checks")
    return make("fieldset", {}, make("legend", {}, row.label, star), about, row.options.map((one) => make("label", { class: "pick" },
      make("input", { type: row.kind === "radio" ? "radio" : "checkbox", name: row.id, value: one.value, checked: one.chosen }),
      make("span", {}, one.label, one.about && make("small", {}, one.about)))));
  if (row.kind === "check")
    return make("div", {}, make("label", { class: "pick" }, make("input", { type: "checkbox", id, name: row.id, checked: row.value }),
      make("span", {}, row.label)), about);
  return make("div", {}, make("label", { for: id }, row.label, star), about, drawInput(row, given));
}

function drawInput(row, given) {
  const lengths = { minlength: row.min || undefined, maxlength: row.max, placeholder: row.hint };
  if (row.kind === "long") {
    const area = make("textarea", { ...given, ...lengths, rows: "4" });
    area.value = row.value;
    return area;
  }
  if (row.kind === "short") return make("input", { ...given, ...lengths, type: "text", value: row.value });
  if (row.kind === "files") return make("input", { ...given, type: "file", multiple: row.max > 1 });
  const many = row.max > 1;
  const options = row.options.map((one) => make("option", { value: one.value, selected: one.chosen }, one.label));
  if (!many) options.unshift(make("option", { value: "" }, row.hint));
  return make("select", { ...given, multiple: many, size: many ? Math.min(6, options.length) : undefined }, options);
}

async function readField(row, form) {
  const named = [...form.elements].filter((one) => one.name === row.id);
  if (row.kind === "radio") return named.find((one) => one.checked)?.value ?? null;
  if (row.kind === "checks") return named.filter((one) => one.checked).map((one) => one.value);
  if (row.kind === "check") return named[0].checked;
  if (row.kind === "files") return readFiles(named[0].files);
  if (row.kind === "select") return [...named[0].selectedOptions].map((one) => one.value).filter(Boolean);
  return named[0].value;
}

// The page's own questions

function field(label, name, given = {}) {
  const id = `ask-${name}`;
  const tag = given.rows ? "textarea" : "input";
  return make("div", {}, make("label", { for: id }, label), make(tag, { id, name, required: true, ...given }));
}

const goTo = (channel) => document.dispatchEvent(new CustomEvent("visit", { detail: channel }));

export function askForThread(message) {
  openDialog("Create a thread", [field("Name", "name", { maxlength: "100", value: message.raw.split("\n")[0].slice(0, 60) })], {
    yes: "Create", done: async (given) => {
      const answer = await act("thread", { channel: message.channel, message: message.id, name: given.get("name") });
      if (!answer) return "It could not be created.";
      goTo(answer.channel);
      return undefined;
    },
  });
}

export function askForPost(forum) {
  openDialog(`New post in ${forum.name}`, [field("Title", "name", { maxlength: "100" }), field("Message", "text", { rows: "4", maxlength: "4000" })], {
    yes: "Post", done: async (given) => {
      const answer = await act("thread", { channel: forum.id, name: given.get("name"), text: given.get("text") });
      if (!answer) return "It could not be posted.";
      goTo(answer.channel);
      return undefined;
    },
  });
}

export function askForPerson(use) {
  openDialog("New user", [field("Name", "name", { maxlength: "32" })], {
    yes: "Join", done: async (given) => {
      const answer = await act("join", { name: given.get("name") });
      if (!answer) return "This name cannot be used.";
      use(answer.user);
      return undefined;
    },
  });
}

export function confirmDelete(message, use) {
  const quote = make("blockquote", {}, message.raw.slice(0, 200) || "(no text)");
  const whose = message.author.id === world.me.id ? "Your message" : `The message of ${message.author.name}`;
  openDialog("Delete message", [make("p", {}, `${whose} will be gone for everybody.`), quote], {
    yes: "Delete", danger: true, done: async () => { await use(); },
  });
}

/** Ask before a link replaces everything that is here. */
export function confirmState(what, use) {
  openDialog("Load the state of this link?", [make("p", {}, `It holds ${what}. Everything that is here now goes.`)], {
    yes: "Load", danger: true, done: async () => { await use(); },
  });
}
