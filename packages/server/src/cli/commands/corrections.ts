// `fairgate grant`, `refund` and `adjust`: rows of the ledger on top of budgets and charges.
import {
  correctionReplySchema,
  grantReplySchema,
  refundUndeliveredReplySchema,
} from '@fairgate/contracts/management/corrections.ts'
import { type Command, InvalidArgumentError } from 'commander'
import { dryRunOption, type PlainOptions, type RunAct, showAct } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import { addManyTeamsOptions, chooseTeams, type ManyTeamsOptions, manyTeamsHelp } from '../many-teams.ts'
import { parseNano } from '../options.ts'
import { formatUsd } from '../output/format.ts'

type GrantOptions = ManyTeamsOptions & { readonly id?: string }
type CorrectionOptions = {
  readonly reason: string
  readonly id?: string
  readonly amount?: number
  readonly dryRun?: boolean
}

const help = `
Each is a row of the ledger with its reason; what was written before is never changed. With --id the same
correction counts once, however often it is sent.

Examples:
  $ fairgate grant team-01 10 --reason "the network was down"
  $ fairgate grant --all 10 --reason "an hour more"
  $ fairgate refund 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f --reason "the upstream was down"
  $ fairgate refund-undelivered --from 2026-11-21T10:02:00+09:00 --until 2026-11-21T10:04:00+09:00 --reason "the disk failed"
  $ fairgate adjust 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f -0.25 --reason "priced too high"`

export function addCorrectionCommands(
  program: Command,
  { show }: Pick<CommandContext, 'show'>,
  runAct: RunAct,
): void {
  const grant = program
    .command('grant')
    .description('raise the budget of a team, or of many, in the present period')
    .usage('[options] [team] <usd>')
    .argument('[team]', 'id of the team; absent with --all, --team or --where')
    .argument('[usd]', 'USD; a negative one takes back of a grant')
    .allowUnknownOption()
    .option('--id <id>', 'chosen by you, so that a repeated command counts once')
  addManyTeamsOptions(grant)
    .addHelpText('after', `${manyTeamsHelp}\n${help}`)
    .action(async (first: string | undefined, second: string | undefined, options: GrantOptions) => {
      const [team, text] = second === undefined ? [undefined, first] : [first, second]
      if (text === undefined) throw refuseUsage('name the amount in USD, such as: fairgate grant team-01 10.')
      if (options.reason === undefined)
        throw refuseUsage('say why with --reason: it stands in the ledger and in the audit.')
      const { reason, id, dryRun, yes } = options
      const fields = {
        amount_nano: parseAmount(text),
        ...(id === undefined ? {} : { adjustment_id: id }),
      }
      const chosen = chooseTeams(team, options)
      if (team === undefined || dryRun === true || yes === true || options.where !== undefined) {
        const body = { ...chosen, ...fields, reason }
        return await runAct({ post: '/teams/grant', body }, options)
      }
      const path = `/team/${encodeURIComponent(team)}/grant`
      await show({ post: path, body: { ...fields, reason } }, grantReplySchema, reply => {
        const total = formatUsd(reply.granted_nano / 1e9)
        return `Team ${reply.team_id} has ${total} USD on top of its budget in this period.`
      })
    })
  addOptions(program.command('refund').description('give back the charge of a call, or a part of it'))
    .argument('<call>', 'id of the call')
    .option('--amount <usd>', 'a part of the charge (default: all that is left of it)', parseNano)
    .action(async (call: string, options: CorrectionOptions) => {
      const amount = options.amount === undefined ? {} : { amount_nano: options.amount }
      await correct(call, 'refund', amount, options)
    })
  program
    .command('refund-undelivered')
    .description('give back the charges of answers that were not delivered in a range of time')
    .requiredOption('--from <time>', 'ISO 8601 with an offset: answers withheld from then on')
    .requiredOption('--until <time>', 'ISO 8601 with an offset: answers withheld before it')
    .requiredOption('--reason <text>', 'why; stands in the ledger and in the audit')
    .option(...dryRunOption)
    .addHelpText('after', help)
    .action(
      async ({
        from,
        until,
        ...options
      }: PlainOptions & { readonly from: string; readonly until: string }) => {
        const request = { post: '/calls/refund_undelivered', body: { from, until } }
        await showAct({ show }, request, options, refundUndeliveredReplySchema, reply => {
          const amount = formatUsd(-reply.amount_nano / 1e9)
          return `${reply.calls} calls refunded, ${amount} USD in all.`
        })
      },
    )
  addOptions(program.command('adjust').description('correct what a call has cost, up or down'))
    .argument('<call>', 'id of the call')
    .argument('<usd>', 'USD more, or (negative) less', parseSignedNano)
    .allowUnknownOption()
    .action(async (call: string, amount: number, options: CorrectionOptions) =>
      correct(call, 'adjust', { amount_nano: amount }, options),
    )

  const correct = (
    call: string,
    verb: string,
    amount: { readonly amount_nano?: number },
    { id, ...options }: CorrectionOptions,
  ): Promise<void> => {
    const body = { ...amount, ...(id === undefined ? {} : { adjustment_id: id }) }
    const request = { post: `/calls/${encodeURIComponent(call)}/${verb}`, body }
    return showAct({ show }, request, options, correctionReplySchema, reply => {
      const [charged, left] = [reply.charged_nano, reply.left_nano].map(nano => formatUsd(nano / 1e9))
      return `Call ${reply.call_id} of team ${reply.team_id} was charged ${charged} USD; ${left} USD of it are left.`
    })
  }
}

/** The amount of a grant is read in its action, where the library would let its own error through as a fault. */
function parseAmount(text: string): number {
  try {
    return parseSignedNano(text)
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw refuseUsage(error.message)
    throw error
  }
}

function addOptions(command: Command): Command {
  return command
    .requiredOption('--reason <text>', 'why; stands in the ledger and in the audit')
    .option('--id <id>', 'chosen by you, so that a repeated command counts once')
    .option(...dryRunOption)
    .addHelpText('after', help)
}

/** USD with a sign → nano-dollars. */
function parseSignedNano(text: string): number {
  const amount = parseNano(text.replace(/^[+-]/, ''))
  if (amount === 0) throw new InvalidArgumentError('Write an amount that is not 0.')
  return text.startsWith('-') ? -amount : amount
}
