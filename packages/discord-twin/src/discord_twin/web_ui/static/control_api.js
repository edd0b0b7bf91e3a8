// The control API of this twin, for the tools of the page: the same that tests in other languages use.
import { tell } from "./store.js";

/** Ask the control API. Returns its answer, `{}` if there is none, and `null` if it was refused: then a line says why. */
export async function control(method, path, body) {
  try {
    const answer = await fetch(`/control/${path}`, {
      method, headers: body && { "content-type": "application/json" }, body: body && JSON.stringify(body),
    });
    const said = answer.status === 204 ? {} : await answer.json();
    if (answer.ok) return said;
    tell(said.error);
  } catch {
    tell("The twin is away. Nothing was done.");
  }
  return null;
}

const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

/** Seconds as a person writes them: 90 is "1 min 30 s". */
export function duration(seconds) {
  let left = Math.round(seconds);
  const parts = UNITS.map(([size, name]) => { const count = Math.floor(left / size); left -= count * size; return count && `${count} ${name}`; });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "0 s";
}
