// Claude Code: its events, where its hooks are configured, and how its payloads become entries.
import { join } from 'node:path'
import { textOf } from '../payload.ts'
import type { Tool } from '../tool.ts'
import { mapClaudeEvent } from './map-event.ts'
import { findModel } from './read-transcript.ts'

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
  complete: (_event, ts, lines) => ({ model: findModel(lines, ts)?.model ?? null }),
}
