// Why a message looks as it does: where it was cut and why, what rules changed, what it waited for, and the words of
// the model with those lit that became this message.
import { at, make } from "./dom.js";
import { openPanel } from "./side_panel.js";
import { ask, tell } from "./store.js";

const KINDS = {
  shown: "in this message", changed: "changed by a rule", other: "in another message of the answer", lost: "shown nowhere",
};

export async function showWhy(message) {
  const why = await ask("why", { channel: message.channel, message: message.id });
  if (!why?.facts) return tell("Nothing is known about how this message came to be.");
  openPanel("Why?", "Why this message looks like this", [
    make("dl", {}, why.facts.map(([name, words]) => make("div", {}, make("dt", {}, name), make("dd", {}, words)))),
    drawChanges(why.changes), ...drawSource(why)]);
  at("side").querySelector("mark.shown")?.scrollIntoView({ block: "center" });
  return undefined;
}

function drawChanges(changes) {
  if (!changes.length) return make("p", { class: "subtext" }, "No rule changed it.");
  return make("div", {}, make("h3", {}, "Rules"), make("ul", { class: "changes" }, changes.map((one) => make("li", {},
    make("b", {}, one.rule), make("p", {}, make("del", {}, one.before || "nothing"), " → ", make("ins", {}, one.after || "nothing"))))));
}

/** The model's words, with what became of each. */
function drawSource(why) {
  if (!why.parts.length) return [];
  const kinds = [...new Set(why.parts.map((part) => part.kind))];
  const legend = make("p", { class: "legend" }, kinds.filter((kind) => kind in KINDS).map((kind) => make("mark", { class: kind }, KINDS[kind])));
  const parts = why.parts.map((part) =>
    part.kind in KINDS ? make("mark", { class: part.kind, title: KINDS[part.kind] }, part.text) : part.text);
  return [make("h3", {}, "What the model said"), legend,
    make("pre", { class: "source", tabindex: "0", "aria-label": "What the model said" }, parts)];
}
