// The inspector: every request of a bot and every event to it that was about one message.
import { make } from "./dom.js";
import { control } from "./control_api.js";
import { openPanel } from "./side_panel.js";

const STAMP = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });

export async function showHistory(message) {
  const history = await control("GET", `messages/${message.id}/history`);
  if (!history) return;
  const steps = [
    ...history.requests.map((one) => ({ at: one.at, draw: () => drawRequest(one) })),
    ...history.events.map((one) => ({ at: one.at, draw: () => drawEvent(one) })),
  ].sort((one, other) => one.at - other.at);
  openPanel("Requests and events", "Requests and events about this message", [
    make("p", { class: "subtext" }, `Message ${message.id}. What the bot asked of Discord, and what Discord told the bot.`),
    make("button", { type: "button", class: "button", onclick: () => showHistory(message) }, "Look again"),
    steps.length ? steps.map((one) => one.draw())
      : make("p", {}, "Nothing: no bot asked for it, and none was connected when it was written."),
  ]);
}

/** A request as one line that opens: its body, and why it was refused. */
export function drawRequest(one) {
  const status = one.status || "cut";
  const fault = one.faults.length ? ` · injected: ${one.faults.join(", ")}` : "";
  return make("details", { class: `step ${one.status >= 200 && one.status < 300 ? "" : "refused"}` },
    make("summary", {}, make("b", {}, String(status)), ` ${one.method} ${one.route || one.path} `, make("small", {}, STAMP.format(one.at * 1000))),
    make("p", { class: "subtext" }, `${one.path}${fault}`),
    one.why && make("p", { class: "why-refused" }, one.why),
    one.body !== null && drawJson("What the bot sent", one.body));
}

function drawEvent(one) {
  return make("details", { class: "step event" },
    make("summary", {}, make("b", {}, "event"), ` ${one.name} `, make("small", {}, STAMP.format(one.at * 1000))),
    drawJson("What the bot got", one.data));
}

const drawJson = (label, value) => make("pre", { class: "source", tabindex: "0", "aria-label": label },
  typeof value === "string" ? value : JSON.stringify(value, null, 2));
