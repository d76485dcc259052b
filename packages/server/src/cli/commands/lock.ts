// `lock` and `unlock`, which the groups `team` and `board` both have.
import { boardSchema } from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { describeBoard } from '../output/describe-board.ts'

const help = `
A set time needs its offset. It does not open a board that is locked already; unlock takes it away.
One that lies more than a minute in the past is refused, for it would lock the board at once: leave
--at out to lock now, or add --now to keep that time as the time of the lock.

Examples:
  $ fairgate board lock team-01
  $ fairgate board lock team-01 --at 2026-11-21T18:00:00+09:00`

export function addLockCommands(group: Command, { show }: CommandContext): void {
  group
    .command('lock')
    .description("lock a team's board, now or at a set time: no entry is stored from then on")
    .argument('<team>', 'id of the team')
    .option('--at <time>', 'ISO 8601 with offset, such as 2026-11-21T18:00:00+09:00 (default: now)')
    .option('--now', 'lock at once, also with a time in the past')
    .addHelpText('after', help)
    .action(async (team: string, { at, now }: { readonly at?: string; readonly now?: boolean }) => {
      const body = {
        team_id: team,
        ...(at === undefined ? {} : { lock_at: at }),
        ...(now === true ? { now } : {}),
      }
      await show({ post: '/team/lock', body }, boardSchema, describeBoard)
    })
  group
    .command('unlock')
    .description("open a team's board again, and take a set time away")
    .argument('<team>', 'id of the team')
    .action(async (team: string) => {
      await show({ post: '/team/unlock', body: { team_id: team } }, boardSchema, describeBoard)
    })
}
