// Which tool a call or an entry is from, in one spelling for both, and whether the recorder records it.

/** The tools whose work the recorder writes down: only their calls are expected to have entries. */
const recordedTools = ['claude', 'cursor', 'codex', 'gemini', 'copilot', 'antigravity'] as const

/** How other writers of entries spell them: `Claude Code`, `claude-code`, `GitHub Copilot`. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/^(github[ _-]*)?copilot/, 'copilot'],
  ...recordedTools.map(tool => [new RegExp(`^${tool}([ _-]|$)`), tool] as const),
]

/** The name of a recorded tool; null for any other. */
export function nameToolFamily(name: string | null): string | null {
  const lower = name?.trim().toLowerCase() ?? ''
  return spellings.find(([pattern]) => pattern.test(lower))?.[1] ?? null
}
