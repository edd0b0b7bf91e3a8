// `const twin = useTwin()` at the top of a file of node:test.
import { after, before, beforeEach } from "node:test";
import { makeUseTwin } from "./hooks.js";

export const useTwin = makeUseTwin({ before: (run) => before(run), beforeEach: (run) => beforeEach(run), after: (run) => after(run) });
export * from "./index.js";
