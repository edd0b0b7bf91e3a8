// Draws one message: whom it answers, who says it, what it says, and what people did with it.
import { clock, emoji, avatar, icon, make } from "./dom.js";
import { drawBlocks } from "./draw_text.js";
import { drawEmbed, drawFile, drawPart, drawPoll } from "./message_parts.js";
import { openPersonMenu } from "./menus.js";
import { act } from "./store.js";

/** The article of a message. The first of a block carries name and avatar. */
export function drawMessage(message, isFirst, on) {
  const row = make("article", {
    id: `m-${message.id}`, tabindex: "-1", "aria-label": `${message.author.name}, ${clock(message.at)}`,
    class: ["message", isFirst && "first", message.to_me && "to-me", message.only_you && "only-you",
      message.system && "system"].filter(Boolean).join(" "),
  });
  row.append(...(message.system ? [drawSystem(message)] : [...drawAbove(message, on), ...drawHead(message, isFirst)]));
  if (!message.system) row.append(drawSaid(message));
  row.append(...drawBelow(message, on));
  return row;
}

function drawSystem(message) {
  const time = make("time", { datetime: new Date(message.at).toISOString() }, clock(message.at));
  return make("p", { class: "said" }, icon("reply"), make("b", {}, message.author.name), ` ${message.system} `, time);
}

function drawAbove(message, on) {
  if (message.reply) return [drawReply(message.reply, on)];
  if (message.used) {
    const { name, command } = message.used;
    return [make("p", { class: "reply" }, avatar(message.used.avatar, "tiny"), make("b", {}, name), " used ",
      make("span", { class: "mention" }, command))];
  }
  return message.forwarded ? [make("p", { class: "reply" }, icon("reply"), make("i", {}, "Forwarded"))] : [];
}

function drawReply(reply, on) {
  if (reply.gone) return make("p", { class: "reply" }, make("i", {}, "Original message was deleted"));
  return make("p", { class: "reply" }, avatar(reply.avatar, "tiny"),
    make("button", { type: "button", onclick: () => on.go(reply.id) }, make("b", {}, `@${reply.name}`), ` ${reply.text}`));
}

function drawHead(message, isFirst) {
  const time = make("time", { datetime: new Date(message.at).toISOString(), title: new Date(message.at).toString() },
    clock(message.at));
  if (!isFirst) return [make("span", { class: "aside" }, time)];
  const author = message.author;
  const name = make("button", {
    type: "button", class: "name", onclick: (event) => openPersonMenu(event.currentTarget, author, message),
  }, author.name);
  const badge = author.machine && make("span", { class: "badge" }, "APP");
  return [avatar(author.avatar), make("header", {}, name, badge, time)];
}

function drawSaid(message) {
  if (message.loading) return make("div", { class: "body thinking" }, `${message.author.name} is thinking …`);
  const text = message.forwarded ? make("blockquote", {}, drawBlocks(message.forwarded)) : drawBlocks(message.text);
  const body = make("div", { class: `body ${isOnlyEmoji(message) ? "jumbo" : ""}` }, text);
  if (message.edited && !hasOnlyParts(message)) {
    const last = body.lastElementChild;
    (last?.tagName === "P" ? last : body).append(drawEdited());
  }
  return body;
}

const drawEdited = () => make("span", { class: "edited" }, "(edited)");

/** The texts of Components V2 are parts. */
const hasOnlyParts = (message) => !message.text.length && message.parts.length > 0;

/** Discord draws a few emoji that stand alone large. */
function isOnlyEmoji(message) {
  const runs = message.text.length === 1 && message.text[0].line === "text" ? message.text[0].runs : [];
  const drawn = (run) => run.picture || !run.text.trim() || /^[\p{Extended_Pictographic}\u200d\ufe0f\s]+$/u.test(run.text);
  return runs.length > 0 && runs.length < 30 && runs.every(drawn) && message.raw.length < 200;
}

function drawBelow(message, on) {
  const below = [
    ...message.embeds.map(drawEmbed),
    ...drawFiles(message.files),
    ...message.parts.map((part) => drawPart(part, message)),
  ];
  if (message.edited && hasOnlyParts(message)) below.push(drawEdited());
  if (message.poll) below.push(drawPoll(message.poll, message));
  if (message.reactions.length) below.push(drawReactions(message, on));
  if (message.thread) below.push(drawThread(message.thread, on));
  if (message.only_you) below.push(drawPrivacy(message, on));
  if (message.mark) below.push(drawMark(message.mark));
  return below;
}

function drawFiles(files) {
  const pictures = files.filter((file) => file.picture);
  if (pictures.length < 2) return files.map(drawFile);
  return [make("div", { class: "gallery" }, pictures.map(drawFile)), ...files.filter((file) => !file.picture).map(drawFile)];
}

function drawReactions(message, on) {
  const chips = message.reactions.map((one) => make("button", {
    type: "button", class: "chip", "aria-pressed": String(one.me), title: one.names.join(", "),
    "aria-label": `${one.text}, ${one.count}`,
    onclick: () => act("react", { channel: message.channel, message: message.id, emoji: one.key, on: !one.me }),
  }, emoji(one), String(one.count)));
  const add = make("button", {
    type: "button", class: "chip add", "aria-label": "Add a reaction", onclick: (event) => on.react(message, event.currentTarget),
  }, icon("smile"));
  return make("div", { class: "reactions" }, chips, add);
}

function drawThread(thread, on) {
  const count = `${thread.count} ${thread.count === 1 ? "message" : "messages"} ›`;
  return make("button", { type: "button", class: "thread-link", onclick: () => on.open(thread.id) },
    icon("thread"), make("b", {}, thread.name), make("span", {}, count));
}

function drawPrivacy(message, on) {
  return make("p", { class: "subtext privacy" }, icon("eye"), "Only you can see this · ",
    make("button", { type: "button", class: "plain", onclick: () => on.dismiss(message) }, "Dismiss message"));
}

export function drawMark(mark) {
  const words = mark === "push" ? "Your phone rang" : "On your phone, without a sound";
  return make("span", { class: `bell ${mark === "push" ? "rang" : "silent"}`, title: words }, icon("bell"), make("span", { class: "unseen" }, words));
}
