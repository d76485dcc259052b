/** The members of an entry that the specification names, without the time, in the order of their columns (2.10). Imports nothing: the recorder bundles it. */
export const entryMembers = [
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
