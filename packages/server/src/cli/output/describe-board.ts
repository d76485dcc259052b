// Boards and their locks as lines for people.
import type { BoardList, BoardRecord } from '@fairgate/contracts/management/boards.ts'
import { formatTable } from './format-table.ts'
import { absent } from './format-values.ts'

export function describeBoards({ boards }: BoardList): string {
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

export function describeBoard({ team_id: team, locked, lock_at: lockAt }: BoardRecord): string {
  if (locked) return `The board of ${team} is locked: no new entries are stored.`
  if (lockAt === null) return `The board of ${team} is open.`
  return `The board of ${team} is open and locks at ${lockAt}.`
}
