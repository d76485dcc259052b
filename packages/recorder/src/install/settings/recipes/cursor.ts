// Cursor: flat lists of hooks. The command must be one simple command, because Cursor adds the payload to the line as a here-document.
import { hookTimeoutSeconds, type Recipe, unknownTrust } from '../recipe.ts'

export const cursorRecipe: Recipe = {
  tool: 'cursor',
  file: ['.cursor', 'hooks.json'],
  // As its hook engine of 1.0.18 parses the file. It also takes `//` within a text for a comment.
  accepts: ['comment'],
  rootMembers: { version: 1 },
  listOf: event => ['hooks', event],
  item: (_event, { line }) => ({ command: line, timeout: hookTimeoutSeconds }),
  signs: { project: ['.cursor', '.cursorrules'], home: ['.cursor'], programs: ['cursor', 'cursor-agent'] },
  judgeTrust: () => unknownTrust,
  trustFiles: () => [],
  findSwitchedOff: () => null,
  humanStep:
    'Quit Cursor and start it again once. Before that the first prompt of a session is not recorded.',
}
