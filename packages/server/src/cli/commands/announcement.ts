// `fairgate announce` and `fairgate announcement …`: what organisers tell all teams or some.
import {
  type AnnouncementList,
  type AnnouncementRecord,
  announcementListSchema,
  announcementReplySchema,
} from '@fairgate/contracts/management/announcements.ts'
import type { Command } from 'commander'
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
  readonly reason?: string
}

export function addAnnouncementCommands(program: Command, context: CommandContext): void {
  const { ask, print, show } = context
  program
    .command('announce')
    .description('tell all teams something, or some')
    .argument('<text>', 'one line of plain text')
    .option('--team <a,b>', 'only these teams (default: all)', parseList)
    .option('--link <url>', 'where more is to be read')
    .option('--from <time>', 'ISO 8601 (default: now)')
    .option('--until <time>', 'ISO 8601 (default: until it is removed)')
    .option('--reason <text>', 'why, for the audit')
    .addHelpText('after', help)
    .action(async (text: string, { team, ...others }: AnnounceOptions) => {
      const body = { text, ...others, ...(team === undefined ? {} : { teams: team }) }
      await show({ post: '/announcements', body }, announcementReplySchema, describeMade)
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
  group
    .command('remove')
    .description('take an announcement back')
    .argument('<announcement>', 'its id, as the list shows it')
    .option('--reason <text>', 'why, for the audit')
    .action(async (id: string, query: { readonly reason?: string }) => {
      const request = { delete: `/announcements/${encodeURIComponent(id)}`, query }
      await show(request, announcementReplySchema, ({ text }) => `Teams are no longer told: ${text}`)
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
