// Makes elements. Text is always set as text: nothing here, or anywhere else, reads markup out of a string.

export const at = (id) => document.getElementById(id);

/** An element: `make("p", {class: "x", onclick: f, "aria-label": "y"}, "text", child)`; empty children are left out. */
export function make(tag, given = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...inside.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false && one !== ""));
  return element;
}

const SVG = ["http:", "www.w3.org/2000/svg"].join("//");
const SHAPES = {
  menu: "M4 6h16M4 12h16M4 18h16",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21c0-4 3-6 7-6s7 2 7 6M16 3.5a4 4 0 0 1 0 7M18 15.5c2.500.8 4 2.600 4 5.500",
  plus: "M12 5v14M5 12h14",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.500 14c1.800 2.600 5.200 2.600 7 0M9 9.500v.1M15 9.500v.1",
  send: "M4 12 20 4l-5 16-4-7ZM11 13l9-9",
  reply: "M10 6 4 12l6 6M4 12h9c5 0 7 3 7 7",
  edit: "M4 20h4L20 8l-4-4L4 16ZM14 6l4 4",
  bin: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  why: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM9.500 9.500c0-3.500 5-3.500 5 0 0 2-2.500 2-2.500 4M12 17v.1",
  thread: "M6 4v10c0 2 1 3 3 3h9M14 13l4 4-4 4M10 7h8",
  pin: "M9 3h6l-1 7 3 3H7l3-3ZM12 13v8",
  bell: "M6 17V11c0-8 12-8 12 0v6ZM4 17h16M10 20.500h4",
  eye: "M2 12c5-8 15-8 20 0-5 8-15 8-20 0ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  close: "M6 6l12 12M18 6 6 18",
  file: "M6 3h8l4 4v14H6ZM14 3v4h4",
  down: "M12 5v14M6 13l6 6 6-6",
  app: "M4 4h7v7H4ZM13 4h7v7h-7ZM4 13h7v7H4ZM13 13h7v7h-7Z",
  tools: "M14.700 6.300a4 4 0 0 0-5.200 5.200L3 18v3h3l6.500-6.500a4 4 0 0 0 5.200-5.200l-2.700 2.700-2.300-.7-.7-2.300Z",
  hash: "M5 9h15M4 15h15M10 4 8 20M16 4l-2 16",
  forum: "M4 5h16v11H10l-4 4v-4H4ZM8 9h8M8 12h5",
};

/** One of our own line drawings; it says nothing to a screen reader. */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  for (const [key, value] of [["viewBox", "0 0 24 24"], ["aria-hidden", "true"]]) drawing.setAttribute(key, value);
  path.setAttribute("d", SHAPES[name]);
  drawing.append(path);
  return drawing;
}

/** A avatar: the picture, or a letter where there is none; never one over the other. */
export function avatar(view, size = "") {
  if (view.picture) return make("img", { class: `avatar ${size}`, src: view.picture, alt: "" });
  return make("span", { class: `avatar ${size} colour-${view.colour}`, "data-letter": view.letter, "aria-hidden": "true" });
}

/** An emoji: its picture, or its character. */
export function emoji(view, size = "") {
  if (view.picture) return make("img", { class: `emoji ${size}`, src: view.picture, alt: view.text, title: view.text });
  return make("span", { class: `emoji ${size}` }, view.text);
}

/** Whether one id is older than another; ids are numbers too large for a script. */
export const isOlder = (one, other) => one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);

const CLOCK = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const CALENDAR = new Intl.DateTimeFormat([], { day: "numeric", month: "long", year: "numeric" });
export const clock = (ms) => CLOCK.format(ms);
export const day = (ms) => CALENDAR.format(ms);

export function bytes(count) {
  if (count < 1024) return `${count} bytes`;
  return count < 1 << 20 ? `${(count / 1024).toFixed(1)} KB` : `${(count / (1 << 20)).toFixed(1)} MB`;
}

/** The files of an input or a drop, as the twin takes them. */
export function readFiles(files) {
  return Promise.all([...files].map(async (file) => {
    const content = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let start = 0; start < content.length; start += 32768)
      text += String.fromCharCode(...content.subarray(start, start + 32768));
    return { name: file.name, data: btoa(text) };
  }));
}
