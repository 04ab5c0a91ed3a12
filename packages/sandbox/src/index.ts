export { openSandbox, type SandboxLimits } from "./open-sandbox.js";
export { runScript, type SandboxAction, type SandboxRun, type SandboxSubject, type ScriptInput } from "./run-script.js";
