// Draws what hangs on a message besides its text: files, embeds, buttons, menus, polls and Components V2.
import { bytes, emoji, icon, make } from "./dom.js";
import { drawBlocks, drawSpoiler } from "./draw_text.js";
import { openPicker } from "./menus.js";
import { showForm } from "./forms.js";
import { act, tell } from "./store.js";

const STYLES = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "secondary" };
const colourOf = (number) => `#${number.toString(16).padStart(6, "0")}`;

export function drawFile(file) {
  if (!file.at) return make("p", { class: "file" }, icon("file"), make("span", {}, file.name), make("small", {}, "not fetched"));
  if (file.voice) return make("p", { class: "file" }, icon("bell"), `Voice message, ${file.voice.toFixed(0)} s`);
  if (file.picture) {
    const picture = make("img", {
      class: "picture", src: file.at, alt: file.about || file.name, width: file.width, height: file.height, loading: "lazy",
    });
    return file.spoiler ? drawSpoiler(picture) : picture;
  }
  const link = make("a", { href: file.at, download: file.name }, file.name);
  return make("p", { class: "file" }, icon("file"), link, make("small", {}, bytes(file.size)));
}

export function drawEmbed(embed) {
  const box = make("div", { class: "embed" },
    embed.thumbnail && make("div", { class: "thumbnail" }, drawFile(embed.thumbnail)),
    embed.author && make("p", { class: "by" }, embed.author),
    embed.title && make("p", { class: "title" }, embed.title),
    drawBlocks(embed.text),
    embed.fields.length > 0 && make("div", { class: "fields" }, embed.fields.map((field) =>
      make("div", { class: field.inline ? "inline" : undefined }, make("p", { class: "by" }, field.name), drawBlocks(field.text)))),
    embed.picture && drawFile(embed.picture),
    embed.footer && make("p", { class: "subtext" }, embed.footer));
  if (embed.colour !== null) box.style.borderLeftColor = colourOf(embed.colour);
  return box;
}

export function drawPart(part, message) {
  const inner = (parts) => parts.map((one) => drawPart(one, message));
  if ("row" in part) return make("div", { class: "row" }, inner(part.row));
  if ("button" in part) return drawButton(part.button, message);
  if ("select" in part) return drawSelect(part.select, message);
  if ("text" in part) return make("div", { class: "body" }, drawBlocks(part.text));
  if ("section" in part)
    return make("div", { class: "section" }, make("div", {}, inner(part.section)), drawPart(part.accessory, message));
  if ("thumbnail" in part) return make("div", { class: "thumbnail" }, drawFile(part.thumbnail));
  if ("gallery" in part) return make("div", { class: "gallery" }, part.gallery.map(drawFile));
  if ("file" in part) return drawFile({ ...part.file, picture: false });
  if ("separator" in part) return make("hr", { class: `${part.separator ? "" : "clear"} ${part.wide ? "wide" : ""}` });
  const box = make("div", { class: "container" }, inner(part.container));
  if (part.colour !== null && part.colour !== undefined) box.style.borderLeftColor = colourOf(part.colour);
  return part.spoiler ? drawSpoiler(box) : box;
}

// Buttons and menus

/** Send what was pressed; while the bot thinks, the control is busy. */
export async function press(message, id, control, values) {
  control?.classList.add("busy");
  const answer = await act("press", { channel: message.channel, message: message.id, id, values });
  control?.classList.remove("busy");
  if (answer?.modal) showForm(answer.modal);
  return answer;
}

function drawButton(button, message) {
  const inside = [button.emoji && emoji(button.emoji), button.label];
  if (button.to) {
    const given = { class: "button secondary", href: button.to, target: "_blank", rel: "noopener noreferrer nofollow" };
    return /^https?:/i.test(button.to) ? make("a", given, inside) : make("span", { class: "button secondary" }, inside);
  }
  return make("button", {
    type: "button", class: `button ${STYLES[button.style] ?? "secondary"}`, disabled: button.disabled,
    "aria-label": button.label ? undefined : button.emoji?.text,
    onclick: (event) => press(message, button.id, event.currentTarget),
  }, inside);
}

function drawSelect(select, message) {
  const chosen = select.options.filter((one) => one.chosen).map((one) => one.label).join(", ");
  return make("button", {
    type: "button", class: "select", disabled: select.disabled, "aria-haspopup": "listbox",
    onclick: (event) => {
      const control = event.currentTarget;
      openPicker(control, select, (values) => {
        if (values.length < select.min) return tell(`Choose at least ${select.min}.`);
        press(message, select.id, control, values);
      });
    },
  }, make("span", {}, chosen || select.hint), icon("down"));
}

export function drawPoll(poll, message) {
  const total = poll.answers.reduce((sum, one) => sum + one.count, 0);
  return make("fieldset", { class: "poll" }, make("legend", {}, poll.question), poll.answers.map((one) =>
    make("button", {
      type: "button", class: "answer", "aria-pressed": String(one.me), disabled: poll.over,
      onclick: () => act("vote", { channel: message.channel, message: message.id, answer: one.number, on: !one.me }),
    }, make("span", {}, one.text), make("small", {}, total ? `${Math.round((100 * one.count) / total)}%` : "0%"))));
}
