// Names the tool of a call or an entry, in one spelling for both, and whether the recorder records it.

/** The tools that the recorder records: only their calls are expected to have entries. */
const recordedTools = ['claude', 'cursor', 'codex', 'gemini', 'copilot', 'antigravity'] as const

/** Spellings of other writers of entries: `Claude Code`, `claude-code`, `GitHub Copilot`. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/^(github[ _-]*)?copilot/, 'copilot'],
  ...recordedTools.map(tool => [new RegExp(`^${tool}([ _-]|$)`), tool] as const),
]

/** The name of a recorded tool; null for any other. */
export function nameToolFamily(name: string | null): string | null {
  const lower = name?.trim().toLowerCase() ?? ''
  return spellings.find(([pattern]) => pattern.test(lower))?.[1] ?? null
}
