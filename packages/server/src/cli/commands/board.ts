// `fairgate board …`: the boards of the teams and their locks. `fairgate team` has the lock commands too.
import {
  type BoardList,
  type BoardRecord,
  boardListSchema,
  boardSchema,
} from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import { addList, addRequest } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
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
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00`

const teamArgument = ['<team>', 'id of the team'] as const

export function addBoardCommands(program: Command, context: CommandContext): void {
  const group = program.command('board').description('boards of the teams and their locks')
  group.addHelpText('after', groupHelp)
  addList(group, context, {
    verb: 'list',
    description: 'the boards of all teams or one: lock, number of entries and head of the chain',
    request: team => ({ get: '/logs/boards', query: { team_id: team } }),
    reply: boardListSchema,
    describe: describeBoards,
  })
  addLockCommands(group, context)
}

type LockOptions = { readonly at?: string; readonly now?: boolean }

export function addLockCommands(group: Command, context: Pick<CommandContext, 'show'>): void {
  group
    .command('lock')
    .description("lock a team's board, now or at a set time: no entry is stored from then on")
    .argument(...teamArgument)
    .option('--at <time>', 'ISO 8601 with offset, such as 2026-11-21T18:00:00+09:00 (default: now)')
    .option('--now', 'lock at once, also with a time in the past')
    .addHelpText('after', lockHelp)
    .action(async (team: string, { at, now }: LockOptions) => {
      const body = {
        team_id: team,
        ...(at === undefined ? {} : { lock_at: at }),
        ...(now === true ? { now } : {}),
      }
      await context.show({ post: '/team/lock', body }, boardSchema, describeBoard)
    })
  addRequest(group, context, {
    verb: 'unlock',
    description: "open a team's board again, and take a set time away",
    argument: teamArgument,
    request: team => ({ post: '/team/unlock', body: { team_id: team } }),
    reply: boardSchema,
    describe: describeBoard,
  })
}

function describeBoards({ boards }: BoardList): string {
  if (boards.length === 0) return 'No boards: there are no teams yet.'
  return formatTable(
    ['TEAM', 'BOARD', 'LOCKS AT', 'ENTRIES', 'HEAD OF CHAIN', 'LOCK CHANGED'],
    boards.map(board => [
      board.team_id,
      board.locked ? 'locked' : 'open',
      board.lock_at ?? absent,
      String(board.head.seq),
      board.head.chain.slice(0, 16),
      board.updated_at,
    ]),
  )
}

function describeBoard({ team_id: team, locked, lock_at: lockAt }: BoardRecord): string {
  if (locked) return `The board of ${team} is locked: no new entries are stored.`
  if (lockAt === null) return `The board of ${team} is open.`
  return `The board of ${team} is open and locks at ${lockAt}.`
}
