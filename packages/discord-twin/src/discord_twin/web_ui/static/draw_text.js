// Draws text that the twin has read as Discord reads it: lines, code, quotes, and runs in one look each.
import { emoji, make } from "./dom.js";

const TAGS = { bold: "strong", italic: "em", underline: "u", strike: "s", code: "code" };
const CLASSES = { text: undefined, subtext: "subtext", item: "item" };

export const drawBlocks = (blocks) => blocks.map(drawBlock);

function drawBlock(block) {
  if ("code" in block) return drawCode(block);
  if ("quote" in block) return make("blockquote", {}, drawBlocks(block.quote));
  const runs = block.runs.map(drawRun);
  const tag = block.line.startsWith("h") ? `h${+block.line[1] + 2}` : "p";
  const kind = tag === "p" ? CLASSES[block.line] : `size-${block.line[1]}`;
  return make(tag, { class: kind }, block.lead, runs.length ? runs : make("br"));
}

function drawCode(block) {
  const copy = make("button", {
    type: "button", class: "copy", onclick: (event) => {
      navigator.clipboard?.writeText(block.code);
      event.target.textContent = "Copied";
    },
  }, "Copy");
  const label = block.language ? make("span", { class: "language" }, block.language) : null;
  return make("div", { class: "code" }, make("pre", { tabindex: "0", "aria-label": "Code" }, block.code), label, copy);
}

function drawRun(run) {
  let drawn = run.picture ? emoji(run) : document.createTextNode(run.text);
  for (const style of run.styles) {
    if (style in TAGS) drawn = make(TAGS[style], {}, drawn);
    else if (style === "mention") drawn = make("span", { class: "mention" }, drawn);
    else if (style === "link") drawn = drawLink(run.to, drawn);
    else if (style === "spoiler") drawn = drawSpoiler(drawn);
  }
  return drawn;
}

/** Only addresses of the web can be followed, and only by someone who clicks. */
function drawLink(to, inside) {
  if (!/^https?:/i.test(to)) return make("span", {}, inside);
  return make("a", { href: to, target: "_blank", rel: "noopener noreferrer nofollow", title: to }, inside);
}

export function drawSpoiler(inside) {
  const show = (event) => {
    if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
    if (!spoiler.classList.contains("open")) event.preventDefault();
    spoiler.classList.add("open");
    spoiler.removeAttribute("aria-label");
    content.removeAttribute("aria-hidden");
  };
  const content = make("span", { "aria-hidden": "true" }, inside);
  const given = { class: "spoiler", tabindex: "0", role: "button", "aria-label": "Spoiler", onclick: show, onkeydown: show };
  const spoiler = make("span", given, content);
  return spoiler;
}
