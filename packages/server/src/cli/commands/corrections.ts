// `fairgate grant`, `refund` and `adjust`: rows of the ledger on top of budgets and charges.
import {
  correctionReplySchema,
  grantReplySchema,
  refundUndeliveredReplySchema,
} from '@fairgate/contracts/management/corrections.ts'
import { type Command, InvalidArgumentError } from 'commander'
import { dryRunOption, showAction } from '../actions.ts'
import { addCommand } from '../add-request.ts'
import type { CommandContext } from '../command-context.ts'
import { refuseUsage } from '../command-failure.ts'
import { chooseTeams, manyTeamsHelp, manyTeamsOptions } from '../many-teams.ts'
import { type Fields, parseNano, parseTime, readFields } from '../options.ts'
import { formatNano } from '../output/format.ts'

const idOption = ['--id <id>', 'id of your choice, so that a repeated command counts once'] as const
const names = { id: 'adjustment_id', amount: 'amount_nano' }

const help = `
Each correction is a new row of the ledger with its reason; earlier rows never change. With --id the same
correction counts once, however often it is sent.

Examples:
  $ fairgate grant team-01 10 --reason "the network was down"
  $ fairgate grant --all 10 --reason "an hour more"
  $ fairgate refund 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f --reason "outage"
  $ fairgate refund-undelivered --from -2h --until -1h --reason "disk failed"
  $ fairgate adjust 019e2f6a-4c1b-7d3e-8f00-5a6b7c8d9e0f -0.25 --reason "price"`

export function addCorrectionCommands(program: Command, { show, runAction }: CommandContext): void {
  addCommand(
    program,
    {
      verb: 'grant',
      description: 'raise the budget of a team, or of many, in the current period',
      arguments: [
        ['[team]', 'id of the team; leave it out with --all, --team or --where'],
        ['[usd]', 'USD; a negative amount takes money back'],
      ],
      options: [idOption, ...manyTeamsOptions],
      names,
      help: `${manyTeamsHelp}\n${help}`,
    },
    async (
      { all, team: named, where, dry_run, yes, ...fields },
      first: string | undefined,
      second: string | undefined,
    ) => {
      const [team, text] = second === undefined ? [undefined, first] : [first, second]
      if (text === undefined) throw refuseUsage('name the amount in USD, such as: fairgate grant team-01 10.')
      if (fields.reason === undefined)
        throw refuseUsage('say why with --reason: the ledger and the audit keep it.')
      const body = { amount_nano: parseAmount(text), ...fields }
      const chosen = chooseTeams(team, { all, team: named, where })
      if (team === undefined || dry_run === true || yes === true || where !== undefined)
        return await runAction(
          { post: '/teams/grant', body: { ...chosen, ...body } },
          { reason: fields.reason, dry_run, yes },
        )
      const path = `/team/${encodeURIComponent(team)}/grant`
      await show({ post: path, body }, grantReplySchema, reply => {
        const total = formatNano(reply.granted_nano)
        return `Team ${reply.team_id} has ${total} USD on top of its budget in this period.`
      })
    },
  )
    .usage('[options] [team] <usd>')
    .allowUnknownOption()
  addOptions(program.command('refund').description('refund the charge of a call, or a part of it'))
    .argument('<call>', 'id of the call')
    .option('--amount <usd>', 'part of the charge to refund (default: all that is left)', parseNano)
    .action((call: string, options: Fields) => correct(call, 'refund', options))
  program
    .command('refund-undelivered')
    .description('refund answers that were not delivered in a range of time')
    .requiredOption('--from <time>', 'answers withheld from then on, such as -2h', parseTime)
    .requiredOption('--until <time>', 'answers withheld before then', parseTime)
    .requiredOption('--reason <text>', 'why, for the ledger and the audit')
    .option(...dryRunOption)
    .addHelpText('after', help)
    .action(async ({ from, until, ...options }: Fields) => {
      const request = { post: '/calls/refund_undelivered', body: { from, until } }
      await showAction({ show }, request, readFields(options), refundUndeliveredReplySchema, reply => {
        const amount = formatNano(-reply.amount_nano)
        return `${reply.calls} calls refunded, ${amount} USD in all.`
      })
    })
  addOptions(program.command('adjust').description('correct the cost of a call, up or down'))
    .argument('<call>', 'id of the call')
    .argument('<usd>', 'USD to add; a negative amount takes off', parseSignedNano)
    .allowUnknownOption()
    .action((call: string, amount: number, options: Fields) =>
      correct(call, 'adjust', { amount, ...options }),
    )

  const correct = (call: string, verb: string, options: Fields): Promise<void> => {
    const { reason, dry_run, ...body } = readFields(options, names)
    const request = { post: `/calls/${encodeURIComponent(call)}/${verb}`, body }
    return showAction({ show }, request, { reason, dry_run }, correctionReplySchema, reply => {
      const [charged, left] = [formatNano(reply.charged_nano), formatNano(reply.left_nano)]
      return `Call ${reply.call_id} of team ${reply.team_id} was charged ${charged} USD; ${left} USD of it are left.`
    })
  }
}

/** Parses the amount inside the action, because commander would not format its own error. */
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
    .requiredOption('--reason <text>', 'why, for the ledger and the audit')
    .option(...idOption)
    .option(...dryRunOption)
    .addHelpText('after', help)
}

/** USD with a sign → nano-dollars. */
function parseSignedNano(text: string): number {
  const amount = parseNano(text.replace(/^[+-]/, ''))
  if (amount === 0) throw new InvalidArgumentError('Write an amount that is not 0.')
  return text.startsWith('-') ? -amount : amount
}
