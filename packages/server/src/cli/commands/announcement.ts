// `fairgate announce` and `fairgate announcement …`: what organisers tell all teams or some.
import {
  type AnnouncementList,
  type AnnouncementRecord,
  announcementListSchema,
  announcementReplySchema,
} from '@fairgate/contracts/management/announcements.ts'
import type { Command } from 'commander'
import { dryRunOption, type PlainOptions, reasonOption, showAct } from '../acts.ts'
import { addAct } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { parseList } from '../options.ts'
import { absent, formatTable } from '../output/format.ts'

const help = `
Teams see it in /team/info, in "fairgate-recorder status", and once per clone after a push.
Times without an offset are in the zone of the event.

Examples:
  $ fairgate announce "Lunch is served in hall 2." --until 2026-11-21T14:00
  $ fairgate announce "Your demo is at 17:00." --team red,blue --link https://example.org/demos
  $ fairgate announcement list
  $ fairgate announcement remove an_…`

type AnnounceOptions = {
  readonly team?: readonly string[]
  readonly link?: string
  readonly from?: string
  readonly until?: string
} & PlainOptions

export function addAnnouncementCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  program
    .command('announce')
    .description('tell all teams something, or some')
    .argument('<text>', 'one line of plain text')
    .option('--team <a,b>', 'only these teams (default: all)', parseList)
    .option('--link <url>', 'where more is to be read')
    .option('--from <time>', 'ISO 8601 (default: now)')
    .option('--until <time>', 'ISO 8601 (default: until it is removed)')
    .option(...reasonOption)
    .option(...dryRunOption)
    .addHelpText('after', help)
    .action(async (text: string, { team, link, from, until, ...options }: AnnounceOptions) => {
      const body = { text, link, from, until, ...(team === undefined ? {} : { teams: team }) }
      const request = { post: '/announcements', body }
      await showAct(context, request, options, announcementReplySchema, describeMade)
    })
  const group = program.command('announcement').description('what teams are told').addHelpText('after', help)
  group
    .command('list')
    .description('what teams are told now and will be told, the newest first')
    .option('--past', 'also what is over or was removed')
    .action(async ({ past }: { readonly past?: boolean }) => {
      const query = { past, limit: 500 }
      let list = await ask({ get: '/announcements', query }, announcementListSchema)
      while (list.next !== null) {
        const page = await ask(
          { get: '/announcements', query: { ...query, after: list.next } },
          announcementListSchema,
        )
        list = { ...page, items: [...list.items, ...page.items] }
      }
      print(list, describeList)
    })
  addAct(group, context, {
    verb: 'remove',
    description: 'take an announcement back',
    argument: ['<announcement>', 'its id, as the list shows it'],
    request: id => ({ delete: `/announcements/${encodeURIComponent(id)}` }),
    reply: announcementReplySchema,
    describe: ({ text }) => `Teams are no longer told: ${text}`,
  })
}

function describeMade({ announcement_id, state, from, shown_to, until }: AnnouncementRecord): string {
  const teams = shown_to === 1 ? '1 team' : `${shown_to} teams`
  const whom = state === 'coming' ? `will be shown from ${from}` : `is shown to ${teams}`
  return `Announcement ${announcement_id} ${whom}${until === null ? '' : `, until ${until}`}.`
}

function describeList({ items }: AnnouncementList): string {
  if (items.length === 0) return 'No announcements. Make one with "fairgate announce TEXT".'
  return formatTable(
    ['ANNOUNCEMENT ID', 'STATE', 'FOR', 'FROM', 'UNTIL', 'READ BY', 'TEXT'],
    items.map(({ announcement_id, state, audience, from, until, text, link, shown_to, read_count }) => [
      announcement_id,
      state,
      audience === 'all' ? 'all teams' : audience.join(','),
      from,
      until ?? absent,
      read_count === null ? absent : `${read_count} of ${shown_to} teams`,
      link === null ? text : `${text} (${link})`,
    ]),
  )
}
