// `const twin = useTwin()` at the top of a file of vitest.
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { makeUseTwin } from "./hooks.js";
import { matchers } from "./matchers.js";

expect.extend(matchers);
export const useTwin = makeUseTwin({ before: beforeAll, beforeEach, after: afterAll });
export * from "./index.js";
