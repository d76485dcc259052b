// Prompts that a tool writes by itself. They are recorded like any other, but no person typed them.

/** How Claude Code reports the end of a task in the background, and Codex that of a subagent. */
const beginnings = ['<task-notification>', '<subagent_notification>']

export function isAutomaticPrompt(prompt: string): boolean {
  const begin = prompt.trimStart()
  return beginnings.some(beginning => begin.startsWith(beginning))
}
