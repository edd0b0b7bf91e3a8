import type { StartOptions, Twin } from "./index.js";
export * from "./index.js";

/** Start a twin before the tests of a file, empty it before each, end it after them. */
export function useTwin(options?: StartOptions): Twin;
