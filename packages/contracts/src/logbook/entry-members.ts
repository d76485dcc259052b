/** Entry members named in the specification, except the time, in column order (2.10). Imports nothing, because the recorder bundles it. */
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
