// A compacted conversation, for agents that ask for it (Codex with its built-in provider): one item that only we read.

const version = 'fgc1.'

/** Added as the last message if the answer should be the compacted conversation. */
export const compactionPrompt =
  'Summarise the conversation so far, so that another model can go on with the task from your summary alone. Cover what the user asked for, ' +
  'what was done and decided, which files, names and values matter, and what remains to be done. Answer with the summary only.'

export function packSummary(text: string): string {
  return version + Buffer.from(text).toString('base64url')
}

/** Null if it is not ours. */
export function unpackSummary(packed: string): string | null {
  if (!packed.startsWith(version)) return null
  return Buffer.from(packed.slice(version.length), 'base64url').toString()
}
