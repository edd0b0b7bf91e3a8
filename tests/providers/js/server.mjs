// Starts aimock with a few answers, says where it listens, and ends when standard input does.
// The package lies in a cache and not beside this file, so its address is given.

const { LLMock } = await import(process.argv[2]);

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const call = (name, city) => ({ name, arguments: JSON.stringify({ city }) });

const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: "silent" });
mock.on(
  { userMessage: "weather", hasToolResult: true },
  { content: "Sunny in Paris, raining in Zürich.", usage },
);
mock.onMessage("hello", { content: "Hi there! Zürich says 你好 😀.", usage });
mock.onMessage("think", { content: "The answer is 42.", reasoning: "Six times seven.", usage });
mock.onMessage("weather", {
  content: "Let me look.",
  toolCalls: [call("look_up", "Paris"), call("look_up", "Zürich")],
  usage,
});
mock.onMessage("limit", { error: { message: "Slow down", type: "rate_limit_error" }, status: 429 });
await mock.start();
console.log(mock.url);

process.stdin.on("end", async () => {
  await mock.stop();
  process.exit(0);
});
process.stdin.resume();
