// The panel at the right that stands where the people are: why a message looks so, its requests and events, test tools.
import { at, icon, make } from "./dom.js";

let whenClosed = null;

/** Open the panel; `closed` is called when it goes. Returns the element that holds the content. */
export function openPanel(title, label, inside, closed = null) {
  whenClosed?.();
  whenClosed = closed;
  const side = at("side"), back = document.body.classList.contains("panel") ? null : document.activeElement;
  const close = () => {
    whenClosed?.();
    whenClosed = null;
    document.body.classList.remove("panel", "side");
    side.dispatchEvent(new Event("people"));
    (back?.isConnected ? back : at("text")).focus();
  };
  const content = make("div", { class: "panel-content" }, inside);
  side.setAttribute("aria-label", label);
  side.replaceChildren(make("div", { class: "panel-frame", onkeydown: (event) => { if (event.key === "Escape") close(); } },
    make("header", {}, make("h2", { tabindex: "-1" }, title),
      make("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, icon("close"))),
    content));
  document.body.classList.add("panel", "side");
  side.querySelector("h2").focus();
  return content;
}
