// `fairgate announce` and `fairgate announcement …`: announcements to all teams or to some.
import {
  announcementListSchema,
  announcementReplySchema,
} from '@fairgate/contracts/management/announcements.ts'
import type { Command } from 'commander'
import { addAction, addCommand } from '../add-request.ts'
import { type CommandContext, readPages } from '../command-context.ts'
import { parseList, parseTime, timeHelp } from '../options.ts'
import { formatItems } from '../output/format.ts'

const help = `
Teams see it in /team/info, in "fairgate-recorder status", and once per clone after a push.
${timeHelp}
Times without an offset are in the event's time zone.

Examples:
  $ fairgate announce "Lunch is served in hall 2." --until 2026-11-21T14:00
  $ fairgate announce "Demos at 17:00." --team red --link https://example.org
  $ fairgate announcement list
  $ fairgate announcement remove an_…`

export function addAnnouncementCommands(program: Command, context: CommandContext): void {
  const { ask, print } = context
  addAction(program, context, {
    verb: 'announce',
    description: 'announce something to all teams, or to some',
    arguments: [['<text>', 'one line of plain text']],
    options: [
      ['--team <a,b>', 'only these teams (default: all)', parseList],
      ['--link <url>', 'address with more about it'],
      ['--from <time>', 'show it from then on (default: now)', parseTime],
      ['--until <time>', 'show it until then, such as +2h (default: until it is removed)', parseTime],
    ],
    names: { team: 'teams' },
    help,
    request: (fields, text) => ({ post: '/announcements', body: { text, ...fields } }),
    reply: announcementReplySchema,
    describe: ({ announcement_id, state, from, shown_to, until }) => {
      const teams = shown_to === 1 ? '1 team' : `${shown_to} teams`
      const whom = state === 'coming' ? `will be shown from ${from}` : `is shown to ${teams}`
      return `Announcement ${announcement_id} ${whom}${until === null ? '' : `, until ${until}`}.`
    },
  })
  const group = program.command('announcement').description('manage announcements').addHelpText('after', help)
  addCommand(
    group,
    {
      verb: 'list',
      description: 'list current and scheduled announcements, newest first',
      options: [['--past', 'include those that are over or were removed']],
    },
    async filter => {
      const query = { ...filter, limit: 500 }
      const list = await readPages(
        after => ask({ get: '/announcements', query: { ...query, after } }, announcementListSchema),
        page => page.next,
      )
      print(
        list,
        ({ items }) =>
          formatItems(items, 'No announcements. Create one with "fairgate announce TEXT".', {
            'ANNOUNCEMENT ID': 'announcement_id',
            STATE: 'state',
            FOR: ({ audience }) => (audience === 'all' ? 'all teams' : audience.join(',')),
            FROM: 'from',
            UNTIL: 'until',
            'READ BY': ({ read_count, shown_to }) =>
              read_count === null ? null : `${read_count} of ${shown_to} teams`,
            TEXT: ({ text, link }) => (link === null ? text : `${text} (${link})`),
          }),
        'items',
      )
    },
  )
  addAction(group, context, {
    verb: 'remove',
    description: 'remove an announcement',
    arguments: [['<announcement>', 'id, as the list shows it']],
    request: (_, id) => ({ delete: `/announcements/${encodeURIComponent(id)}` }),
    reply: announcementReplySchema,
    describe: ({ text }) => `Teams no longer see: ${text}`,
  })
}
