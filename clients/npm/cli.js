#!/usr/bin/env node
// `npx discord-twin …`: run Python's discord-twin with these arguments, installed or fetched by uvx or pipx.
import { spawn } from "node:child_process";
import { COMMANDS } from "./index.js";

function run([[program, ...rest], ...others]) {
  const child = spawn(program, [...rest, ...process.argv.slice(2)], { stdio: "inherit" });
  child.on("error", () => {
    if (others.length) return run(others);
    console.error("discord-twin needs Python: pip install discord-twin, or install uv or pipx");
    process.exitCode = 127;
    return undefined;
  });
  child.on("exit", (code, signal) => { process.exit(code ?? (signal ? 1 : 0)); });
  // Ctrl-C in a terminal reaches the twin by itself; a signal to this process alone is passed on.
  for (const name of ["SIGINT", "SIGTERM"])
    process.on(name, () => setTimeout(() => { if (child.exitCode === null) child.kill(name); }, PASS_ON_MS));
  return undefined;
}

const PASS_ON_MS = 300;
// `npx` puts its own folder first in the path: this file must not find itself.
process.env.PATH = process.env.PATH.split(process.platform === "win32" ? ";" : ":").filter((one) => !one.includes("node_modules"))
  .join(process.platform === "win32" ? ";" : ":");
run(COMMANDS);
