// `lock` and `unlock`, which the groups `team` and `board` both have.
import { boardSchema } from '@fairgate/contracts/management/boards.ts'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { describeBoard } from '../output/describe-board.ts'

const help = `
A set time needs its offset. It does not open a board that is locked already; unlock takes it away.`

export function addLockCommands(group: Command, { show }: CommandContext): void {
  group
    .command('lock')
    .description("lock a team's board, now or at a set time: no entry is stored from then on")
    .argument('<team>', 'id of the team')
    .option('--at <time>', 'ISO 8601 with offset, such as 2026-11-21T18:00:00+09:00 (default: now)')
    .addHelpText('after', help)
    .action(async (team: string, { at }: { readonly at?: string }) => {
      const body = { team_id: team, ...(at === undefined ? {} : { lock_at: at }) }
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
