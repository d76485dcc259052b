// Claude Code: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { textOf } from '../payload.ts'
import type { Tool } from '../tool.ts'
import { findSessionsBelow } from './find-sessions-below.ts'
import { mapClaudeEvent } from './map-event.ts'
import {
  answerMarks,
  digestAnswer,
  findLastModel,
  findModelAfter,
  findStopReason,
} from './read-transcript.ts'

export const claude: Tool = {
  name: 'claude',
  events: ['UserPromptSubmit', 'PostToolUse', 'PostToolUseFailure', 'Stop', 'SubagentStop', 'SessionStart'],
  hookFiles: (root, home) => [
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(home, '.claude', 'settings.json'),
  ],
  projectVariable: 'CLAUDE_PROJECT_DIR',
  findFolders: (payload, { environment, workingFolder }) =>
    [textOf(payload, 'cwd'), environment.CLAUDE_PROJECT_DIR, workingFolder].filter(
      folder => folder !== null && folder !== undefined,
    ),
  mapEvent: mapClaudeEvent,
  userSettings: (home, environment) =>
    join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
  findSessionsBelow,
  late: {
    marks: answerMarks,
    digest: digestAnswer,
    complete: ({ event, ts, summary }, lines) => {
      // Nothing names a model before the first prompt or the start of a session. The answer does.
      const isBegin = event === 'UserPromptSubmit' || event === 'SessionStart'
      const written = findLastModel(lines, ts) ?? (isBegin ? findModelAfter(lines, ts) : null)
      const isEnd = event === 'Stop' || event === 'SubagentStop'
      const reason = isEnd ? { stop_reason: findStopReason(lines, summary, ts) } : {}
      return { model: written?.model ?? null, ...reason }
    },
  },
}
