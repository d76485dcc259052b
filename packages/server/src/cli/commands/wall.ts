// `fairgate wall …`: links that show the wall of the event to everybody who has them.
import {
  newWallTokenReplySchema,
  removedWallTokenSchema,
  wallTokenListSchema,
} from '@fairgate/contracts/console/wall.ts'
import type { Command } from 'commander'
import { reasonOption } from '../acts.ts'
import { addAct, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { formatItems } from '../output/format.ts'

const help = `
The wall shows names and states of all teams, counters, the clock, the newest announcement, and one figure for all logs. It shows
budgets only with --budgets, and never an order by money. Times without an offset are in the zone of the event.

Examples:
  $ fairgate wall new "Hall 1"
  $ fairgate wall new "Foyer" --budgets --freeze-at 2026-11-21T17:00
  $ fairgate wall list
  $ fairgate wall remove wt_…`

export function addWallCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('wall')
    .description('links that show the wall of the event')
    .addHelpText('after', help)
  addRequest(group, context, {
    verb: 'new',
    description: 'make a link of the wall, and print it once',
    arguments: [['<name>', 'where the wall stands, for organisers']],
    options: [
      ['--budgets', 'show what is left of budgets'],
      ['--freeze-at <time>', 'from then on it shows what it has shown then, ISO 8601 (default: never)'],
      reasonOption,
    ],
    names: { budgets: 'shows_budgets' },
    request: (fields, name) => ({ post: '/wall_tokens', body: { name, ...fields } }),
    reply: newWallTokenReplySchema,
    describe: ({ url, name, wall_token_id, freeze_at }) => {
      const frozen = freeze_at === null ? '' : ` From ${freeze_at} on its figures stand still.`
      return `${url}\n\nThis is the wall "${name}" (${wall_token_id}); the link is not shown again.${frozen}`
    },
  })
  addRequest(group, context, {
    verb: 'list',
    description: 'the links of walls',
    request: () => ({ get: '/wall_tokens' }),
    reply: wallTokenListSchema,
    describe: ({ items }) =>
      formatItems(items, 'No links of walls. Make one with "fairgate wall new NAME".', {
        'WALL ID': 'wall_token_id',
        NAME: 'name',
        BUDGETS: wall => (wall.shows_budgets ? 'shown' : 'hidden'),
        'FREEZES AT': 'freeze_at',
        'FROZEN SINCE': 'frozen_at',
        CREATED: 'created_at',
        BY: 'created_by',
      }),
  })
  addAct(group, context, {
    verb: 'remove',
    description: 'remove the link of a wall: it shows nothing any more',
    arguments: [['<wall>', 'its id, as the list shows it']],
    request: (_, id) => ({ delete: `/wall_tokens/${encodeURIComponent(id)}` }),
    reply: removedWallTokenSchema,
    describe: ({ name }) => `The link of the wall "${name}" does not work any more.`,
  })
}
