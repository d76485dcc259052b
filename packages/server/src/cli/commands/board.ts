// `fairgate board …`: the boards of the teams and their locks. `fairgate team` has the lock commands too.
import {
  type BoardList,
  type BoardRecord,
  boardListSchema,
  boardSchema,
} from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import type { RunAct } from '../acts.ts'
import { addList } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { addManyTeamsOptions, type ManyTeamsOptions, manyTeamsHelp, runOnTeams } from '../many-teams.ts'
import { absent, formatTable } from '../output/format.ts'

const groupHelp = `
Examples:
  $ fairgate board list
  $ fairgate board list team-01
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate board unlock team-01`

const lockHelp = `
A set time needs its offset. It does not open a board that is locked already; unlock takes it away.
One that lies more than a minute in the past is refused, for it would lock the board at once: leave
--at out to lock now, or add --now to keep that time as the time of the lock.

Examples:
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00
  $ fairgate board lock --all --dry-run
${manyTeamsHelp}`

const teamArgument = ['[team]', 'id of the team'] as const

export function addBoardCommands(program: Command, context: CommandContext, runAct: RunAct): void {
  const group = program.command('board').description('boards of the teams and their locks')
  group.addHelpText('after', groupHelp)
  addList(group, context, {
    verb: 'list',
    description: 'the boards of all teams or one: lock, number of entries and head of the chain',
    request: team => ({ get: '/logs/boards', query: { team_id: team } }),
    reply: boardListSchema,
    describe: describeBoards,
  })
  addLockCommands(group, context, runAct)
}

type LockOptions = ManyTeamsOptions & { readonly at?: string; readonly now?: boolean }

export function addLockCommands(
  group: Command,
  { show }: Pick<CommandContext, 'show'>,
  runAct: RunAct,
): void {
  const lock = group
    .command('lock')
    .description("lock a team's board, or many, now or at a set time: no entry is stored from then on")
    .argument(...teamArgument)
    .option('--at <time>', 'ISO 8601 with offset, such as 2026-11-21T18:00:00+09:00 (default: now)')
    .option('--now', 'lock at once, also with a time in the past')
  addManyTeamsOptions(lock)
    .addHelpText('after', lockHelp)
    .action(async (team: string | undefined, options: LockOptions) => {
      const fields = options.at === undefined ? {} : { lock_at: options.at }
      const now = options.now === true
      await runOnTeams(team, now && team === undefined ? { ...options, yes: true } : options, {
        path: '/teams/lock',
        fields,
        one: team_id =>
          show(
            { post: '/team/lock', body: { team_id, ...fields, ...(now ? { now } : {}) } },
            boardSchema,
            describeBoard,
          ),
        runAct,
      })
    })
  const unlock = group
    .command('unlock')
    .description("open a team's board again, or many, and take a set time away")
    .argument(...teamArgument)
  addManyTeamsOptions(unlock)
    .addHelpText('after', manyTeamsHelp)
    .action((team: string | undefined, options: ManyTeamsOptions) =>
      runOnTeams(team, options, {
        path: '/teams/unlock',
        one: team_id => show({ post: '/team/unlock', body: { team_id } }, boardSchema, describeBoard),
        runAct,
      }),
    )
}

function describeBoards({ boards }: BoardList): string {
  if (boards.length === 0) return 'No boards: there are no teams yet.'
  return formatTable(
    ['TEAM', 'BOARD', 'LOCKS AT', 'ENTRIES', 'HEAD OF CHAIN', 'LOCK CHANGED'],
    boards.map(board => [
      board.team_id,
      board.locked ? 'locked' : 'open',
      board.lock_at ?? board.event_lock?.locks_at ?? absent,
      String(board.head.seq),
      board.head.chain.slice(0, 16),
      board.updated_at,
    ]),
  )
}

function describeBoard({ team_id: team, locked, lock_at: lockAt, event_lock: ofEvent }: BoardRecord): string {
  if (locked && ofEvent !== undefined)
    return `The board of ${team} is locked by the event since ${ofEvent.locks_at}; what happened before is taken until ${ofEvent.late_until}.`
  if (locked) return `The board of ${team} is locked: no new entries are stored.`
  if (lockAt === null) return `The board of ${team} is open.`
  return `The board of ${team} is open and locks at ${lockAt}.`
}
