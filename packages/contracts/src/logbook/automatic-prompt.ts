// Detects prompts that a tool wrote itself. They are recorded like any other, but no person typed them.

/** Prefixes with which Claude Code reports the end of a background task, and Codex that of a subagent. */
const beginnings = ['<task-notification>', '<subagent_notification>']

export function isAutomaticPrompt(prompt: string): boolean {
  const begin = prompt.trimStart()
  return beginnings.some(beginning => begin.startsWith(beginning))
}
