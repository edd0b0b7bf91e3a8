// One twin for a test file: started before the tests, emptied before each, ended after them.
import { Twin } from "./index.js";

/** Build `useTwin` from the hooks of a test runner. */
export function makeUseTwin({ before, beforeEach, after }) {
  return function useTwin(options = {}) {
    let twin = null;
    before(async () => { twin = await Twin.start(options); }, 60_000);
    beforeEach(async () => { await twin.reset(); });
    after(async () => { await twin?.stop(); });
    // Tests are declared before the twin runs, so they get something that finds it later.
    return new Proxy({}, {
      get(_, name) {
        if (!twin) throw new Error("the twin runs only inside of tests and hooks");
        const value = twin[name];
        return typeof value === "function" ? value.bind(twin) : value;
      },
    });
  };
}
