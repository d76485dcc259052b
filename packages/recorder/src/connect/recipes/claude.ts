// Claude Code: the `env` of the settings that belong to this work tree alone. Seen to work with 2.1.330, also from a subfolder.
import { join } from 'node:path'
import type { ConnectionRecipe, Gateway } from '../recipe.ts'

export const claudeConnection: ConnectionRecipe = {
  tool: 'claude',
  signs: { project: ['.claude', 'CLAUDE.md'], home: ['.claude'], programs: ['claude'] },
  edits: (gateway, { root }) => [
    {
      path: join(root, '.claude', 'settings.local.json'),
      holdsKey: true,
      format: 'json',
      accepts: ['byte order mark'],
      members: Object.entries(listVariables(gateway)).map(([name, value]) => [['env', name], value]),
    },
  ],
  variables: listVariables,
  // Its settings replace what the shell has set.
  stronger: [],
  note: null,
}

function listVariables({ url, key, model }: Gateway): Record<string, string> {
  return {
    // Without /v1, which Claude Code adds by itself.
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    // The names that it uses by itself for small tasks and subagents.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Auto mode lets its maker's server check actions otherwise, which no gateway can, and 2.1.331 then refuses every one of them. With 0 it
    // asks the model.
    CLAUDE_CODE_AUTO_MODE_SERVER: '0',
  }
}
