// `fairgate wall …`: links that show the wall of the event to everybody who has them.
import {
  type NewWallTokenReply,
  newWallTokenReplySchema,
  removedWallTokenSchema,
  type WallTokenList,
  wallTokenListSchema,
} from '@fairgate/contracts/console/wall.ts'
import type { Command } from 'commander'
import { reasonOption } from '../acts.ts'
import { addAct } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { absent, formatTable } from '../output/format.ts'

const help = `
The wall shows names and states of all teams, counters, the clock, the newest announcement, and one figure for all logs. It shows
budgets only with --budgets, and never an order by money. Times without an offset are in the zone of the event.

Examples:
  $ fairgate wall new "Hall 1"
  $ fairgate wall new "Foyer" --budgets --freeze-at 2026-11-21T17:00
  $ fairgate wall list
  $ fairgate wall remove wt_…`

type NewOptions = { readonly budgets?: true; readonly freezeAt?: string; readonly reason?: string }

export function addWallCommands(program: Command, context: CommandContext): void {
  const { show } = context
  const group = program
    .command('wall')
    .description('links that show the wall of the event')
    .addHelpText('after', help)
  group
    .command('new')
    .description('make a link of the wall, and print it once')
    .argument('<name>', 'where the wall stands, for organisers')
    .option('--budgets', 'show what is left of budgets')
    .option('--freeze-at <time>', 'from then on it shows what it has shown then, ISO 8601 (default: never)')
    .option(...reasonOption)
    .action((name: string, { budgets, freezeAt, reason }: NewOptions) => {
      const body = {
        name,
        ...(budgets === undefined ? {} : { shows_budgets: budgets }),
        ...(freezeAt === undefined ? {} : { freeze_at: freezeAt }),
        ...(reason === undefined ? {} : { reason }),
      }
      return show({ post: '/wall_tokens', body }, newWallTokenReplySchema, describeNew)
    })
  group
    .command('list')
    .description('the links of walls')
    .action(() => show({ get: '/wall_tokens' }, wallTokenListSchema, describeList))
  addAct(group, context, {
    verb: 'remove',
    description: 'remove the link of a wall: it shows nothing any more',
    argument: ['<wall>', 'its id, as the list shows it'],
    request: id => ({ delete: `/wall_tokens/${encodeURIComponent(id)}` }),
    reply: removedWallTokenSchema,
    describe: ({ name }) => `The link of the wall "${name}" does not work any more.`,
  })
}

function describeNew({ url, name, wall_token_id, freeze_at }: NewWallTokenReply): string {
  const frozen = freeze_at === null ? '' : ` From ${freeze_at} on its figures stand still.`
  return `${url}\n\nThis is the wall "${name}" (${wall_token_id}); the link is not shown again.${frozen}`
}

function describeList({ items }: WallTokenList): string {
  if (items.length === 0) return 'No links of walls. Make one with "fairgate wall new NAME".'
  return formatTable(
    ['WALL ID', 'NAME', 'BUDGETS', 'FREEZES AT', 'FROZEN SINCE', 'CREATED', 'BY'],
    items.map(({ wall_token_id, name, shows_budgets, freeze_at, frozen_at, created_at, created_by }) => [
      wall_token_id,
      name,
      shows_budgets ? 'shown' : 'hidden',
      freeze_at ?? absent,
      frozen_at ?? absent,
      created_at,
      created_by,
    ]),
  )
}
