// Matchers for vitest and jest: `expect.extend(matchers)`.

const texts = (messages) => messages.map((one) => `  ${one.name}: ${one.content}`).join("\n") || "  (none)";
const fits = (text, wanted) => (wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted));
const result = (pass, said) => ({ pass, message: () => said });

export const matchers = {
  /** A message of the twin has a text: `expect(message).toSay(/hello/)`. */
  toSay(message, wanted) {
    const pass = fits(message?.content ?? "", wanted);
    return result(pass, `expected the message ${pass ? "not " : ""}to say ${wanted}; it says: ${message?.content}`);
  },

  /** A bot has written a text into a channel: `await expect(twin).toHaveSaid("hello", channel)`. */
  async toHaveSaid(twin, wanted, channel) {
    const messages = (await twin.messages(channel)).filter((one) => one.author.bot);
    const pass = messages.some((one) => fits(one.content, wanted));
    return result(pass, `expected the bot ${pass ? "not " : ""}to have said ${wanted}; it said:\n${texts(messages)}`);
  },

  /** A user was notified: `await expect(twin).toHavePinged(user)`. */
  async toHavePinged(twin, user) {
    const pings = await twin.pings();
    const pass = pings.some((one) => one.user_ids.includes(user.id));
    return result(pass, `expected ${user.name ?? user.id} ${pass ? "not " : ""}to be notified; there were ${pings.length} notifications`);
  },

  /** Discord refused nothing that the bot asked for: `await expect(twin).toHaveRefusedNothing()`. */
  async toHaveRefusedNothing(twin) {
    const refused = (await twin.requests({ limit: 1000 })).filter((one) => one.status >= 400 && !one.faults.length);
    const said = refused.map((one) => `  ${one.status} ${one.method} ${one.path}: ${one.why}`).join("\n");
    return result(!refused.length, refused.length ? `expected no refused request:\n${said}` : "expected a refused request");
  },
};
