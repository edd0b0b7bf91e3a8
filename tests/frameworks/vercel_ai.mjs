// Vercel's AI SDK: an agent with a tool; prints what it says itself, and serves it as a UI message stream.
import { createServer } from "node:http";
import { stepCountIs, streamText, tool } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { z } from "zod";

const [before, after] = JSON.parse(process.argv[2]);
const usage = { inputTokens: { total: 7 }, outputTokens: { total: 5 } };
const text = (words) => [
  { type: "text-start", id: "1" },
  ...words.match(/[^]{1,5}/gu).map((delta) => ({ type: "text-delta", id: "1", delta })),
  { type: "text-end", id: "1" },
];
const finish = (unified) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });
const call = { type: "tool-call", toolCallId: "c", toolName: "look", input: '{"question": "x"}' };
const thought = [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "Hm." },
  { type: "reasoning-end", id: "r" },
];

function run() {
  const answers = [
    [...thought, ...text(before), call, finish("tool-calls")],
    [...text(after), finish("stop")],
  ];
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: answers.shift() }) }),
  });
  const look = tool({ inputSchema: z.object({ question: z.string() }), execute: async () => "42" });
  return streamText({ model, prompt: "hi", tools: { look }, stopWhen: stepCountIs(5) });
}

const said = (await run().steps).map((step) => step.text);
const server = createServer((_, response) => run().pipeUIMessageStreamToResponse(response));
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ said, port: server.address().port })));
