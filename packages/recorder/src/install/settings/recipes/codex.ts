// OpenAI Codex CLI: hooks in groups in a separate file. An unknown member at its root would make Codex refuse the file.
import { hookTimeoutSeconds, type Recipe } from '../recipe.ts'
import { codexConfigPath, codexRoot, findCodexSwitchedOff, judgeCodexTrust } from './codex-trust.ts'

export const codexRecipe: Recipe = {
  tool: 'codex',
  file: ['.codex', 'hooks.json'],
  // Seen with 0.169.0, which then runs none of these hooks.
  accepts: [],
  rootMembers: {},
  listOf: event => ['hooks', event],
  item: (event, { line }) => ({
    ...(event === 'PostToolUse' ? { matcher: '*' } : {}),
    hooks: [{ type: 'command', command: line, timeout: hookTimeoutSeconds }],
  }),
  signs: { project: ['.codex'], home: ['.codex'], programs: ['codex'] },
  judgeTrust: judgeCodexTrust,
  trustFiles: places => [codexConfigPath(places)],
  rootOf: codexRoot,
  findSwitchedOff: findCodexSwitchedOff,
  humanStep:
    'Start Codex here once: choose "Trust and continue" for the folder, then "Trust all and continue" for the hooks (or open /hooks later). Until then it runs none of them.',
}
