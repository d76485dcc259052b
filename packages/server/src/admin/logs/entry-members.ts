// The members of an entry that people look at: what columns they have, and which of them are left where an entry must be short.

/** In the order of their columns. */
export const shownMembers = [
  'tool',
  'event',
  'session_id',
  'repo',
  'branch',
  'commit',
  'student',
  'model',
  'prompt',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_error',
  'response_summary',
  'stop_reason',
] as const

const wordy: ReadonlySet<string> = new Set(['tool_input', 'tool_response', 'tool_error', 'response_summary'])

/** What tells an entry apart, where it has so many members that only these are left. */
export const namingMembers: ReadonlySet<string> = new Set([
  'ts',
  ...shownMembers.filter(name => !wordy.has(name)),
])
