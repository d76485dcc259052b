// `fairgate board …`: boards of teams and their locks. `fairgate team` has the lock commands too.
import { type BoardRecord, boardListSchema, boardSchema } from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import { addCommand, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { addOnTeams, manyTeamsHelp, manyTeamsOptions, runOnTeams } from '../many-teams.ts'
import { parseTime } from '../options.ts'
import { formatItems } from '../output/format.ts'

const groupHelp = `
Examples:
  $ fairgate board list
  $ fairgate board list team-01
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate board unlock team-01`

const lockHelp = `
A lock time needs its offset. It does not open a board that is locked already; unlock removes it.
A time more than a minute in the past is refused because it would lock the board at once: leave --at out
to lock now, or add --now to record that time as the time of the lock.

Examples:
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate board lock --all --dry-run
${manyTeamsHelp}`

export function addBoardCommands(program: Command, context: CommandContext): void {
  const group = program.command('board').description('lock and unlock the boards of teams')
  group.addHelpText('after', groupHelp)
  addRequest(group, context, {
    verb: 'list',
    description: 'list boards: lock, number of entries and head of the chain',
    isOfTeams: true,
    request: query => ({ get: '/logs/boards', query }),
    reply: boardListSchema,
    list: 'boards',
    describe: ({ boards }) =>
      formatItems(boards, 'No boards: there are no teams yet.', {
        TEAM: 'team_id',
        BOARD: board => (board.locked ? 'locked' : 'open'),
        'LOCKS AT': board => board.lock_at ?? board.event_lock?.locks_at,
        ENTRIES: board => board.head.seq,
        'HEAD OF CHAIN': board => board.head.chain.slice(0, 16),
        'LOCK CHANGED': 'updated_at',
      }),
  })
  addLockCommands(group, context)
}

export function addLockCommands(group: Command, { show, runAction }: CommandContext): void {
  addCommand(
    group,
    {
      verb: 'lock',
      description: 'lock the board of a team, or of many, now or at a given time: it stores no new entries',
      arguments: [['[team]', 'id of the team']],
      options: [
        ['--at <time>', 'when, such as 2026-11-21T18:00:00+09:00 or +15m (default: now)', parseTime],
        ['--now', 'lock at once, even with a time in the past'],
        ...manyTeamsOptions,
      ],
      names: { at: 'lock_at' },
      help: lockHelp,
    },
    ({ now, ...fields }, team: string | undefined) =>
      runOnTeams(team, now === true && team === undefined ? { ...fields, yes: true } : fields, {
        path: '/teams/lock',
        one: (team_id, { lock_at }) =>
          show({ post: '/team/lock', body: { team_id, lock_at, now } }, boardSchema, describeBoard),
        runAction,
      }),
  )
  addOnTeams(
    group,
    {
      verb: 'unlock',
      description: 'unlock the board of a team, or of many, and remove its lock time',
      help: manyTeamsHelp,
    },
    {
      path: '/teams/unlock',
      one: team_id => show({ post: '/team/unlock', body: { team_id } }, boardSchema, describeBoard),
      runAction,
    },
  )
}

function describeBoard({ team_id: team, locked, lock_at: lockAt, event_lock: ofEvent }: BoardRecord): string {
  if (locked && ofEvent !== undefined)
    return `The board of ${team} is locked by the event since ${ofEvent.locks_at}; entries from before are accepted until ${ofEvent.late_until}.`
  if (locked) return `The board of ${team} is locked: it stores no new entries.`
  if (lockAt === null) return `The board of ${team} is open.`
  return `The board of ${team} is open and locks at ${lockAt}.`
}
