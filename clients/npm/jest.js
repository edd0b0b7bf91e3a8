// `const twin = useTwin()` at the top of a file of jest; ES modules need `node --experimental-vm-modules`.
import { afterAll, beforeAll, beforeEach, expect } from "@jest/globals";
import { makeUseTwin } from "./hooks.js";
import { matchers } from "./matchers.js";

expect.extend(matchers);
export const useTwin = makeUseTwin({ before: beforeAll, beforeEach, after: afterAll });
export * from "./index.js";
